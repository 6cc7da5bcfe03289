import { z } from 'zod';
import type { BatchSpec } from './batches.ts';
import { CODE_SOLUTIONS, codeTasksFields } from './code-tasks.ts';
import { REWARDED_BATCHES } from './rewarded-prompts.ts';

/** Reinforcement on tasks that stay the same, without a proposer. */
export const fixedTasksConfigSchema = z.strictObject({
  name: z.literal('fixed-tasks'),
  ...codeTasksFields,
  /** JSON Lines of the form of resources/suites/seeds.jsonl; without it, the seeds themselves. */
  tasks: z.string().min(1).optional(),
});
export type FixedTasksConfig = z.infer<typeof fixedTasksConfigSchema>;

export const FIXED_TASKS_BATCHES: readonly BatchSpec[] = [...CODE_SOLUTIONS, ...REWARDED_BATCHES];
