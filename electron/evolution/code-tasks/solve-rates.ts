import {
  codeBatchName,
  samplingOf,
  type AzrConfig,
  type RolloutRecord,
  type Verdict,
} from '../../contract/index.ts';
import { rolloutSeed, type ParsedResponse } from '../../core/index.ts';
import { limitsOf, type Rollout } from '../../processes/index.ts';
import { generateItem, promptItem, wholeRollout, type Prompt } from '../loop/framework.ts';
import type { RunState, StepContext } from '../loop/run-state.ts';
import { rolloutRecord } from '../loop/rollout-records.ts';
import { solutionPrompt } from './prompts.ts';
import {
  planVerification,
  readSolution,
  verify,
  type CodeTask,
  type CodeTaskState,
  type ScoredCodeTask,
} from './scoring.ts';

export type SolveRates = {
  /** Mean accuracy of the solutions, by task. */
  rateOf: Map<string, number>;
  /** Tasks that fit into no prompt, so that nobody was asked. */
  tooLong: Set<string>;
  records: RolloutRecord[];
};

type Estimated = { task: CodeTask; request: ScoredCodeTask['request']; prompt: Prompt; fits: boolean };
type Verified = { rollout: Rollout; response: ParsedResponse; verdict: Verdict };

/**
 * Monte-Carlo solve rates of the valid proposals (AZR's learnability): n solutions each, under the same context as
 * everything else of the step, sampled as solvers are unless they have settings of their own or the original's greedy fault is asked
 * for. They are measurements:
 * nothing is trained on them.
 */
export async function estimateSolveRates(
  run: RunState<AzrConfig, CodeTaskState>,
  env: StepContext,
  proposals: readonly ScoredCodeTask[],
): Promise<SolveRates> {
  const { framework, generation, seed } = run.config;
  const weights = env.weights('policy');
  const tasks = proposals.flatMap(({ found: { newTask }, request }) =>
    newTask === null
      ? []
      : [{ task: newTask, request, prompt: solutionPrompt(env.pack, newTask, run.context.text, framework) }],
  );
  const tokens = await weights.countTokens(tasks.map(({ prompt }) => promptItem(prompt)));
  const asked = tasks.map((entry, position): Estimated => ({
    ...entry,
    fits: (tokens[position] ?? 0) <= generation.maxPromptTokens,
  }));
  const rollouts = await weights.generate(
    `s${run.step}/estimate`,
    asked
      .filter(({ fits }) => fits)
      .map(({ task, request: { batch, index }, prompt }) => ({
        key: task.id,
        ...generateItem(prompt),
        n: framework.estimateSamples,
        seed: rolloutSeed(seed, run.step, batch, index, 'estimate'),
      })),
    {
      ...samplingOf(generation, 'estimator'),
      ...(framework.estimateSampling === 'greedy' ? { temperature: 0 } : {}),
      topK: 0,
      maxNewTokens: generation.maxNewTokens,
    },
    env.signal,
    () => {},
  );
  const byTask = Map.groupBy(rollouts, ({ key }) => key);
  const verified = await Promise.all(
    asked.map(async (entry) => ({
      entry,
      samples: await verifySamples(
        run,
        env,
        entry.task,
        (byTask.get(entry.task.id) ?? []).map((rollout) => wholeRollout(entry.prompt, rollout)),
      ),
    })),
  );
  const rates: SolveRates = {
    rateOf: new Map(),
    tooLong: new Set(asked.filter(({ fits }) => !fits).map(({ task }) => task.id)),
    records: [],
  };
  for (const { entry, samples } of verified) {
    const records = samples.map((sample) => estimateRecord(run, entry, sample));
    // A proposal whose task fits into no prompt counts as unsolved, as in the original.
    const rate =
      records.length === 0
        ? 0
        : records.reduce((sum, { verdict }) => sum + verdict.accuracy, 0) / records.length;
    rates.rateOf.set(entry.task.id, rate);
    rates.records.push(...records);
  }
  return rates;
}

/** Estimates belong to the proposal batch they estimate. */
function estimateRecord(
  run: RunState<AzrConfig, CodeTaskState>,
  { task, request, prompt }: Estimated,
  sample: Verified,
): RolloutRecord {
  return rolloutRecord(
    run,
    {
      id: `${request.id}/${sample.rollout.index}`,
      batch: codeBatchName('estimate', task.taskType),
      index: request.index,
      sample: sample.rollout.index,
      purpose: 'estimate',
      role: 'solver',
      taskType: task.taskType,
      taskId: task.id,
      user: prompt.user,
    },
    sample,
  );
}

/** Equal answers to one task are verified once. The format is not asked of estimates, only an answer. */
async function verifySamples(
  run: RunState<AzrConfig, CodeTaskState>,
  env: StepContext,
  task: CodeTask,
  rollouts: readonly Rollout[],
): Promise<Verified[]> {
  const { framework, sandbox } = run.config;
  const samples = rollouts
    .toSorted((a, b) => a.index - b.index)
    .map((rollout) => ({ rollout, response: readSolution(run, env, task.taskType, rollout) }));
  const distinct = [...new Set(samples.map(({ response }) => response.answer))];
  const plans = distinct.map((answer) => planVerification(task, answer, framework));
  const verdicts = await verify(env.runner, plans, limitsOf(sandbox));
  return samples.map((sample) => ({
    ...sample,
    verdict: verdicts[distinct.indexOf(sample.response.answer)] as Verdict,
  }));
}
