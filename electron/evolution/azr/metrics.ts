import { answerKind, taskTypeOfBatch, type BatchName, type RolloutRecord } from '../../contract/index.ts';
import { learnability } from '../../core/index.ts';
import type { AnswerCounters, ProposalIntrinsics } from './intrinsic.ts';

/** Words by which a model shows that it looks again at what it wrote; the share of responses with one is reflect_ratio. */
const REFLECTION =
  /\b(?:wait|re-?check|re-?think|re-?evaluate|double-check|let me check|try again|on second thought)\b/i;

export type ProposalNumbers = { rolloutId: string; solveRate: number | null; intrinsic: ProposalIntrinsics };

export type BatchMetricInputs = {
  /** The trained rollouts of the batch, without estimates. */
  rollouts: readonly RolloutRecord[];
  /** Proposal batches: one entry per valid proposal. */
  proposals: readonly ProposalNumbers[];
  maxNewTokens: number;
  maxPromptTokens: number;
  learnabilityRule: 'one-minus' | 'inverse';
};

/**
 * Metrics of one batch under the names the original logs (facts of its trainer's _compute_batch), prefixed with
 * the batch. `accuracy` of a proposal batch is the mean learnability, as there; `solve_rate` is ours and says what a reader
 * expects. An empty batch gives no metrics. A ratio without cases is left out rather than reported as 0.
 */
export function batchMetrics(batch: BatchName, inputs: BatchMetricInputs): Record<string, number> {
  const { rollouts } = inputs;
  if (rollouts.length === 0) return {};
  const metrics: Record<string, number> = {};
  const put = (name: string, value: number | null): void => {
    if (value !== null) metrics[`${batch}/${name}`] = value;
  };
  put('format_score', mean(rollouts.map(({ formatOk }) => Number(formatOk))));
  for (const [name, value] of Object.entries(
    batch.startsWith('gen_') ? proposerMetrics(batch, inputs) : solverMetrics(rollouts),
  ))
    put(name, value);
  for (const [name, values] of Object.entries(criticValues(rollouts)))
    putSpread(put, `critic/${name}`, values);
  for (const [name, value] of Object.entries(lengthMetrics(inputs))) put(name, value);
  return metrics;
}

function proposerMetrics(
  batch: BatchName,
  { rollouts, proposals, learnabilityRule }: BatchMetricInputs,
): Record<string, number | null> {
  const byRollout = new Map(proposals.map((proposal) => [proposal.rolloutId, proposal]));
  const rates = proposals.flatMap(({ solveRate }) => (solveRate === null ? [] : [solveRate]));
  const intrinsic = (name: keyof ProposalIntrinsics): number | null =>
    mean(
      proposals.flatMap((proposal) => {
        const value = proposal.intrinsic[name];
        return value === null ? [] : [value];
      }),
    );
  const diversity: Record<string, number | null> =
    answerKind(taskTypeOfBatch(batch)) === 'program'
      ? {
          input_answer_diversity: intrinsic('inputDiversity'),
          output_answer_diversity: intrinsic('outputDiversity'),
        }
      : { answer_diversity: intrinsic('answerDiversity') };
  const learned = rollouts.map(({ id }) => {
    const rate = byRollout.get(id)?.solveRate;
    return rate === null || rate === undefined ? 0 : learnability(rate, learnabilityRule);
  });
  return {
    accuracy: mean(learned),
    solve_rate: mean(rates),
    num_valid_programs: proposals.length,
    complexity: intrinsic('complexity'),
    mean_edit_distance: intrinsic('editDistance'),
    halstead: intrinsic('halstead'),
    ...diversity,
  };
}

function solverMetrics(rollouts: readonly RolloutRecord[]): Record<string, number | null> {
  const none = rollouts.filter(
    ({ verdict }) => verdict.reason === 'died' || verdict.reason === 'not-run',
  ).length;
  const accuracy = mean(rollouts.map(({ verdict }) => verdict.accuracy));
  return { accuracy, solve_rate: accuracy, none_count: none, none_ratio: none / rollouts.length };
}

