import { z } from 'zod';
import type { BatchSpec } from '../../../electron/contract/frameworks/batches.ts';
import { CODE_SOLUTIONS, codeTasksFields } from '../../../electron/contract/frameworks/code-tasks.ts';

/** Settings of the framework in relay.ts: those of fixed tasks, under a name of its own. */
export const relayConfigSchema = z.strictObject({
  name: z.literal('relay'),
  ...codeTasksFields,
  tasks: z.string().min(1).optional(),
});

export const RELAY_STAGES = ['warm-up', 'mark', 'learn'] as const;

/** A batch of answers per stage and task type. */
export const RELAY_BATCHES: readonly BatchSpec[] = RELAY_STAGES.flatMap((stage) =>
  CODE_SOLUTIONS.map((solutions) => ({ ...solutions, name: `${stage}_${solutions.taskType}` })),
);
