export * from './raw-item.ts';
export * from './phase-items.ts';
export * from './facts/index.ts';
export * from './leaks/leak-guard.ts';
export { wordsForNumber } from './leaks/number-words.ts';
export * from './reviewers/issues.ts';
export * from './reviewers/review-answer.ts';
export * from './reviewers/review-prompt.ts';
export * from './reviewers/reviewer.ts';
export * from './reviewers/registry.ts';
export * from './reviewers/llama/reviewer.ts';
export * from './reviewers/rubric/rules.ts';
export { rubricReviewer } from './reviewers/rubric/index.ts';
export { checklistReviewer, readChecklist, type Checklist } from './reviewers/checklist/index.ts';
export { scriptedReviewer } from './reviewers/scripted/index.ts';
export {
  humanReviewer,
  personInLoop,
  type HumanReviewer,
  type PendingReview,
} from './reviewers/human/index.ts';
export * from './review-batch.ts';
export * from './summary.ts';
export * from './context/context-update.ts';
export { isFixedLine } from './context/fixed-lines.ts';
export { contextLineText } from './context/context-text.ts';
export * from './step-files/step-files.ts';
export type { EvaluationSummary, ExportedRecord } from './step-files/records.ts';
export * from './audit/sample.ts';
export { auditResults } from './audit/results.ts';
export { auditCsv } from './audit/csv.ts';
export {
  judgeRequest,
  judgeReview,
  JUDGEMENT_SCHEMA,
  parseJudgement,
  type JudgedReview,
  type Judgement,
} from './audit/judge.ts';
export { probeCases, probeJudge } from './audit/probe.ts';
