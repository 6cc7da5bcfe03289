import { z } from 'zod';
import { codeTasksFields } from '../../../electron/contract/frameworks/code-tasks.ts';

/** Settings of the framework in relay.ts: those of fixed tasks, under a name of its own. */
export const relayConfigSchema = z.strictObject({
  name: z.literal('relay'),
  ...codeTasksFields,
  tasks: z.string().min(1).optional(),
});
