export * from './registry.ts';
export * from './suites/graded-suite.ts';
export { conductOf, answerText, type ExecuteProgram } from './suites/suite.ts';
export * as datasets from './datasets/index.ts';
export { addOwnQuestion, type NewOwnQuestion } from './test-sets/own-questions.ts';
export { importDataset, outcomeOf } from './test-sets/import-test-set.ts';
export {
  acknowledge,
  listDatasetEntries,
  lookAtDatasets,
  previewDataset,
  removeDataset,
  startFolderCheck,
  startFolderManifest,
  startVerification,
} from './test-sets/test-sets.ts';
export { startContamination } from './test-sets/contamination.ts';
export { subjectChoices, suiteChoices } from './plan/choices.ts';
export { remadeId, requireAsResolved, resolveSubject, type ResolvedSubject } from './plan/subjects.ts';
export { flipsBetween } from './results/flips.ts';
export { EvaluationService } from './evaluation-service.ts';
export { calibrateJudge, chooseJudge, chosenJudge, listCalibrations, listJudges } from './judge-service.ts';
export type { AskedContext } from './plan/eval-request.ts';
export { datasetStateOf } from './plan/suite-data.ts';
export { compareEvaluations, pageItems, type ItemPage } from './results/compare.ts';
export {
  matrixText,
  placeOfItems,
  TABLE_FORMATS,
  writeItems,
  type ItemsFormat,
  type TableFormat,
} from './export/export.ts';
export { matrixOf } from './results/matrix.ts';
export { runScoreChanges, type RunScoreChange } from './results/run-changes.ts';
export { runAggregates } from './results/run-aggregates.ts';
export { joinedReads, storeWith, type EvaluationReads } from './results/reads.ts';
export { listSummaries, requireSummary, scoresOfRun, suiteOf } from './results/compare.ts';
export { pageSummaries } from './results/evaluation-list.ts';
export {
  EVALUATION_SEED,
  evaluatePolicy,
  type EvaluationOutcome,
  type EvaluationRequest,
} from './run/evaluate.ts';
export { watchTripwires, wiresOfRun } from './run/tripwires.ts';
export { RUBRICS } from './judges/ask.ts';
export { checkAnswers, type AnswerChecker } from './maths/answers.ts';
