import { z } from 'zod';
import { codeTasksFields } from './code-tasks.ts';

/** Reinforcement on tasks that stay the same, without a proposer. */
export const fixedTasksConfigSchema = z.strictObject({
  name: z.literal('fixed-tasks'),
  ...codeTasksFields,
  /** JSON Lines of the form of resources/suites/seeds.jsonl; without it, the seeds themselves. */
  tasks: z.string().min(1).optional(),
});
export type FixedTasksConfig = z.infer<typeof fixedTasksConfigSchema>;
