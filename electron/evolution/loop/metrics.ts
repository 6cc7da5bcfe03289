import {
  BATCHES,
  batchSpec,
  MISMATCH_OUTSIDE,
  MISMATCH_SIZES,
  mismatchMetric,
  PHASES,
  POSITION_METRICS,
  type GenerationConfig,
  type ReviewRecord,
  type RolloutRecord,
} from '../../contract/index.ts';
import type { UpdateResult } from '../../processes/index.ts';
import type { StagePlace } from './framework.ts';
import type { RunState } from './run-state.ts';

/** Words by which a model shows that it looks again at what it wrote; the share of responses with one is reflect_ratio. */
const REFLECTION =
  /\b(?:wait|re-?check|re-?think|re-?evaluate|double-check|let me check|try again|on second thought)\b/i;

export type StepFacts = {
  /** The rollouts with a reward. */
  trained: readonly RolloutRecord[];
  reviews: readonly ReviewRecord[];
  update: UpdateResult | null;
  /** Metrics that the stage computed itself; they win over the common ones of the same name. */
  ofStage: Record<string, number | null>;
};

/**
 * Metrics of a step under the names of the original (verl), with the stage's and supervision's own beside them. Only finite
 * numbers are kept.
 */
export function stepMetrics(
  run: Pick<RunState, 'config' | 'context'>,
  { trained, reviews, update, ofStage }: StepFacts,
): Record<string, number> {
  const metrics: Record<string, number | null> = {
    ...sequenceMetrics(trained),
    ...(update === null ? {} : updateMetrics(update)),
  };
  for (const { name: batch } of BATCHES) {
    const rollouts = trained.filter((rollout) => rollout.batch === batch);
    Object.assign(metrics, batchMetrics(batch, rollouts, run.config.generation));
  }
  Object.assign(metrics, ofStage, supervisionMetrics(reviews));
  metrics['context/lines'] = run.context.lines.length;
  return Object.fromEntries(
    Object.entries(metrics).filter(
      (entry): entry is [string, number] => entry[1] !== null && Number.isFinite(entry[1]),
    ),
  );
}

/** Where the step stands in a schedule of several stages, as metrics, so that whoever draws or lists a run finds it there. */
export function positionMetrics(iteration: number, position: StagePlace['position']): Record<string, number> {
  if (position === undefined) return {};
  return {
    [POSITION_METRICS.iteration]: iteration,
    [POSITION_METRICS.stageStep]: position.stageStep,
    [POSITION_METRICS.globalStep]: position.globalStep,
  };
}

function updateMetrics(update: UpdateResult): Record<string, number | null> {
  return {
    'actor/entropy': update.entropy,
    'actor/grad_norm': update.gradNorm.at(-1) ?? null,
    'actor/pg_loss': update.loss.at(-1) ?? null,
    'actor/pg_clipfrac': update.clip.high,
    'actor/pg_clipfrac_lower': update.clip.low,
    'actor/ratio_max': update.ratio.max,
    ...Object.fromEntries(
      MISMATCH_SIZES.map((size) => [mismatchMetric(size), update.mismatch[size] ?? null]),
    ),
    [MISMATCH_OUTSIDE]: update.mismatch.outside ?? null,
    'actor/tis_mean': update.tis?.mean ?? null,
    'actor/tis_truncated': update.tis?.truncated ?? null,
    'actor/skipped': update.skipped.length,
    'actor/kl_reference': update.kl?.ref ?? null,
  };
}

function supervisionMetrics(reviews: readonly ReviewRecord[]): Record<string, number> {
  const count = (test: (review: ReviewRecord) => boolean): number => reviews.filter(test).length;
  const done = PHASES.map((phase): [string, number] => [
    `supervision/${phase}/reviews`,
    count((review) => review.phase === phase && review.status === 'done'),
  ]);
  return {
    ...Object.fromEntries(done),
    'supervision/retries': count((review) => review.decision === 'retry'),
    'supervision/leaks': count((review) => review.status === 'quarantined'),
    'supervision/skipped': count((review) => review.status === 'skipped-by-budget'),
    'supervision/failed': count((review) => review.status === 'failed'),
  };
}

