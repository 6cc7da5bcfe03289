import { basename } from 'node:path';
import {
  BATCHES,
  samplingOf,
  type CheckpointRecord,
  type ReviewRecord,
  type StepCommit,
} from '../../contract/index.ts';
import { rolloutSeed } from '../../core/index.ts';
import type { UpdateResult } from '../../processes/index.ts';
import { execItem, type SupervisedItem } from '../../supervision/index.ts';
import {
  generateItem,
  wholeRollout,
  type AnyFramework,
  type AnyStage,
  type CountedBatch,
  type RolloutRequest,
  type ScoredRollout,
} from './framework.ts';
import { positionMetrics, stepMetrics } from './metrics.ts';
import { nextContextOf } from './next-context.ts';
import { GenerationLog } from './generation-log.ts';
import { ProgramTimes } from './program-times.ts';
import { buildBatch } from './requests.ts';
import { recordOf } from './rollout-records.ts';
import type { RunState, StepContext } from './run-state.ts';
import { stepHash } from './step-hash.ts';
import { Stopwatch } from './stopwatch.ts';
import { openSupervision, ReviewCap, StepQueue, type Supervision } from './supervision.ts';

/**
 * One step of supervised self-evolution (ANCHOR around any framework), from prompts to the commit that makes it count. The result
 * is a function of the run's state alone; nothing is stored here, so a step that is cut off leaves no trace and is simply taken again.
 */
