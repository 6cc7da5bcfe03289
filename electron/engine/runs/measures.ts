import { batchName, BATCH_NAMES, CODE_TASK_TYPES, PHASES, RATED_TASK_TYPES } from '../../contract/index.ts';

/** What a measure is made of: metrics of a step, averaged or added up. */
export type Measure = { names: readonly string[]; combine: 'mean' | 'sum' };

const PROPOSALS = CODE_TASK_TYPES.map((taskType) => batchName('propose', taskType));
const SOLUTIONS = CODE_TASK_TYPES.map((taskType) => batchName('solve', taskType));
const RATED = RATED_TASK_TYPES.map((taskType) => batchName('solve', taskType));
const mean = (names: readonly string[]): Measure => ({ names, combine: 'mean' });
const sum = (names: readonly string[]): Measure => ({ names, combine: 'sum' });

/** Measures that mean the same in every run, whatever task types it has. */
export const MEASURES = {
  passRate: mean(SOLUTIONS.map((batch) => `${batch}/accuracy`)),
  solverReward: mean(SOLUTIONS.map((batch) => `${batch}/critic/rewards/mean`)),
  proposerReward: mean(PROPOSALS.map((batch) => `${batch}/critic/rewards/mean`)),
  ratedReward: mean(RATED.map((batch) => `${batch}/critic/rewards/mean`)),
  solveRate: mean(PROPOSALS.map((batch) => `${batch}/solve_rate`)),
  validProposals: sum(PROPOSALS.map((batch) => `${batch}/num_valid_programs`)),
  formatOk: mean(BATCH_NAMES.map((batch) => `${batch}/format_score`)),
  responseLength: mean(BATCH_NAMES.map((batch) => `${batch}/response_length/mean`)),
  entropy: mean(['actor/entropy']),
  reviewsPerStep: sum(PHASES.map((phase) => `supervision/${phase}/reviews`)),
  contextLines: mean(['context/lines']),
  stepSeconds: mean(['step']),
} as const satisfies Record<string, Measure>;

export type MeasureName = keyof typeof MEASURES;
export const MEASURE_NAMES = Object.keys(MEASURES) as [MeasureName, ...MeasureName[]];
