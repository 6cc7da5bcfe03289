import {
  Failure,
  type CodeTaskType,
  type FixedTasksConfig,
  type TaskRecord,
} from '../../../electron/contract/index.ts';
import { rolloutSeed, sampleWithoutReplacement } from '../../../electron/core/index.ts';
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
} from '../../../electron/evolution/code-tasks/scoring.ts';
import { fixedTasks } from '../../../electron/evolution/frameworks/fixed-tasks/index.ts';
import {
  anyFramework,
  anyStage,
  type Framework,
  type Stage,
} from '../../../electron/evolution/loop/framework.ts';
import { batchStatistics } from '../../../electron/evolution/loop/supervision.ts';
import type { RELAY_STAGES } from './contract.ts';

/** The settings' type is that of fixed tasks: the contract's union knows this framework only while a test adds it. */
type Config = FixedTasksConfig;
type State = {
  tasks: CodeTaskState;
  /** Tasks that the newest marking found solvable; the third stage learns from these alone. */
  marked: readonly TaskRecord[];
};

type StageName = (typeof RELAY_STAGES)[number];

/**
 * Two weight sets pass work to each other, three steps a round: `first` learns from the tasks; `second` answers tasks and those
 * it solves are marked, which moves no weights; `second` learns from what was marked. Schedules of other frameworks have this shape.
 */
function relayStage(
  name: StageName,
  { generates, trains }: { generates: 'first' | 'second'; trains: 'first' | 'second' | null },
): Stage<Config, State, CodeTaskDetail, CodeTaskFound, null> {
  const batch = (taskType: CodeTaskType): string => `${name}_${taskType}`;
  const request = (
    run: Parameters<typeof solutionRequest>[0],
    pack: Parameters<typeof solutionRequest>[1],
    task: TaskRecord,
    index: number,
  ) => {
    const taskType = task.taskType as CodeTaskType;
    const id = `${run.step}/${batch(taskType)}/${index}`;
    const seed = rolloutSeed(run.config.seed, run.step, batch(taskType), index);
    return { ...solutionRequest(run, pack, { ...task, taskType }, index), id, batch: batch(taskType), seed };
  };
  return {
    name,
    generates,
    trains,
    batchSizes: ({ framework: { taskTypes, batchSize } }) =>
      taskTypes.map((taskType) => ({
        batch: batch(taskType),
        purpose: 'solve',
        role: 'solver',
        taskType,
        size: batchSize,
        measurements: 0,
      })),
    requests: (run, { pack }) =>
      run.config.framework.taskTypes.flatMap((taskType) => {
        const marked = run.state.marked.filter((task) => task.taskType === taskType);
        const tasks = name === 'learn' && marked.length > 0 ? marked : run.state.tasks.buffers.of(taskType);
        const order = sampleWithoutReplacement(
          tasks,
          tasks.length,
          run.config.seed,
          'relay',
          run.step,
          taskType,
        );
        return Array.from({ length: run.config.framework.batchSize }, (_, index) =>
          request(run, pack, order[index % order.length] as TaskRecord, index),
        );
      }),
    resample(_run, _draw, { id }) {
      throw new Failure('usage', `The prompt of ${id} is too long.`, 2);
    },
    score: (run, env, wanted, rollout) =>
      scoreSolution({ ...run, state: run.state.tasks }, env, wanted, rollout),
    measure: async () => ({ records: [], values: null }),
    rewards: (_run, scored) => scored.map(solutionReward),
    advantages: (config) => batchWhitening(config),
    reviewItems: codeTaskReviewItems,
    statistics: (_config, scored) => batchStatistics(scored),
    tasks: (_requests, scored) =>
      name === 'mark'
        ? scored.flatMap(({ request: { id, detail }, verdict }) =>
            detail.task === null || verdict.outcome !== 'passed'
              ? []
              : [
                  {
                    ...detail.task,
                    id: `${id}/marked`,
                    step: Number(id.split('/')[0]),
                    origin: 'marked',
                    rolloutId: id,
                  },
                ],
          )
        : [],
    metrics: (run) => ({ marked: run.state.marked.length }),
  };
}

const SCHEDULE = [
  relayStage('warm-up', { generates: 'first', trains: 'first' }),
  relayStage('mark', { generates: 'second', trains: null }),
  relayStage('learn', { generates: 'second', trains: 'second' }),
].map((stage) => anyStage(stage));

const relayed: Framework<Config, State> = {
  ...fixedTasks,
  roles: () => ['first', 'second'],
  begin: ({ framework: { bufferCap } }, tasks) => ({
    tasks: beginCodeTasks(
      { bufferFilter: 'all', taskChoice: 'uniform', references: 0, referenceSampling: 'uniform', bufferCap },
      tasks,
    ),
    marked: [],
  }),
  fold: (state, { tasks }) => ({
    tasks: addTasks(state.tasks, []),
    marked: tasks.length > 0 ? tasks : state.marked,
  }),
  stageAt: (_config, step) => ({
    stage: SCHEDULE[(step - 1) % SCHEDULE.length] as (typeof SCHEDULE)[number],
    iteration: Math.ceil(step / SCHEDULE.length),
  }),
  goldsOf: goldsOfTask,
};

export const relay = { ...anyFramework(relayed), name: 'relay' };
