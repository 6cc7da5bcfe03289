import { BATCHES, batchesJudgedBy } from '../frameworks/index.ts';
import { PHASES } from '../names.ts';
import { lineMetric } from '../reviews/review.ts';
import { REFUSALS } from './records.ts';

/** What a measure is made of: metrics of a step, averaged or added up. */
type Measure = { names: readonly string[]; combine: 'mean' | 'sum' };

const PROPOSALS = batchesJudgedBy('solve-rate');
const SOLUTIONS = batchesJudgedBy('pass-rate');
const REWARDED = batchesJudgedBy(null);
const mean = (names: readonly string[]): Measure => ({ names, combine: 'mean' });
const sum = (names: readonly string[]): Measure => ({ names, combine: 'sum' });

/** Measures that mean the same in every run, whatever task types it has. */
export const MEASURES = {
  passRate: mean(SOLUTIONS.map(({ name }) => `${name}/accuracy`)),
  solverReward: mean(SOLUTIONS.map(({ name }) => `${name}/critic/rewards/mean`)),
  proposerReward: mean(PROPOSALS.map(({ name }) => `${name}/critic/rewards/mean`)),
  ratedReward: mean(REWARDED.map(({ name }) => `${name}/critic/rewards/mean`)),
  solveRate: mean(PROPOSALS.map(({ name }) => `${name}/solve_rate`)),
  validProposals: sum(PROPOSALS.map(({ name }) => `${name}/num_valid_programs`)),
  formatOk: mean(BATCHES.map(({ name }) => `${name}/format_score`)),
  responseLength: mean(BATCHES.map(({ name }) => `${name}/response_length/mean`)),
  entropy: mean(['actor/entropy']),
  reviewsPerStep: sum(PHASES.map((phase) => `supervision/${phase}/reviews`)),
  contextLines: mean(['context/lines']),
  refusedLines: sum(REFUSALS.map(lineMetric)),
  stepSeconds: mean(['step']),
} as const satisfies Record<string, Measure>;

export type MeasureName = keyof typeof MEASURES;
export const MEASURE_NAMES = Object.keys(MEASURES) as [MeasureName, ...MeasureName[]];