/**
 * Metrics of one batch under the names the original logs (facts of its trainer's _compute_batch), prefixed with the batch. An empty
 * batch gives none. A ratio without cases is left out rather than reported as 0. What its stage measures of proposals is not here.
 * @param rollouts the trained rollouts of the batch.
 */
export function batchMetrics(
  batch: string,
  rollouts: readonly RolloutRecord[],
  limits: Pick<GenerationConfig, 'maxNewTokens' | 'maxPromptTokens'>,
): Record<string, number> {
  if (rollouts.length === 0) return {};
  const values: Record<string, number | null> = {
    format_score: mean(rollouts.map(({ formatOk }) => Number(formatOk))),
    ...(rollouts[0]?.purpose === 'propose' ? {} : verdictMetrics(batch, rollouts)),
    ...criticMetrics(rollouts),
    ...lengthMetrics(rollouts, limits),
  };
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === null ? [] : [[`${batch}/${name}`, value] as const],
    ),
  );
}

/** Where nobody knows what is right, passing is agreeing, and is called so. */
function verdictMetrics(batch: string, rollouts: readonly RolloutRecord[]): Record<string, number | null> {
  if (batchSpec(batch).judgedBy === 'agreement')
    return { agreement: mean(rollouts.map(({ verdict }) => verdict.accuracy)) };
  const none = rollouts.filter(
    ({ verdict }) => verdict.reason === 'died' || verdict.reason === 'not-run',
  ).length;
  const accuracy = mean(rollouts.map(({ verdict }) => verdict.accuracy));
  return { accuracy, solve_rate: accuracy, none_count: none, none_ratio: none / rollouts.length };
}

function criticMetrics(rollouts: readonly RolloutRecord[]): Record<string, number> {
  const present = (values: (number | null)[]): number[] => values.filter((value) => value !== null);
  const rewards = present(rollouts.map(({ reward }) => reward));
  const advantages = present(rollouts.map(({ advantage }) => advantage));
  // Without a KL term in the reward, score and reward are the same, and with γ = 1 so is every return.
  return {
    ...spread('critic/score', rewards),
    ...spread('critic/rewards', rewards),
    ...spread('critic/advantages', advantages),
    ...spread('critic/returns', rewards),
  };
}

function lengthMetrics(
  rollouts: readonly RolloutRecord[],
  { maxNewTokens, maxPromptTokens }: Pick<GenerationConfig, 'maxNewTokens' | 'maxPromptTokens'>,
): Record<string, number | null> {
  const passed = rollouts.filter(({ verdict }) => verdict.outcome === 'passed');
  const failed = rollouts.filter(({ verdict }) => verdict.outcome !== 'passed');
  const reflecting = rollouts.filter(({ text }) => REFLECTION.test(text));
  const tokens = (some: readonly RolloutRecord[]): number[] => some.map(({ newTokens }) => newTokens);
  return {
    'response_length/clip_ratio': mean(rollouts.map(({ newTokens }) => Number(newTokens >= maxNewTokens))),
    'response_length/reflect_ratio': reflecting.length / rollouts.length,
    'response_length/correct_reflect_ratio': mean(
      reflecting.map(({ verdict }) => Number(verdict.outcome === 'passed')),
    ),
    'correct_response_length/mean': mean(tokens(passed)),
    'incorrect_response_length/mean': mean(tokens(failed)),
    'prompt_length/clip_ratio': mean(
      rollouts.map(({ promptTokens }) => Number(promptTokens >= maxPromptTokens)),
    ),
    ...spread('response_length', tokens(rollouts)),
    ...spread(
      'prompt_length',
      rollouts.map(({ promptTokens }) => promptTokens),
    ),
  };
}

/** Tokens per sequence (prompt and response) over all trained rollouts; the original's figure depends on its number of GPUs. */
export function sequenceMetrics(rollouts: readonly RolloutRecord[]): Record<string, number> {
  return spread(
    'global_seqlen',
    rollouts.map(({ promptTokens, newTokens }) => promptTokens + newTokens),
  );
}

function spread(name: string, values: readonly number[]): Record<string, number> {
  if (values.length === 0) return {};
  return {
    [`${name}/mean`]: mean(values) as number,
    [`${name}/max`]: values.reduce((most, value) => Math.max(most, value)),
    [`${name}/min`]: values.reduce((least, value) => Math.min(least, value)),
  };
}

/** Null for no values. */
export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
