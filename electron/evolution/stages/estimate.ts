import { batchName, type RolloutRecord } from '../../contract/index.ts';
import { parseResponse, rolloutSeed } from '../../core/index.ts';
import { limitsOf, type Rollout } from '../../processes/index.ts';
import { planVerification, solutionPrompt } from '../azr/index.ts';
import type { RunInProgress, StepTools } from '../in-progress.ts';
import { messagesOf } from './planned-rollout.ts';
import { rolloutRecord } from './rollout-records.ts';
import { runPlans } from './run-plans.ts';
import type { NewTask, SettledRollout } from './settle.ts';

export type Estimates = { rateOf: Map<string, number>; records: RolloutRecord[] };

/**
 * Monte-Carlo solve rates of the valid proposals (AZR's learnability): n solutions each, under the same context as
 * everything else of the step, at temperature 1 unless the original's greedy fault is asked for. They are measurements:
 * nothing is trained on them.
 */
export async function estimateSolveRates(
  run: RunInProgress,
  tools: StepTools,
  proposals: readonly SettledRollout[],
): Promise<Estimates> {
  const { azr, seed } = run.config;
  const tasks = proposals.flatMap(({ newTask, planned }) =>
    newTask === null ? [] : [{ task: newTask, planned }],
  );
  const prompts = tasks.map(({ task }) => solutionPrompt(tools.pack, task, run.context.text));
  const tokens = await tools.policy.countTokens(prompts.map(messagesOf));
  const asked = tasks.map((entry, position) => ({
    ...entry,
    prompt: prompts[position] as NonNullable<(typeof prompts)[number]>,
    fits: (tokens[position] ?? 0) <= azr.maxPromptTokens,
  }));
  const rollouts = await tools.policy.generate(
    `s${run.step}/estimate`,
    asked
      .filter(({ fits }) => fits)
      .map(({ task, planned, prompt }) => ({
        key: task.id,
        messages: messagesOf(prompt),
        n: azr.estimateSamples,
        seed: rolloutSeed(seed, run.step, planned.batch, planned.index, 'estimate'),
      })),
    {
      temperature: azr.estimateSampling === 'greedy' ? 0 : azr.temperature,
      topP: azr.topP,
      topK: 0,
      maxNewTokens: azr.maxNewTokens,
    },
    tools.signal,
    () => {},
  );
  const byTask = new Map<string, Rollout[]>();
  for (const rollout of rollouts) byTask.set(rollout.key, [...(byTask.get(rollout.key) ?? []), rollout]);
  const estimates: Estimates = { rateOf: new Map(), records: [] };
  const verified = await Promise.all(
    asked.map(({ task }) => verifySamples(run, tools, task, byTask.get(task.id) ?? [])),
  );
  for (const [position, { task, planned, prompt }] of asked.entries()) {
    const records = (verified[position] ?? []).map(({ rollout, response, verdict }) =>
      rolloutRecord(
        run,
        {
          id: `${planned.id}/${rollout.index}`,
          batch: batchName('estimate', task.taskType),
          index: planned.index,
          sample: rollout.index,
          purpose: 'estimate',
          role: 'solver',
          taskType: task.taskType,
          taskId: task.id,
          user: prompt.user,
        },
        rollout,
        response,
        verdict,
      ),
    );
    // A proposal whose task fits into no prompt counts as unsolved, as in the original.
    const rate =
      records.length === 0
        ? 0
        : records.reduce((sum, { verdict }) => sum + verdict.accuracy, 0) / records.length;
    estimates.rateOf.set(task.id, rate);
    estimates.records.push(...records);
  }
  return estimates;
}

/** Equal answers to one task are verified once. The format is not asked of estimates, only an answer. */
async function verifySamples(
  run: RunInProgress,
  tools: StepTools,
  task: NewTask,
  rollouts: readonly Rollout[],
) {
  const { azr, sandbox } = run.config;
  const ordered = rollouts.toSorted((a, b) => a.index - b.index);
  const responses = ordered.map((rollout) => parseResponse(rollout.text, azr.validator));
  const distinct = [...new Set(responses.map((response) => response.answer))];
  const plans = distinct.map((answer) => planVerification(task, answer, azr));
  const verdicts = await runPlans(tools.runner, plans, limitsOf(sandbox));
  return ordered.map((rollout, position) => {
    const response = responses[position] as NonNullable<(typeof responses)[number]>;
    return {
      rollout,
      response,
      verdict: verdicts[distinct.indexOf(response.answer)] as NonNullable<(typeof verdicts)[number]>,
    };
  });
}
