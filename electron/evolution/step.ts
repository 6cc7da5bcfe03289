import { basename } from 'node:path';
import {
  ONLY_STAGE,
  POLICY_ROLE,
  BATCH_NAMES,
  type RolloutRecord,
  type StepCommit,
  type SummaryRecord,
  type TaskRecord,
} from '../contract/index.ts';
import { rolloutSeed } from '../core/index.ts';
import { summarizeBatch, updateContext } from '../supervision/index.ts';
import { estimateSolveRates } from './stages/estimate.ts';
import type { RunInProgress, StepTools } from './in-progress.ts';
import { intrinsicsOf, stepMetrics } from './stages/metrics.ts';
import { planPrompts } from './stages/plan-prompts.ts';
import { messagesOf, type PlannedRollout } from './stages/planned-rollout.ts';
import {
  batchStatistics,
  openSupervision,
  supervisedItems,
  supervisedStatistics,
  type Supervision,
} from './stages/reviewing.ts';
import { scoreRollouts, type Scored } from './stages/rewards.ts';
import { rolloutRecord } from './stages/rollout-records.ts';
import { settle, type SettledRollout } from './stages/settle.ts';
import { stepHash } from './stages/step-hash.ts';
import { Stopwatch } from './stages/stopwatch.ts';

/**
 * One step of supervised self-evolution (ANCHOR around any framework), from prompts to the commit that makes it count. The result
 * is a function of the run's state alone; nothing is stored here, so a step that is cut off leaves no trace and is simply taken again.
 */
export async function evolveStep(run: RunInProgress, tools: StepTools): Promise<StepCommit> {
  const { config, step, context } = run;
  const startedAt = tools.clock.now().toISOString();
  const watch = new Stopwatch(tools.clock);

  // 1. Every prompt of the step is drawn under C_t before anything is generated; which ones is the framework's choice.
  const planned = await watch.time('prompts', () => planPrompts(run, tools));

  // 2. One continuous batch; each rollout is judged and offered to the supervisor as soon as it is there.
  let reviewedSeconds = 0;
  const openReviews = (): Supervision =>
    openSupervision(run, tools, (review) => {
      // A person's questions wait beside each other, so their times do not add up; the step's wait for them is in supervise_wait.
      if (review.reviewer === tools.reviewer?.kind) reviewedSeconds += review.milliseconds / 1000;
      tools.onReview(review);
    });
  using supervision = openReviews();
  const firstTry = await watch.time('gen', () =>
    generateAndSettle(run, tools, planned, (settled) => {
      supervision.offer(supervisedItems(settled));
      tools.onRollout(recordOf(run, settled, null, null));
    }),
  );

  // 3. Items the supervisor sent back are generated once more, when the run is set to do so.
  const enforced = config.supervision.retry === 'enforce';
  const earlier = enforced ? await supervision.finish() : [];
  const sentBack = new Set(
    earlier
      .filter((review) => review.status === 'done' && review.decision === 'retry')
      .map((review) => review.rolloutId),
  );
  const retried = await watch.time('retry', () =>
    retryItems(
      run,
      tools,
      firstTry.filter(({ planned: { id } }) => sentBack.has(id)),
    ),
  );
  const trained = firstTry.map((settled) => retried.get(settled.planned.id) ?? settled);

  // 4. How hard the proposed tasks are for the policy as it is; nothing to ask where nothing is proposed.
  const estimates = await watch.time('estimate', () =>
    estimateSolveRates(
      run,
      tools,
      trained.filter(({ planned: { purpose } }) => purpose === 'propose'),
    ),
  );

  // 5. Rewards and advantages, then the statistics the exec phase reviews.
  const intrinsics = intrinsicsOf(run, trained);
  const scored = scoreRollouts(config, trained, estimates.rateOf, intrinsics);
  using secondRound = enforced ? openReviews() : null;
  const lastReviews = secondRound ?? supervision;
  for (const batch of batchesOf(trained)) {
    lastReviews.offer([
      supervisedStatistics(
        run,
        batch[0].planned,
        batchStatistics(batch, estimates.rateOf, config.azr.estimateSamples),
      ),
    ]);
  }

  // 6. The weights move while the last reviews are written.
  tools.onProgress('update', 0, 1);
  const update = await watch.time('update_actor', () =>
    tools.policy.update(
      `s${step}/update`,
      scored.map(({ settled, advantage }) => ({ rolloutId: settled.rollout.rolloutId, advantage })),
    ),
  );
  const folder = tools.checkpointFolder(step);
  const saved = await watch.time('save_checkpoint', () => tools.policy.save(folder));
  if (tools.reviewer !== null) tools.onProgress('supervise', 0, 1);
  const reviews = [...earlier, ...(await watch.time('supervise_wait', () => lastReviews.finish()))];

  // 7. Feedback becomes summaries, summaries become C_{t+1}.
  const passed = new Set(
    firstTry.filter(({ verdict }) => verdict.outcome === 'passed').map(({ planned: { id } }) => id),
  );
  const summaries: SummaryRecord[] =
    tools.reviewer === null
      ? []
      : batchesOf(trained).map((batch) =>
          summarizeBatch({
            step,
            batch: batch[0].planned.batch,
            scope: config.supervision.summaryScope,
            reviews,
            passed: (rolloutId) => passed.has(rolloutId),
          }),
        );
  const nextContext = await watch.time('context', () =>
    updateContext({
      context,
      summaries,
      config: config.supervision,
      vocabulary: tools.guidance,
      pack: tools.pack,
      countTokens: async (text) =>
        (await tools.policy.countTokens([[{ role: 'system', content: text }]]))[0] ?? 0,
    }),
  );

  // 8. Everything the step adds, as one commit.
  const tasks = [...ratedTasks(planned), ...proposedTasks(trained, estimates.rateOf)];
  const replaced = firstTry
    .filter(({ planned: { id } }) => retried.has(id))
    .map((settled) => recordOf(run, { ...settled, newTask: null }, null, null));
  const rollouts = [
    ...scored.map(({ settled, reward, advantage }) => recordOf(run, settled, reward, advantage)),
    ...replaced,
    ...estimates.records,
  ];
  const checkpoint = {
    step,
    role: POLICY_ROLE,
    version: update.version,
    folder: basename(folder),
    weightsSha256: saved.weightsSha256,
    bytes: saved.bytes,
    files: saved.files,
  };
  const commit = { tasks, rollouts, reviews, summaries, nextContext, checkpoint };
  watch.lap('step');
  watch.seconds['supervise'] = reviewedSeconds;
  watch.seconds['supervise_hidden'] = Math.max(0, reviewedSeconds - (watch.seconds['supervise_wait'] ?? 0));
  return {
    ...commit,
    step: {
      step,
      startedAt,
      finishedAt: tools.clock.now().toISOString(),
      contextHash: context.hash,
      stage: ONLY_STAGE[config.framework] ?? 'self-play',
      iteration: 1,
      role: POLICY_ROLE,
      weightsSha256: saved.weightsSha256,
      stepHash: stepHash(run.previousHash, commit, step, context.hash),
      timings: watch.seconds,
      metrics: stepMetrics(run, { rollouts, tasks, reviews, update, intrinsics }),
    },
  };
}

