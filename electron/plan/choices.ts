import { availableParallelism } from 'node:os';
import {
  FRAMEWORKS,
  runConfigSchema,
  type ModelRecord,
  type RunConfig,
  type SuiteGroup,
} from '../contract/index.ts';
import { GRADED_SUITES, datasetStateOf } from '../evaluation/index.ts';
import { PRESET_NAMES, PRESETS } from '../evolution/index.ts';
import { STARTABLE_REVIEWERS } from '../supervision/index.ts';
import { takeEmbeddedModels } from '../models/index.ts';
import type { Lab } from '../store/index.ts';
import type { ResourcePaths } from '../library/index.ts';
import type { Clock } from '../core/index.ts';

/** A model a run can name. */
export type ModelChoice = Pick<
  ModelRecord,
  'name' | 'kind' | 'embedded' | 'parameters' | 'contextLength' | 'bytes'
>;

/** What the steps of planning a run offer. */
export type PlanChoices = {
  presets: { name: string; config: RunConfig }[];
  policies: ModelChoice[];
  supervisors: ModelChoice[];
  frameworks: readonly string[];
  reviewers: readonly string[];
  /** Suites whose items are in this lab. */
  suites: { name: string; measures: string; group: SuiteGroup }[];
  /** Hardware threads of this machine. */
  cores: number;
};

/** Takes the models that come with the application into the library the first time, so that their sizes are known. */
export async function planChoices({
  store,
  resources,
  lab,
  clock,
}: {
  store: Lab;
  resources: ResourcePaths;
  lab: { root: string };
  clock: Clock;
}): Promise<PlanChoices> {
  await takeEmbeddedModels(store, resources, clock.now());
  const models = store
    .listModels()
    .map(({ name, kind, embedded, parameters, contextLength, bytes }): ModelChoice => ({
      name,
      kind,
      embedded,
      parameters,
      contextLength,
      bytes,
    }));
  const of = (kind: ModelRecord['kind']): ModelChoice[] =>
    models
      .filter((model) => model.kind === kind)
      .sort((a, b) => Number(b.embedded) - Number(a.embedded) || a.name.localeCompare(b.name));
  return {
    presets: PRESET_NAMES.map((name) => ({ name, config: runConfigSchema.parse(PRESETS[name]) })),
    policies: of('policy'),
    supervisors: of('supervisor'),
    frameworks: FRAMEWORKS,
    reviewers: STARTABLE_REVIEWERS,
    suites: GRADED_SUITES.filter(
      ({ source }) =>
        source.kind === 'bundled' || datasetStateOf({ store, lab }, source.dataset).state === 'ready',
    ).map(({ name, measures, group }) => ({ name, measures, group })),
    cores: availableParallelism(),
  };
}
