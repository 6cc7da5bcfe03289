export * from './raw-item.ts';
export * from './phase-items.ts';
export * from './findings.ts';
export * from './facts/item-facts.ts';
export * from './facts/facts-line.ts';
export { isRestricted } from './facts/answer-reader.ts';
export { findLeaks, type Gold } from './leaks/leak-guard.ts';
export { wordsForNumber } from './leaks/stated-numbers.ts';
export * from './reviewers/answers.ts';
export * from './reviewers/review-prompt.ts';
export * from './reviewers/reviewer.ts';
export * from './reviewers/registry.ts';
export {
  contextTokensOf,
  llamaReviewer,
  openReviewModel,
  reviewModeOf,
  reviewPackOf,
  reviewRequest,
} from './reviewers/llama/index.ts';
export { reviewTextsSha256 } from './reviewers/llama/questions.ts';
export { judgeReviewer, JUDGE_PATIENCE } from './reviewers/llama/judge.ts';
export { rubricAnswer, rubricReviewer } from './reviewers/rubric/index.ts';
export { checklistReviewer, readChecklist } from './reviewers/checklist/index.ts';
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
export { contextLineText } from './context/candidates.ts';
export { writeStepFiles } from './step-files/step-files.ts';
export * from './audit/sample.ts';
export { auditCsv, auditResults } from './audit/results.ts';
export {
  judgeRequest,
  judgeReview,
  parseJudgement,
  probeCases,
  probeJudge,
  type JudgedReview,
} from './audit/judge.ts';
export {
  requireWordingPlaces,
  subjectsOf,
  WordingBudget,
  wordMerge,
  wordSummaries,
  type LineGuard,
  type LineWriter,
} from './wording/index.ts';
export * from './probe/items.ts';
export type { ProgramChecker } from './probe/pair.ts';
export { askProbe, itemsOfPass } from './probe/asking.ts';
export { judgeVerdict, measuredJudge } from './probe/verdict.ts';
export { probeResults } from './probe/scoring.ts';
export { auditLabel, labelAccuracy, labelsToAudit } from './labels.ts';
