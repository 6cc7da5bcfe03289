/**
 * Grading of code: EvalPlus (HumanEval+, MBPP+) and LiveCodeBench. Model programs run in the runner's sandbox only; expected
 * outputs stay in this process and are compared here. Every verdict comes twice: as the original gives it, so that scores
 * stay comparable, and strictly, for plain data and without the original's quirks.
 *
 * EvalPlus: readEvalPlus → evalPlusPrompt → (model) → answerText → sanitize → gradeEvalPlus, with ExpectedOutputs.prepare
 * before the first. LiveCodeBench: readReleases → liveCodeBenchPrompt → (model) → extractLiveCodeBench → gradeLiveCodeBench →
 * scoreLiveCodeBench.
 */
export { readEvalPlus, type EvalPlusDataset, type EvalPlusTask } from './evalplus/task.ts';
export { answerText, evalPlusPrompt, type EvalPlusPrompt, type EvalPlusStyle } from './evalplus/task.ts';
export { ExpectedOutputs, type ExpectedOutputsOptions } from './evalplus/expected.ts';
export {
  AZR_LIMITS,
  EVALPLUS_LIMITS,
  gradeEvalPlus,
  type EvalPlusGrade,
  type EvalPlusLimits,
  type EvalPlusOptions,
  type EvalPlusStatus,
  type EvalPlusTools,
  type InputVerdict,
} from './evalplus/grade.ts';
export { sanitize, type Sanitized } from './sanitize.ts';
export { CODE_FLAGS, type Flag } from './flags.ts';
export type { CodeTools } from './flags.ts';
export { readReleases, type ReleaseOptions } from './livecodebench/release.ts';
export {
  DIFFICULTIES,
  PLATFORMS,
  readProblem,
  testsOf,
  type Difficulty,
  type LiveCodeBenchProblem,
  type LiveCodeBenchTest,
  type Platform,
} from './livecodebench/problem.ts';
export {
  liveCodeBenchPrompt,
  type LiveCodeBenchPrompt,
  type LiveCodeBenchStyle,
} from './livecodebench/prompt.ts';
export { extractLiveCodeBench } from './livecodebench/prompt.ts';
export {
  gradeLiveCodeBench,
  type LiveCodeBenchFailure,
  type LiveCodeBenchGrade,
  type LiveCodeBenchOptions,
  type TestCode,
} from './livecodebench/grade.ts';
export { ERRATA, erratumOf, type Erratum } from './livecodebench/problem.ts';
export {
  inWindow,
  scoreLiveCodeBench,
  type DateWindow,
  type LiveCodeBenchScores,
  type ProblemResult,
  type Split,
} from './livecodebench/scores.ts';
