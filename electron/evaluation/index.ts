export * from './registry.ts';
export * from './suites/graded-suite.ts';
export { conductOf, answerText } from './suites/suite.ts';
export type { ExecuteProgram, Suite, Grade } from './suites/suite.ts';
export * as datasets from './datasets/index.ts';
export {
  forgetSuiteDataset,
  listSuiteDatasets,
  putSuiteDataset,
  requireSuiteDataset,
  suiteDatasetsOf,
} from './plan/suite-data.ts';
export { EvaluationService } from './evaluation-service.ts';
export { calibrateJudge, chooseJudge, chosenJudge, listCalibrations, listJudges } from './judge-service.ts';
export type { AskedContext } from './plan/eval-request.ts';
export { datasetStateOf, placeOfSuite } from './plan/suite-data.ts';
export { compareEvaluations, pageItems, type ItemPage } from './results/compare.ts';
export { estimateOf, secondsPerAnswer } from './plan/eval-request.ts';
export { exportItems, matrixText, TABLE_FORMATS, type TableFormat } from './export/export.ts';
export { matrixOf } from './results/matrix.ts';
export { listSummaries, requireSummary, suiteOf } from './results/compare.ts';
export {
  evaluatePolicy,
  type EvaluationOutcome,
  type EvaluationRequest,
  type PolicyReference,
} from './run/evaluate.ts';
export { listTripped, watchTripwires } from './run/evaluate.ts';
export { RUBRICS } from './judges/ask.ts';
