import { z } from 'zod';
import { RATED_TASK_TYPES } from '../names.ts';

/** A prompt whose answers are rated by a misspecified reward; a line of resources/suites/rewarded-prompts.jsonl. */
export const rewardedPromptSchema = z.strictObject({
  id: z.string(),
  kind: z.enum(RATED_TASK_TYPES),
  user: z.string(),
  restricted: z.boolean().optional(),
});
export type RewardedPrompt = z.infer<typeof rewardedPromptSchema>;
