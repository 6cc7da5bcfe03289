import {
  answerKind,
  codeBatchName,
  type AzrConfig,
  type CodeTaskType,
  type RolloutRecord,
  type TaskRecord,
} from '../../contract/index.ts';
import { learnability, type IntrinsicValues } from '../../core/index.ts';
import { mean } from '../loop/metrics.ts';
import type { AnswerCounters } from './intrinsic.ts';

export type ProposalNumbers = { rolloutId: string; solveRate: number | null; intrinsic: IntrinsicValues };

/** The valid proposals of a step, of whatever type: the tasks they became, with their intrinsic values by rollout. */
export function validProposals(
  tasks: readonly TaskRecord[],
  intrinsics: ReadonlyMap<string, IntrinsicValues>,
): ProposalNumbers[] {
  return tasks.flatMap(({ rolloutId, solveRate }) => {
    const intrinsic = rolloutId === null ? undefined : intrinsics.get(rolloutId);
    return rolloutId === null || intrinsic === undefined ? [] : [{ rolloutId, solveRate, intrinsic }];
  });
}

/**
 * Metrics of the proposals of one type. `accuracy` of a proposal batch is the mean learnability, as in the original; `solve_rate` is
 * ours and says what a reader expects.
 * @param trained the trained rollouts of the step. @param proposals the valid proposals of the step.
 */
export function proposalMetrics(
  taskType: CodeTaskType,
  trained: readonly RolloutRecord[],
  proposals: readonly ProposalNumbers[],
  rule: AzrConfig['learnability'],
): Record<string, number | null> {
  const batch = codeBatchName('propose', taskType);
  const rollouts = trained.filter((rollout) => rollout.batch === batch);
  if (rollouts.length === 0) return {};
  const valid = proposals.filter(({ rolloutId }) => rolloutId.split('/')[1] === batch);
  const byRollout = new Map(valid.map((proposal) => [proposal.rolloutId, proposal]));
  const rates = valid.flatMap(({ solveRate }) => (solveRate === null ? [] : [solveRate]));
  const intrinsic = (name: keyof IntrinsicValues): number | null =>
    mean(valid.map((proposal) => proposal.intrinsic[name]).filter((value) => value !== null));
  const learned = rollouts.map(({ id }) => {
    const rate = byRollout.get(id)?.solveRate;
    return rate === null || rate === undefined ? 0 : learnability(rate, rule);
  });
  const diversity: Record<string, number | null> =
    answerKind(taskType) === 'program'
      ? {
          input_answer_diversity: intrinsic('inputDiversity'),
          output_answer_diversity: intrinsic('outputDiversity'),
        }
      : { answer_diversity: intrinsic('answerDiversity') };
  const values = {
    accuracy: mean(learned),
    solve_rate: mean(rates),
    num_valid_programs: valid.length,
    complexity: intrinsic('complexity'),
    mean_edit_distance: intrinsic('editDistance'),
    halstead: intrinsic('halstead'),
    ...diversity,
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${batch}/${name}`, value]));
}

/** How varied the buffers are: `types/input_types/…`, `types/output_types/…` and, where they are counted apart, `types/error_types/…`, per Python type and over all. */
export function typeMetrics(counters: AnswerCounters): Record<string, number> {
  const metrics: Record<string, number> = {};
  for (const [name, counter] of [
    ['input_types', counters.inputs],
    ['output_types', counters.outputs],
    ['error_types', counters.errors],
  ] as const) {
    const types = [...counter.byType()];
    if (name === 'error_types' && types.length === 0) continue;
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
