import { z } from 'zod';
import { REWARDED_BATCHES, type BatchSpec } from './batches.ts';
import { CODE_SOLUTIONS, codeTasksFields } from './code-tasks.ts';
import type { FrameworkView } from './view.ts';

/** Reinforcement on tasks that stay the same, without a proposer. */
export const fixedTasksConfigSchema = z.strictObject({
  name: z.literal('fixed-tasks'),
  ...codeTasksFields,
  /** JSON Lines of the form of resources/suites/seeds.jsonl; without it, the seeds themselves. */
  tasks: z.string().min(1).optional(),
});
export type FixedTasksConfig = z.infer<typeof fixedTasksConfigSchema>;

export const FIXED_TASKS_BATCHES: readonly BatchSpec[] = [...CODE_SOLUTIONS, ...REWARDED_BATCHES];

/** Its tasks are the same throughout, and nobody measures them. */
export const FIXED_TASKS_VIEW: FrameworkView<FixedTasksConfig> = {
  stages: [],
  rates: [],
  keptRates: () => null,
  figures: [],
  labels: null,
  watches: [],
};