/** The rated prompts of the step, each once however many answers to it are trained on. */
function ratedTasks(planned: readonly PlannedRollout[]): TaskRecord[] {
  return [
    ...new Map(
      planned.flatMap(({ task }) => (task?.origin === 'pressure' ? [[task.id, task] as const] : [])),
    ).values(),
  ];
}

/** The tasks that valid proposals became, with their solve rates. */
function proposedTasks(
  trained: readonly SettledRollout[],
  rateOf: ReadonlyMap<string, number>,
): TaskRecord[] {
  return trained.flatMap(({ newTask }) =>
    newTask === null ? [] : [{ ...newTask, solveRate: rateOf.get(newTask.id) ?? null }],
  );
}

/** Generates trained rollouts as one batch and judges each while others are still being written. Order of the result = order asked. */
async function generateAndSettle(
  run: RunInProgress,
  tools: StepTools,
  planned: readonly PlannedRollout[],
  onSettled: (settled: SettledRollout) => void,
): Promise<SettledRollout[]> {
  const { azr } = run.config;
  const byKey = new Map(planned.map((entry) => [entry.id, entry]));
  const settling = new Map<string, Promise<SettledRollout>>();
  const opKey = `s${run.step}/${planned[0]?.attempt === 2 ? 'retry' : 'trained'}`;
  await tools.policy.generate(
    opKey,
    planned.map(({ id, prompt, seed, batch }) => ({
      key: id,
      messages: messagesOf(prompt),
      seed,
      tag: batch,
    })),
    { temperature: azr.temperature, topP: azr.topP, topK: 0, maxNewTokens: azr.maxNewTokens },
    tools.signal,
    (rollout) => {
      const entry = byKey.get(rollout.key);
      if (entry === undefined) return;
      const settled = settle(run, tools, entry, rollout);
      settling.set(entry.id, settled);
      settled.then(onSettled, () => {}); // a failure is met below, where all are awaited
      tools.onProgress('generate', settling.size, planned.length);
    },
  );
  return Promise.all(
    planned.map(({ id }) => settling.get(id) ?? Promise.reject(new Error(`No rollout came back for ${id}.`))),
  );
}

/** Items sent back, by the id of their first try, generated once with another seed. */
async function retryItems(
  run: RunInProgress,
  tools: StepTools,
  sentBack: readonly SettledRollout[],
): Promise<Map<string, SettledRollout>> {
  if (sentBack.length === 0) return new Map();
  const planned = sentBack.map(({ planned: entry }) => ({
    ...entry,
    id: `${entry.id}/r1`,
    attempt: 2 as const,
    seed: rolloutSeed(run.config.seed, run.step, entry.batch, entry.index, 'retry'),
  }));
  const settled = await generateAndSettle(run, tools, planned, () => {});
  return new Map(
    settled.map((entry, position) => [(sentBack[position] as SettledRollout).planned.id, entry]),
  );
}

/** Settled rollouts by batch, in the fixed order of batches; no batch is empty. */
function batchesOf(settled: readonly SettledRollout[]): [SettledRollout, ...SettledRollout[]][] {
  return BATCH_NAMES.map((name) => settled.filter(({ planned: { batch } }) => batch === name)).filter(
    (batch): batch is [SettledRollout, ...SettledRollout[]] => batch.length > 0,
  );
}

function recordOf(
  run: RunInProgress,
  settled: SettledRollout,
  reward: Scored['reward'] | null,
  advantage: Scored['advantage'] | null,
): RolloutRecord {
  const { planned, rollout, response, verdict, newTask } = settled;
  const { id, batch, index, attempt, purpose, role, taskType, prompt, task } = planned;
  return rolloutRecord(
    run,
    {
      id,
      batch,
      index,
      sample: attempt === 2 ? 1 : null,
      purpose,
      role,
      taskType,
      taskId: task?.id ?? newTask?.id ?? null,
      user: prompt.user,
    },
    rollout,
    response,
    verdict,
    reward,
    advantage,
  );
}