export async function evolveStep(
  framework: AnyFramework,
  run: RunState,
  outside: StepContext,
): Promise<StepCommit> {
  const log = new GenerationLog(outside.clock);
  const programs = new ProgramTimes(outside.runner, outside.clock);
  const env: StepContext = {
    ...outside,
    weights: (role) => log.heard(outside.weights(role)),
    runner: programs.runner,
  };
  const { config, step, context } = run;
  const { stage, iteration, position, beginsAnew = false } = framework.stageAt(config, step);
  const startedAt = env.clock.now().toISOString();
  const watch = new Stopwatch(env.clock);
  const roles = framework.roles(config.framework);
  const movedSeconds = (): number => roles.reduce((sum, role) => sum + outside.weights(role).movedSeconds, 0);
  const movedBefore = movedSeconds();

  // 1. Every prompt of the step is drawn under C_t before anything is generated; which ones is the stage's choice.
  const requests = await watch.time('prompts', () => buildBatch(run, env, stage));

  // 2. One continuous batch; each rollout is judged and offered to the supervisor as soon as it is there.
  let reviewedSeconds = 0;
  const queue = new StepQueue(env, config.supervision.budgetSeconds);
  const cap = new ReviewCap(run, stage, env.rewardedPrompts);
  const openReviews = (): Supervision =>
    openSupervision(run, env, queue, cap, (review) => {
      // A person answers several questions at a time, so their times do not add up; the step's wait for them is in supervise_wait.
      if (review.reviewer === env.reviewer?.kind) reviewedSeconds += review.milliseconds / 1000;
      env.onReview(review);
    });
  using supervision = openReviews();
  const firstTry = await watch.time('gen', () =>
    generateAndScore(run, env, stage, requests, (scored) => {
      supervision.offer(stage.reviewItems(scored));
      env.onRollout(recordOf(run, scored));
    }),
  );

  // 3. Items the supervisor sent back are generated once more, when the run is set to do so.
  const enforced = config.supervision.retry === 'enforce';
  const reviewsOf = (round: Supervision): Promise<ReviewRecord[]> => {
    if (env.reviewer !== null) env.onProgress('supervise', 0, 1);
    return watch.time('supervise_wait', () => queue.wait(() => round.finish()));
  };
  const earlier = enforced ? await reviewsOf(supervision) : [];
  const sentBack = new Set(
    earlier
      .filter((review) => review.status === 'done' && review.decision === 'retry')
      .map((review) => review.rolloutId),
  );
  const retried = await watch.time('retry', () =>
    retryRollouts(
      run,
      env,
      stage,
      firstTry.filter(({ request: { id } }) => sentBack.has(id)),
    ),
  );
  const tried = firstTry.map((first) => retried.get(first.request.id) ?? first);

  // 4. What the stage asks of the weights as they are, such as how hard the proposed tasks are.
  using secondRound = enforced ? openReviews() : null;
  const lastReviews = secondRound ?? supervision;
  const offered: SupervisedItem[] = [];
  const measured = await watch.time('estimate', () =>
    stage.measure(run, env, tried, (items) => {
      offered.push(...items);
      lastReviews.offer(items);
    }),
  );
  const { values, records, revised } = measured;
  const scored = tried.map((one) => ({ ...one, ...revised?.get(one.request.id) }));

  // 5. Rewards and advantages, then the statistics the exec phase reviews.
  const rewarded = rewardRollouts(run, stage, scored, values);
  const counted = [
    ...batchesOf(scored).map((batch): CountedBatch => {
      const { request } = batch[0];
      const { role, taskType } = request;
      return { batch: request.batch, role, taskType, statistics: stage.statistics(config, batch, values) };
    }),
    ...(measured.batches ?? []),
  ];
  lastReviews.offer(
    counted.map(({ batch, role, taskType, statistics }) => ({
      item: execItem(step, batch, role, taskType, statistics),
    })),
  );

  // 6. The weights move while the last reviews are written, and are saved beside what follows.
  const trained = await train(run, env, stage, rewarded, beginsAnew, watch);
  const reviews = [...earlier, ...(await reviewsOf(lastReviews))];

  // 7. Feedback becomes summaries, summaries become C_{t+1}.
  const passed = new Set([
    ...firstTry.filter(({ verdict }) => verdict.outcome === 'passed').map(({ request: { id } }) => id),
    ...records.filter(({ verdict }) => verdict.outcome === 'passed').map(({ id }) => id),
  ]);
  const { summaries, wordings, nextContext } = await watch.time('context', () =>
    nextContextOf(run, env, {
      stage,
      batches: counted,
      items: () => [...scored.flatMap((one) => stage.reviewItems(one)), ...offered],
      reviews,
      passed: (rolloutId) => passed.has(rolloutId),
      isFrozen: (at) => framework.stageAt(config, at).stage.freezesContext === true,
    }),
  );

  // 8. Everything the step adds, as one commit, once its checkpoint is whole on the disk.
  // Counted is what the step waits for it, so that its parts are parts of it.
  const checkpoint = trained === null ? null : await watch.time('save_checkpoint', () => trained.saving);
  const tasks = stage.tasks(requests, scored, values);
  const replaced = firstTry
    .filter(({ request: { id } }) => retried.has(id))
    .map((first) => recordOf(run, { ...first, taskId: first.request.taskId }));
  const rollouts = [
    ...rewarded.map(({ scored: one, reward, advantage }) => recordOf(run, one, reward, advantage)),
    ...replaced,
    ...records,
  ];
  const commit = {
    tasks,
    rollouts,
    reviews,
    summaries,
    wordings,
    nextContext,
    checkpoint,
  };
  watch.lap('step');
  // Within the parts that asked for the weights, as those of programs are.
  const moved = movedSeconds() - movedBefore;
  if (moved > 0) watch.seconds['move_weights'] = moved;
  watch.seconds['supervise'] = reviewedSeconds;
  watch.seconds['supervise_hidden'] = Math.max(0, reviewedSeconds - (watch.seconds['supervise_wait'] ?? 0));
  const withReward = rollouts.filter((rollout) => rollout.reward !== null);
  const ofStage = stage.metrics(run, { trained: withReward, tasks, values });
  return {
    ...commit,
    generations: log.of(rollouts),
    step: {
      step,
      stage: stage.name,
      iteration,
      role: stage.trains,
      startedAt,
      finishedAt: env.clock.now().toISOString(),
      contextHash: context.hash,
      weightsSha256: checkpoint?.weightsSha256 ?? null,
      stepHash: stepHash(roles, run.previousHash, commit, {
        step,
        stage: stage.name,
        iteration,
        contextHash: context.hash,
      }),
      timings: { ...watch.seconds, ...programs.seconds },
      metrics: stepMetrics(run, {
        trained: withReward,
        reviews,
        update: trained?.update ?? null,
        ofStage: { ...ofStage, ...cap.metrics(), ...positionMetrics(iteration, position) },
      }),
    },
  };
}

