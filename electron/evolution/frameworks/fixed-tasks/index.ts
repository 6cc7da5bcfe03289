import {
  codeBatchName,
  type CodeTaskType,
  type FixedTasksConfig,
  type TaskRecord,
} from '../../../contract/index.ts';
import { sampleWithoutReplacement, uniformIndex } from '../../../core/index.ts';
import { recordsPath } from '../../../library/index.ts';
import { formatMetrics, uselessBatch } from '../../code-tasks/format-report.ts';
import { typeMetrics } from '../../code-tasks/metrics.ts';
import {
  addTasks,
  batchWhitening,
  beginCodeTasks,
  codeTaskReviewItems,
  goldsOfTask,
  scoreSolution,
  solutionRequest,
  solutionReward,
  type CodeTaskDetail,
  type CodeTaskFound,
  type CodeTaskState,
} from '../../code-tasks/scoring.ts';
import { seedRecordSchema } from '../../code-tasks/seeds.ts';
import { anyStage, type Framework, type Stage } from '../../loop/framework.ts';
import type { RunState } from '../../loop/run-state.ts';
import { batchStatistics } from '../../loop/supervision.ts';
import { withRewardedPrompts } from '../../rewarded-prompts/stage.ts';
import { verifiedTasks } from './verified-tasks.ts';

/** Practice: the same solver batches, sizes, rewards and supervision as self-play's, on tasks that stay the same. */
const practice: Stage<FixedTasksConfig, CodeTaskState, CodeTaskDetail, CodeTaskFound, null> = {
  name: 'practice',
  generates: 'policy',
  trains: 'policy',
  batchSizes: ({ framework: { taskTypes, batchSize } }) =>
    taskTypes.map((taskType) => ({
      batch: codeBatchName('solve', taskType),
      purpose: 'solve',
      role: 'solver',
      taskType,
      size: batchSize,
      measurements: 0,
    })),
  requests: (run, { pack }) =>
    run.config.framework.taskTypes.flatMap((taskType) =>
      tasksOfStep(run, taskType).map((task, index) =>
        solutionRequest(run, pack, { ...task, taskType }, index),
      ),
    ),
  resample(run, { pack }, { index, detail: { taskType } }, { number }) {
    const { seed } = run.config;
    const tasks = run.state.buffers.of(taskType);
    const place = uniformIndex(
      tasks.length,
      seed,
      'fixed-tasks',
      run.step,
      taskType,
      'redraw',
      index,
      number,
    );
    return solutionRequest(run, pack, { ...(tasks[place] as TaskRecord), taskType }, index);
  },
  score: scoreSolution,
  measure: async () => ({ records: [], values: null }),
  rewards: (_run, scored) => scored.map(solutionReward),
  advantages: (config) => batchWhitening(config),
  reviewItems: codeTaskReviewItems,
  statistics: (_config, batch) => batchStatistics(batch),
  tasks: () => [],
  metrics: ({ state, config }, { trained }) => ({
    ...typeMetrics(state.counters),
    ...formatMetrics(config.framework, trained),
  }),
};

/** Nothing is proposed, so nothing enters or leaves the buffers: they hold the tasks that were verified. */
const UNCHANGING = {
  bufferFilter: 'all',
  taskChoice: 'uniform',
  references: 0,
  referenceSampling: 'uniform',
} as const;

/**
 * Reinforcement on tasks that stay the same, without a proposer: the control arm of self-proposal. Each type goes through its
 * tasks in an order of its own, all of them before any comes again.
 */
export const fixedTasks: Framework<FixedTasksConfig, CodeTaskState> = {
  name: 'fixed-tasks',
  roles: () => ['policy'],
  withAbsolutePaths: (config) =>
    config.tasks === undefined ? config : { ...config, tasks: recordsPath(config.tasks, seedRecordSchema) },
  init: (config, init) => verifiedTasks(config, init),
  begin: ({ framework: { bufferCap } }, tasks) => beginCodeTasks({ ...UNCHANGING, bufferCap }, tasks),
  fold: (state, { tasks }) => addTasks(state, tasks),
  stageAt: () => ({ stage: STAGE, iteration: 1 }),
  goldsOf: goldsOfTask,
  uselessBatch,
  scaledDown: (config, rollouts) => ({
    ...config,
    batchSize: Math.max(1, Math.min(config.batchSize, Math.floor(rollouts / config.taskTypes.length))),
  }),
  workload: ({ taskTypes, batchSize }) => [taskTypes, batchSize],
};

const STAGE = anyStage(withRewardedPrompts(practice));

/** The next tasks of an endless sequence of passes, each pass in another random order. */
function tasksOfStep(
  { state, config, step }: RunState<FixedTasksConfig, CodeTaskState>,
  taskType: CodeTaskType,
): TaskRecord[] {
  const count = config.framework.batchSize;
  const tasks = state.buffers.of(taskType);
  const orders = new Map<number, TaskRecord[]>();
  return Array.from({ length: count }, (_, index) => {
    const place = (step - 1) * count + index;
    const pass = Math.floor(place / tasks.length);
    const order =
      orders.get(pass) ??
      sampleWithoutReplacement(tasks, tasks.length, config.seed, 'fixed-tasks', taskType, pass);
    orders.set(pass, order);
    return order[place % tasks.length] as TaskRecord;
  });
}
