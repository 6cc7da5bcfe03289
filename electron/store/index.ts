export { DATABASE_FILE, openLab, type Lab } from './open-lab.ts';
export { BACKUP_FOLDER, backupTakenAway, requireBackupFolder } from './opening/backup-folder.ts';
export {
  examineBackup,
  damageIn,
  keptCheckpoints,
  salvageDatabase,
  unfinishedRuns,
  type UnfinishedRun,
} from './opening/backups.ts';
export type { BackupFacts } from './opening/check-thread.ts';
export { labHolder } from './opening/lock.ts';
export { stepOfFile } from './opening/run-folders.ts';
export { RUN_TRANSITIONS, STATES_AT_WORK } from './runs/repository.ts';
export type { FullRecord } from './records/repository.ts';
export type { ReviewPace, StagePace } from './runs/pace.ts';
export type { ChainCheck, ChainCheckpoint } from './audit-log/events.ts';
export type { InitialState } from './audit-log/digests.ts';
export type { RolloutFilter } from './records/cursor.ts';
export type { IssueCount, SupervisionCost } from './records/reviews.ts';
export type { LineHistory } from './contexts.ts';
export type { StoredEvaluation, StoredEvaluationFilter } from './evaluations/summaries.ts';
export type { StoredItem, StoredItemRow } from './evaluations/items.ts';
export { planSha256 } from './evaluations/attested.ts';