/** Generates trained rollouts as one batch and judges each while others are still being written. Order of the result = order asked. */
async function generateAndScore(
  run: RunState,
  env: StepContext,
  stage: AnyStage,
  requests: readonly RolloutRequest[],
  onScored: (scored: ScoredRollout) => void,
): Promise<ScoredRollout[]> {
  const { generation } = run.config;
  const { maxNewTokens } = generation;
  const ofStage = stage.sampling?.(run.config);
  const { temperature, topP, topK } = ofStage ?? { ...generation, topK: 0 };
  const byKey = new Map(requests.map((request) => [request.id, request]));
  const scoring = new Map<string, Promise<ScoredRollout>>();
  const opKey = `s${run.step}/${requests[0]?.attempt === 2 ? 'retry' : 'trained'}`;
  await env.weights(stage.generates).generate(
    opKey,
    requests.map(({ id, prompt, seed, batch, role }) => ({
      key: id,
      ...generateItem(prompt),
      seed,
      tag: batch,
      ...(ofStage !== undefined || generation.roles === undefined ? {} : samplingOf(generation, role)),
    })),
    { temperature, topP, topK, maxNewTokens },
    env.signal,
    (rollout) => {
      const request = byKey.get(rollout.key);
      if (request === undefined) return;
      const scored = stage.score(run, env, request, wholeRollout(request.prompt, rollout));
      scoring.set(request.id, scored);
      scored.then(onScored, () => {}); // the failure is thrown below, where all are awaited
      env.onProgress('generate', scoring.size, requests.length);
    },
  );
  return Promise.all(
    requests.map(({ id }) => scoring.get(id) ?? Promise.reject(new Error(`No rollout came back for ${id}.`))),
  );
}

/** Rollouts sent back, by the id of their first try, generated once with another seed. */
async function retryRollouts(
  run: RunState,
  env: StepContext,
  stage: AnyStage,
  sentBack: readonly ScoredRollout[],
): Promise<Map<string, ScoredRollout>> {
  if (sentBack.length === 0) return new Map();
  const requests = sentBack.map(({ request }) => ({
    ...request,
    id: `${request.id}/r1`,
    attempt: 2 as const,
    seed: rolloutSeed(run.config.seed, run.step, request.batch, request.index, 'retry'),
  }));
  const scored = await generateAndScore(run, env, stage, requests, () => {});
  return new Map(scored.map((entry, position) => [(sentBack[position] as ScoredRollout).request.id, entry]));
}

type RewardedRollout = { scored: ScoredRollout; reward: number | null; advantage: number | null };

/** Rewards of all trained rollouts, and their advantages batch by batch as the stage has them. */
function rewardRollouts(
  run: RunState,
  stage: AnyStage,
  scored: readonly ScoredRollout[],
  values: unknown,
): RewardedRollout[] {
  const rewards = stage.rewards(run, scored, values);
  const rewarded = scored.map((one, position): RewardedRollout => ({
    scored: one,
    reward: rewards[position] as number | null,
    advantage: null,
  }));
  const paid = rewarded.filter((one): one is RewardedRollout & { reward: number } => one.reward !== null);
  for (const [batch, members] of Map.groupBy(paid, (one) => one.scored.request.batch)) {
    const advantages = stage.advantages(
      run.config,
      batch,
    )(
      members.map(({ scored: { request, rollout }, reward }) => ({
        reward,
        tokens: rollout.newTokens,
        group: request.group ?? request.id,
      })),
    );
    members.forEach((member, index) => {
      member.advantage = advantages[index] as number;
    });
  }
  return rewarded;
}

/** The update of the stage's own weights and their checkpoint, which is still being written; null where a stage trains nothing. */
async function train(
  run: RunState,
  env: StepContext,
  stage: AnyStage,
  rewarded: readonly RewardedRollout[],
  beginsAnew: boolean,
  watch: Stopwatch,
): Promise<{ update: UpdateResult; saving: Promise<CheckpointRecord> } | null> {
  const role = stage.trains;
  if (role === null) return null;
  const { step, config } = run;
  const { optimizerEvery = 1 } = config.checkpoints;
  const weights = env.weights(role);
  env.onProgress('update', 0, 1);
  const update = await watch.time('update_actor', () =>
    weights.update(
      `s${step}/update`,
      rewarded.map(({ scored: { rollout }, advantage }) => ({
        rolloutId: rollout.rolloutId,
        advantage: advantage ?? 0,
      })),
      beginsAnew,
    ),
  );
  const folder = env.checkpointFolder(step);
  const saving = weights
    .save(folder, beginsAnew || update.version % optimizerEvery === 0)
    .then((saved) => ({ step, role, version: update.version, folder: basename(folder), ...saved }));
  saving.catch(() => {}); // the failure is thrown where it is awaited
  return { update, saving };
}

/** Scored rollouts by batch, in the order that frameworks declare; no batch is empty. */
function batchesOf(scored: readonly ScoredRollout[]): [ScoredRollout, ...ScoredRollout[]][] {
  return BATCHES.map(({ name }) => scored.filter(({ request: { batch } }) => batch === name)).filter(
    (batch): batch is [ScoredRollout, ...ScoredRollout[]] => batch.length > 0,
  );
}
