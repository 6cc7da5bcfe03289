export * from './registry.ts';
export * from './running/catalogue.ts';
export * from './running/graded-suite.ts';
export { overridden } from './running/scores.ts';
export { conductOf, answerText } from './suites/toy/answers.ts';
export type { ExecuteProgram, Suite, Grade } from './suites/suite.ts';
export * as code from './code/index.ts';
export * as datasets from './datasets/index.ts';
export * as exporting from './export/index.ts';
export * as judges from './judges/index.ts';
export * as maths from './maths/index.ts';
export * as safety from './safety/index.ts';
export {
  forgetSuiteDataset,
  listSuiteDatasets,
  putSuiteDataset,
  requireSuiteDataset,
  suiteDatasetsOf,
} from './datasets/records.ts';
export { EvaluationService } from './evaluation-service.ts';
export { calibrateJudge, chooseJudge, chosenJudge, listCalibrations, listJudges } from './judge-service.ts';
export type { AskedContext } from './plan/eval-request.ts';
export { datasetStateOf, placeOfSuite } from './plan/suite-data.ts';
export { compareEvaluations, pageItems, type ItemPage } from './results/compare.ts';
export { estimateOf, secondsPerAnswer } from './results/estimate.ts';
export { exportItems, matrixText, TABLE_FORMATS, type TableFormat } from './results/export.ts';
export { matrixOf } from './results/matrix.ts';
export { listSummaries, requireSummary, suiteOf } from './results/summaries.ts';
export {
  evaluatePolicy,
  type EvaluationOutcome,
  type EvaluationRequest,
  type PolicyReference,
} from './run/evaluate.ts';
export { listTripped, watchTripwires } from './run/tripwires.ts';
