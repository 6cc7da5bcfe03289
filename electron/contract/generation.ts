import { z } from 'zod';

const positiveInt = z.int().positive();
const temperature = z.number().positive();
const topP = z.number().positive().max(1);

/** Who may be sampled apart; null is what holds for the others. */
const roleSamplingSchema = z.strictObject({
  temperature: temperature.nullable().default(null),
  topP: topP.nullable().default(null),
});

/** How responses are generated: every framework asks its policy under these. */
export const generationConfigSchema = z.strictObject({
  /** Longest prompt, chat template included, in tokens; longer ones are drawn again. */
  maxPromptTokens: positiveInt.default(768),
  /**
   * Longest question of a prompt in tokens, without system prompt, context and chat template; longer ones are drawn again, as with the
   * original's content_max_length. Absent, only the whole prompt counts.
   */
  maxContentTokens: positiveInt.optional(),
  maxNewTokens: positiveInt.default(192),
  temperature: temperature.default(1),
  topP: topP.default(1),
  /**
   * Sampling of one role apart, such as proposers that are to differ and solvers that are to be right. An update takes every rollout's
   * probabilities at the temperature it was sampled at. Absent where all are sampled alike, as in the original.
   */
  roles: z
    .strictObject({
      proposer: roleSamplingSchema.prefault({}),
      solver: roleSamplingSchema.prefault({}),
      /** Solutions that only measure how hard a proposal is; what is null here is the solver's, whose chances they measure. */
      estimator: roleSamplingSchema.prefault({}),
    })
    .optional(),
});
export type GenerationConfig = z.infer<typeof generationConfigSchema>;

export type RoleSampling = Pick<GenerationConfig, 'temperature' | 'topP'>;
export type SampledRole = keyof NonNullable<GenerationConfig['roles']>;

/** How a role is sampled; any name that has no settings of its own is sampled as the run is. */
export function samplingOf({ roles, ...all }: GenerationConfig, role: string): RoleSampling {
  const own = (roles as Partial<NonNullable<typeof roles>> | undefined)?.[role as SampledRole];
  const others = role === 'estimator' ? roles?.solver : undefined;
  return {
    temperature: own?.temperature ?? others?.temperature ?? all.temperature,
    topP: own?.topP ?? others?.topP ?? all.topP,
  };
}

/** Whether any role is sampled apart. */
export function samplesApart({ roles }: Pick<GenerationConfig, 'roles'>): boolean {
  return Object.values(roles ?? {}).some((role) => role.temperature !== null || role.topP !== null);
}
