export { DATABASE_FILE, openLab, type Lab, type OpenOptions } from './open-lab.ts';
export { BACKUP_FOLDER, examineBackup, type BackupFacts } from './opening/backups.ts';
export { labHolder, type LabHolder } from './opening/lock.ts';
export {
  RUN_TRANSITIONS,
  STATES_AT_WORK,
  type NewRun,
  type Page,
  type RunFilter,
} from './runs/repository.ts';
export { MAX_PAGE, type FullRecord, type Lineage } from './records/repository.ts';
export type { RunRowPage } from './runs/table.ts';
export type { ReviewPace, RunPace } from './runs/pace.ts';
export type { CommitOutcome } from './steps/repository.ts';
export type { ChainCheck, ChainCheckpoint, Clock } from './audit-log/events.ts';
export type { Damage } from './audit-log/integrity.ts';
export type { InitialState } from './audit-log/digests.ts';
export type { RolloutFilter } from './records/cursor.ts';
export type { FacetCount, RolloutFacets } from './records/facets.ts';
export type { FindResult, FoundRecord } from './records/find.ts';
export type { SearchHit, SearchResult, SimilarRecord } from './records/search.ts';
export type { AuditableReview } from './audits/rows.ts';
export type { MetricKind, MetricPoint } from './steps/rows.ts';
export type { IssueCount, SupervisionCost } from './records/reviews.ts';
export type { LineHistory } from './contexts.ts';
export type { StoredEvaluation, StoredEvaluationFilter } from './evaluations/summaries.ts';
export type { StoredItem, StoredItemRow } from './evaluations/items.ts';
export { planSha256 } from './evaluations/repository.ts';
export type { EvaluationFilter, EvaluationHead } from './evaluations/first-form.ts';
