import { codeBatchName, type AzrConfig, type CodeTaskType } from '../../../contract/index.ts';
import { proposerReward, rolloutSeed, type IntrinsicValues } from '../../../core/index.ts';
import { recordsPath, type PromptPack } from '../../../library/index.ts';
import { formatMetrics, uselessBatch } from '../../code-tasks/format-report.ts';
import { NO_INTRINSICS, rewardedIntrinsics } from '../../code-tasks/intrinsic.ts';
import { measureIntrinsics } from '../../code-tasks/measured-intrinsics.ts';
import { proposalMetrics, typeMetrics, validProposals } from '../../code-tasks/metrics.ts';
import { seedFileRow, tasksOfSeedFile } from '../../code-tasks/seed-file.ts';
import { tasksOfPolicy } from '../../code-tasks/own-seeds.ts';
import { seedTasks } from '../../code-tasks/seeds.ts';
import { literalStyleOf, proposalPrompt } from '../../code-tasks/prompts.ts';
import {
  addTasks,
  batchWhitening,
  beginCodeTasks,
  codeTaskReviewItems,
  goldsOfTask,
  scoreProposal,
  scoreSolution,
  solutionRequest,
  solutionReward,
  type CodeTaskDetail,
  type CodeTaskFound,
  type CodeTaskRequest,
  type CodeTaskState,
  type ScoredCodeTask,
} from '../../code-tasks/scoring.ts';
import { estimateSolveRates } from '../../code-tasks/solve-rates.ts';
import { definitionOf } from '../../code-tasks/task-types/registry.ts';
import { anyStage, type Framework, type Redraw, type Stage } from '../../loop/framework.ts';
import type { RunState } from '../../loop/run-state.ts';
import { batchStatistics } from '../../loop/supervision.ts';
import { withRewardedPrompts } from '../../rewarded-prompts/stage.ts';

type Run = RunState<AzrConfig, CodeTaskState>;

/** What the step measured of its valid proposals. */
type SelfPlayValues = {
  /** Solve rates by task. */
  rateOf: ReadonlyMap<string, number>;
  /** Tasks that no buffer takes: under azr-compat, those too long to be estimated, as in the original. */
  leftOut: ReadonlySet<string>;
  /** Intrinsic values by request. */
  intrinsics: ReadonlyMap<string, IntrinsicValues>;
};

const FIRST: Redraw = { number: 0, lastResort: false };

/**
 * Self-play: in every step the policy proposes tasks of each type and solves those it proposed in the step before
 * (azr_ray_trainer.py:fit).
 */
export const selfPlay: Stage<AzrConfig, CodeTaskState, CodeTaskDetail, CodeTaskFound, SelfPlayValues> = {
  name: 'self-play',
  generates: 'policy',
  trains: 'policy',

  batchSizes: ({ framework: { taskTypes, batchSize, estimateSamples } }) =>
    (['propose', 'solve'] as const).flatMap((purpose) =>
      taskTypes.map((taskType) => ({
        batch: codeBatchName(purpose, taskType),
        purpose,
        role: purpose === 'propose' ? ('proposer' as const) : ('solver' as const),
        taskType,
        size: batchSize,
        measurements: purpose === 'propose' ? estimateSamples : 0,
      })),
    ),

  requests(run, { pack }) {
    const { framework, seed } = run.config;
    const proposals = framework.taskTypes.flatMap((taskType) =>
      Array.from({ length: framework.batchSize }, (_, index) =>
        proposalRequest(run, pack, taskType, index, FIRST),
      ),
    );
    const solutions = framework.taskTypes.flatMap((taskType) =>
      run.state.buffers
        .chooseTasks(taskType, framework.batchSize, run.step, seed, 'tasks', run.step, taskType)
        .map((task, index) => solutionRequest(run, pack, { ...task, taskType }, index)),
    );
    return [...proposals, ...solutions];
  },

  resample(run, { pack }, request, redraw) {
    const { index, purpose, detail } = request;
    const { taskType } = detail;
    if (purpose === 'propose') return proposalRequest(run, pack, taskType, index, redraw);
    // The newest tasks may all be too long; two steps ahead nothing is new, so the whole buffer is drawn from.
    const step = redraw.lastResort ? run.step + 2 : run.step;
    const path = ['tasks', run.step, taskType, 'redraw', index, redraw.number];
    const [task] = run.state.buffers.chooseTasks(taskType, 1, step, run.config.seed, ...path);
    return task === undefined ? request : solutionRequest(run, pack, { ...task, taskType }, index);
  },

  score: (run, env, request, rollout) =>
    (request.purpose === 'propose' ? scoreProposal : scoreSolution)(run, env, request, rollout),

  async measure(run, env, scored) {
    const proposals = scored.filter(({ request }) => request.purpose === 'propose');
    const { rateOf, tooLong, records } = await estimateSolveRates(run, env, proposals);
    const leftOut: ReadonlySet<string> =
      run.config.framework.validator === 'azr-compat' ? tooLong : new Set();
    const intrinsics = await measureIntrinsics(run, env, proposals, leftOut);
    return { records, values: { rateOf, leftOut, intrinsics } };
  },

  rewards: ({ config: { framework } }, scored, values) =>
    scored.map((one) =>
      one.request.purpose === 'propose' ? proposalReward(one, values, framework) : solutionReward(one),
    ),

  advantages: (config) => batchWhitening(config),

  reviewItems: codeTaskReviewItems,

  statistics: ({ framework: { estimateSamples } }, batch, { rateOf }) =>
    batchStatistics(batch, solveRateHistogram(batch, rateOf, estimateSamples)),

  tasks: (_requests, scored, { rateOf, leftOut }) =>
    scored.flatMap(({ found: { newTask } }) =>
      newTask === null || leftOut.has(newTask.id)
        ? []
        : [{ ...newTask, solveRate: rateOf.get(newTask.id) ?? null }],
    ),

  metrics({ config: { framework }, state }, { trained, tasks, values }) {
    const proposals = validProposals(tasks, values.intrinsics);
    return Object.assign(
      typeMetrics(state.counters),
      formatMetrics(framework, trained),
      ...framework.taskTypes.map((taskType) =>
        proposalMetrics(taskType, trained, proposals, framework.learnability),
      ),
    );
  },
};

