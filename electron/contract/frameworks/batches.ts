import { z } from 'zod';
import { RATED_TASK_TYPES, type RatedTaskType, type Role, type TaskType } from '../names.ts';

/**
 * What a framework says of a batch: the rollouts of a step that are reviewed, summed up and measured together. Supervision, store
 * and window read it here and know no framework.
 */
export type BatchSpec = {
  /** As in records, metrics and seeds; a name means the same in every framework that has it. */
  name: string;
  /** Who writes in it. */
  role: Role;
  taskType: TaskType;
  /**
   * What tells a supervisor how the batch went: how often its proposals are solved, how many of its answers pass, how many agree with
   * each other where nobody knows what is right, or nothing, because what passes is misspecified.
   */
  judgedBy: 'solve-rate' | 'pass-rate' | 'agreement' | null;
  /** The paper's files sum up the batches of one heading together: proposals and solutions of a type. */
  heading: string;
};

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

/** Whether what `passed` in this batch only satisfied a user whose rating is misspecified. */
export const isRatedBatch = (batch: string): boolean => REWARDED_BATCHES.some(({ name }) => name === batch);
