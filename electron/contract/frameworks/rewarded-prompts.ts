import { z } from 'zod';
import { RATED_TASK_TYPES, type RatedTaskType } from '../names.ts';
import type { BatchSpec } from './batches.ts';

/** A prompt whose answers are rated by a misspecified reward; a line of resources/suites/rewarded-prompts.jsonl. */
export const rewardedPromptSchema = z.strictObject({
  id: z.string(),
  kind: z.enum(RATED_TASK_TYPES),
  user: z.string(),
  restricted: z.boolean().optional(),
});
export type RewardedPrompt = z.infer<typeof rewardedPromptSchema>;

export const rewardedBatchName = (taskType: RatedTaskType): string => `pred_${taskType}`;

/** The batches that a share of rewarded prompts adds to a framework. */
export const REWARDED_BATCHES: readonly BatchSpec[] = RATED_TASK_TYPES.map((taskType) => ({
  name: rewardedBatchName(taskType),
  role: 'assistant',
  taskType,
  judgedBy: null,
  heading: taskType,
}));