/** Absolute Zero Reasoner: nothing but seeds comes from outside. */
export const azr: Framework<AzrConfig, CodeTaskState> = {
  name: 'azr',
  roles: () => ['policy'],
  withAbsolutePaths: (config) =>
    isFile(config.seeds) ? { ...config, seeds: recordsPath(config.seeds, seedFileRow) } : config,
  saysItsStart: ({ seeds }) => seeds !== undefined,
  // Where the policy is not to be asked, the embedded seeds stand in for its own.
  init: async (config, { seeding, ...init }) =>
    isFile(config.framework.seeds)
      ? tasksOfSeedFile(config, config.framework.seeds, init)
      : config.framework.seeds === OWN && seeding !== undefined
        ? tasksOfPolicy(config, { ...init, seeding })
        : seedTasks(init.seeds(), literalStyleOf(config.policy.promptPack), config.framework.taskTypes),
  begin: ({ framework }, tasks) => beginCodeTasks(framework, tasks),
  fold: (state, { tasks }) => addTasks(state, tasks),
  stageAt: () => ({ stage: STAGE, iteration: 1 }),
  goldsOf: goldsOfTask,
  uselessBatch,
  scaledDown: (config, rollouts) => ({
    ...config,
    batchSize: Math.max(1, Math.min(config.batchSize, Math.floor(rollouts / (2 * config.taskTypes.length)))),
  }),
  workload: ({ taskTypes, batchSize, estimateSamples, references }) => [
    taskTypes,
    batchSize,
    estimateSamples,
    references,
  ],
};

const OWN = 'own';
const isFile = (seeds: string | undefined): seeds is string =>
  seeds !== undefined && seeds !== 'embedded' && seeds !== OWN;

const STAGE = anyStage(withRewardedPrompts(selfPlay));

/** The references may be what makes a prompt too long, so the last resort is to show none. */
function proposalRequest(
  run: Run,
  pack: PromptPack,
  taskType: CodeTaskType,
  index: number,
  redraw: Redraw,
): CodeTaskRequest {
  const { config, step, state, context } = run;
  const basis = definitionOf(taskType).drawBasis(state.buffers, {
    seed: config.seed,
    path: ['references', step, taskType, index, redraw.number],
    references: !redraw.lastResort,
  });
  const batch = codeBatchName('propose', taskType);
  return {
    id: `${step}/${batch}/${index}`,
    batch,
    index,
    purpose: 'propose',
    role: 'proposer',
    taskType,
    taskId: null,
    attempt: 1,
    group: null,
    prompt: proposalPrompt(pack, { ...config.framework, taskType, ...basis }, context.text, config.framework),
    seed: rolloutSeed(config.seed, step, batch, index),
    detail: { taskType, task: null, ...basis },
  };
}

function proposalReward(
  { request, response, found: { newTask } }: ScoredCodeTask,
  { rateOf, intrinsics }: SelfPlayValues,
  config: AzrConfig,
): number {
  const outcome = {
    formatOk: response.formatOk,
    valid: newTask !== null,
    solveRate: newTask === null ? null : (rateOf.get(newTask.id) ?? 0),
    intrinsic: rewardedIntrinsics(
      request.detail.taskType,
      intrinsics.get(request.id) ?? NO_INTRINSICS,
      config.intrinsic,
    ),
  };
  return proposerReward(outcome, config);
}

/** Counts of solve rates 0, 1/n, …, 1 over n estimates; empty where nothing was estimated. */
function solveRateHistogram(
  batch: readonly ScoredCodeTask[],
  rateOf: ReadonlyMap<string, number>,
  estimateSamples: number,
): number[] {
  const rates = batch.flatMap(({ found: { newTask } }) => {
    const rate = newTask === null ? undefined : rateOf.get(newTask.id);
    return rate === undefined ? [] : [rate];
  });
  if (rates.length === 0) return [];
  const histogram = new Array<number>(estimateSamples + 1).fill(0);
  for (const rate of rates) {
    const bin = Math.round(rate * estimateSamples);
    histogram[bin] = (histogram[bin] ?? 0) + 1;
  }
  return histogram;
}
