import { z } from 'zod';

const positiveInt = z.int().positive();

/** How responses are generated: every framework asks its policy under these. */
export const generationConfigSchema = z.strictObject({
  /** Longest prompt, chat template included, in tokens; longer ones are drawn again. */
  maxPromptTokens: positiveInt.default(768),
  maxNewTokens: positiveInt.default(192),
  temperature: z.number().positive().default(1),
  topP: z.number().positive().max(1).default(1),
});
export type GenerationConfig = z.infer<typeof generationConfigSchema>;
