import { z } from 'zod';
import { azrConfigSchema } from './azr.ts';
import { fixedTasksConfigSchema } from './fixed-tasks.ts';

/**
 * The settings of a framework by its name, each typed, so that the editor can draw them; the frameworks themselves are in
 * evolution/frameworks/registry.ts.
 */
export const frameworkConfigSchema = z.discriminatedUnion('name', [azrConfigSchema, fixedTasksConfigSchema]);
export type FrameworkConfig = z.infer<typeof frameworkConfigSchema>;
export type FrameworkName = FrameworkConfig['name'];

export const FRAMEWORKS = frameworkConfigSchema.options.map(
  ({ shape }) => shape.name.value,
) as readonly FrameworkName[];
export const frameworkSchema = z.enum(FRAMEWORKS);
/** What a run trains by unless it is told otherwise. */
export const DEFAULT_FRAMEWORK: FrameworkName = 'azr';

/** The stage of every step of a framework that has but one. Steps stored before stages had names belong to it. */
export const ONLY_STAGE: Partial<Record<FrameworkName, string>> = {
  azr: 'self-play',
  'fixed-tasks': 'practice',
};

/** The settings a framework knows; null for a name that is none. */
export function frameworkKeys(name: string): ReadonlySet<string> | null {
  const schema = frameworkConfigSchema.options.find(({ shape }) => shape.name.value === name);
  return schema === undefined ? null : new Set(Object.keys(schema.shape));
}

export type { AzrConfig } from './azr.ts';
export { azrConfigSchema } from './azr.ts';
export type { CodeTasksConfig } from './code-tasks.ts';
export type { FixedTasksConfig } from './fixed-tasks.ts';
export { fixedTasksConfigSchema } from './fixed-tasks.ts';
export * from './rewarded-prompts.ts';