function criticValues(
  rollouts: readonly RolloutRecord[],
): Record<'score' | 'rewards' | 'advantages' | 'returns', number[]> {
  const present = (values: (number | null)[]): number[] => values.filter((value) => value !== null);
  const rewards = present(rollouts.map(({ reward }) => reward));
  // Without a KL term in the reward, score and reward are the same, and with γ = 1 so is every return.
  return {
    score: rewards,
    rewards,
    advantages: present(rollouts.map(({ advantage }) => advantage)),
    returns: rewards,
  };
}

function lengthMetrics({
  rollouts,
  maxNewTokens,
  maxPromptTokens,
}: BatchMetricInputs): Record<string, number | null> {
  const passed = rollouts.filter(({ verdict }) => verdict.outcome === 'passed');
  const failed = rollouts.filter(({ verdict }) => verdict.outcome !== 'passed');
  const reflecting = rollouts.filter(({ text }) => REFLECTION.test(text));
  const metrics: Record<string, number | null> = {
    'response_length/clip_ratio': mean(rollouts.map(({ newTokens }) => Number(newTokens >= maxNewTokens))),
    'response_length/reflect_ratio': reflecting.length / rollouts.length,
    'response_length/correct_reflect_ratio': mean(
      reflecting.map(({ verdict }) => Number(verdict.outcome === 'passed')),
    ),
    'correct_response_length/mean': mean(passed.map(({ newTokens }) => newTokens)),
    'incorrect_response_length/mean': mean(failed.map(({ newTokens }) => newTokens)),
    'prompt_length/clip_ratio': mean(
      rollouts.map(({ promptTokens }) => Number(promptTokens >= maxPromptTokens)),
    ),
  };
  const put = (name: string, value: number | null): void => void (metrics[name] = value);
  putSpread(
    put,
    'response_length',
    rollouts.map(({ newTokens }) => newTokens),
  );
  putSpread(
    put,
    'prompt_length',
    rollouts.map(({ promptTokens }) => promptTokens),
  );
  return metrics;
}

function putSpread(
  put: (name: string, value: number | null) => void,
  name: string,
  values: readonly number[],
): void {
  if (values.length === 0) return;
  put(`${name}/mean`, mean(values));
  put(
    `${name}/max`,
    values.reduce((most, value) => Math.max(most, value)),
  );
  put(
    `${name}/min`,
    values.reduce((least, value) => Math.min(least, value)),
  );
}

/** How varied the buffers are: `types/input_types/…` and `types/output_types/…`, per Python type and over all. */
export function typeMetrics(counters: AnswerCounters): Record<string, number> {
  const metrics: Record<string, number> = {};
  for (const [name, counter] of [
    ['input_types', counters.inputs],
    ['output_types', counters.outputs],
  ] as const) {
    const types = [...counter.byType()];
    metrics[`types/${name}/distinct_types`] = types.length;
    metrics[`types/${name}/total_unique_values`] = types.reduce((sum, [, { unique }]) => sum + unique, 0);
    metrics[`types/${name}/total_instances`] = types.reduce((sum, [, { total }]) => sum + total, 0);
    for (const [type, { unique, total }] of types) {
      metrics[`types/${name}/${type}/unique_count`] = unique;
      metrics[`types/${name}/${type}/total_count`] = total;
    }
  }
  return metrics;
}

/** Tokens per sequence (prompt and response) over all trained rollouts; the original's figure depends on its number of GPUs. */
export function sequenceMetrics(rollouts: readonly RolloutRecord[]): Record<string, number> {
  const metrics: Record<string, number> = {};
  putSpread(
    (name, value) => void (metrics[name] = value ?? 0),
    'global_seqlen',
    rollouts.map(({ promptTokens, newTokens }) => promptTokens + newTokens),
  );
  return metrics;
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
