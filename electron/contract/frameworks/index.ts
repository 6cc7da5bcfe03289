import { z } from 'zod';
import { isRated, type TaskType } from '../names.ts';
import { AZR_BATCHES, AZR_VIEW, azrConfigSchema } from './azr.ts';
import type { BatchSpec } from './batches.ts';
import { FIXED_TASKS_BATCHES, FIXED_TASKS_VIEW, fixedTasksConfigSchema } from './fixed-tasks.ts';
import { RZERO_BATCHES, rzeroConfigSchema } from './rzero.ts';
import { RZERO_VIEW } from './rzero-view.ts';
import type { FrameworkView } from './view.ts';

/**
 * The settings of a framework by its name, each typed, so that the editor can draw them; the frameworks themselves are in
 * evolution/frameworks/registry.ts.
 */
export const frameworkConfigSchema = z.discriminatedUnion('name', [
  azrConfigSchema,
  fixedTasksConfigSchema,
  rzeroConfigSchema,
]);
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

/** The one set of weights of a run that names no other. */
export const POLICY_ROLE = 'policy';
/** Of frameworks with several weight sets: the one that a run is for. */
const RESULT_ROLE: Partial<Record<FrameworkName, string>> = { rzero: 'solver' };
/** The weight set whose checkpoints are evaluated and asked where nobody names another. */
export const resultRole = (framework: FrameworkConfig): string =>
  'roles' in framework && framework.roles === 'shared'
    ? POLICY_ROLE
    : (RESULT_ROLE[framework.name] ?? POLICY_ROLE);

const BATCHES_OF: Readonly<Record<FrameworkName, readonly BatchSpec[]>> = {
  azr: AZR_BATCHES,
  'fixed-tasks': FIXED_TASKS_BATCHES,
  rzero: RZERO_BATCHES,
};
/** Whether what a run knows of its answers is how many agree, because nobody knows which is right. */
export const knowsAgreementOnly = (framework: FrameworkName): boolean =>
  BATCHES_OF[framework].every(({ judgedBy }) => judgedBy === 'agreement' || judgedBy === null);
/** The batches that a framework can have in a step. */
export const batchesOf = (framework: FrameworkName): readonly BatchSpec[] => BATCHES_OF[framework];
/** The batches of all frameworks, each once, in the order of step files and reports. */
export const BATCHES: readonly BatchSpec[] = [...new Set(Object.values(BATCHES_OF).flat())];
const BATCH_BY_NAME: ReadonlyMap<string, BatchSpec> = new Map(BATCHES.map((batch) => [batch.name, batch]));

/** What its framework says of a batch. @throws RangeError for a name that no framework has. */
export function batchSpec(name: string): BatchSpec {
  const found = BATCH_BY_NAME.get(name);
  if (found === undefined) throw new RangeError(`No framework declares a batch "${name}".`);
  return found;
}

/** Each view is handed the settings of its own framework only. */
const VIEW_OF: { readonly [N in FrameworkName]: FrameworkView<Extract<FrameworkConfig, { name: N }>> } = {
  azr: AZR_VIEW,
  'fixed-tasks': FIXED_TASKS_VIEW,
  rzero: RZERO_VIEW,
};
/** What is to be seen of a framework's runs. */
export const viewOf = (framework: FrameworkName): FrameworkView<FrameworkConfig> =>
  VIEW_OF[framework] as unknown as FrameworkView<FrameworkConfig>;

/** The types of task that a run has, beside prompts that a user rates. */
export const taskTypesOf = (framework: FrameworkConfig): readonly TaskType[] =>
  'taskTypes' in framework
    ? framework.taskTypes
    : [...new Set(BATCHES_OF[framework.name].map(({ taskType }) => taskType))].filter(
        (type) => !isRated(type),
      );

export const batchesJudgedBy = (judgedBy: BatchSpec['judgedBy']): BatchSpec[] =>
  BATCHES.filter((batch) => batch.judgedBy === judgedBy);

/** The settings a framework knows; null for a name that is none. */
export function frameworkKeys(name: string): ReadonlySet<string> | null {
  const schema = frameworkConfigSchema.options.find(({ shape }) => shape.name.value === name);
  return schema === undefined ? null : new Set(Object.keys(schema.shape));
}

export {
  type AzrConfig,
  type IntrinsicName,
  type OwnSeeds,
  INTRINSIC_NAMES,
  azrConfigSchema,
  ownSeedsSchema,
} from './azr.ts';
export type { CodeTasksConfig } from './code-tasks.ts';
export {
  codeBatchName,
  FORMAT_CAUSE_SENTENCES,
  FORMAT_CAUSES,
  formatMetric,
  OTHER_CAUSE,
  READABLE,
  type FormatCause,
} from './code-tasks.ts';
export { type FixedTasksConfig, fixedTasksConfigSchema } from './fixed-tasks.ts';
export { type RzeroConfig, rzeroConfigSchema } from './rzero.ts';
export * from './batches.ts';
export * from './view.ts';
export * from './warnings.ts';
