import { resolve } from 'node:path';
import { z } from 'zod';
import { isRated, type CodeTaskType, type TaskRecord } from '../../contract/index.ts';
import { sampleWithoutReplacement, uniformIndex } from '../../core/index.ts';
import type { Framework } from '../framework.ts';
import type { RunInProgress } from '../in-progress.ts';
import { planSolution } from '../stages/planned-rollout.ts';
import { verifiedTasks } from './verified-tasks.ts';

const settingsSchema = z.strictObject({
  /** JSON Lines of the form of resources/suites/seeds.jsonl; without it, the seeds themselves. */
  tasks: z
    .string()
    .min(1)
    .transform((path) => resolve(path))
    .optional(),
});

/**
 * Reinforcement on tasks that stay the same, without a proposer: the control arm of self-proposal. The same solver batches, sizes,
 * rewards and supervision as AZR's. Each type goes through its tasks in an order of its own, all of them before any comes again.
 */
export const fixedTasks: Framework = {
  name: 'fixed-tasks',
  settings: settingsSchema as z.ZodType<z.infer<typeof settingsSchema>>,
  begin: (config, beginning) =>
    verifiedTasks(config, settingsSchema.parse(config.frameworkSettings ?? {}).tasks ?? null, beginning),
  batches: ({ azr: { taskTypes, batchSize } }) =>
    taskTypes.map((taskType) => ({ purpose: 'solve', taskType, size: batchSize })),
  draw(run, pack) {
    return fixedTasks
      .batches(run.config)
      .flatMap(({ taskType, size }) =>
        tasksOfStep(run, taskType, size).map((task, index) =>
          planSolution(run, pack, { ...task, taskType }, index),
        ),
      );
  },
  drawAgain(run, pack, entry, { number }) {
    const { taskType, index } = entry;
    if (isRated(taskType)) return entry;
    const tasks = run.buffers.of(taskType);
    const task = tasks[
      uniformIndex(tasks.length, run.config.seed, 'fixed-tasks', run.step, taskType, 'redraw', index, number)
    ] as TaskRecord;
    return planSolution(run, pack, { ...task, taskType }, index);
  },
};

/** The next `count` tasks of an endless sequence of passes, each pass in another random order. */
function tasksOfStep(
  { buffers, config, step }: RunInProgress,
  taskType: CodeTaskType,
  count: number,
): TaskRecord[] {
  const tasks = buffers.of(taskType);
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
