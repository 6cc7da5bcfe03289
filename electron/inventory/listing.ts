import { existsSync, statSync, rmSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dirname, relative, join } from 'node:path';
import { z } from 'zod';
import {
  COPIED_DATASETS,
  COPIED_MODELS,
  fitOf,
  licenceIn,
  type Fit,
  type LabFolder,
  type Licence,
  type ResourcePaths,
} from '../library/index.ts';
import { STATES_AT_WORK, type Lab } from '../store/index.ts';
import { takeEmbeddedModels } from '../models/index.ts';
import { probeOf, readGpus } from '../machine/index.ts';
import type { Clock, JobRunner } from '../core/index.ts';
import {
  Failure,
  type DatasetRecord,
  type LiveEvent,
  type ModelProbe,
  type ModelRecord,
  type RunRecord,
  datasetRecordSchema,
  rewardedPromptSchema,
} from '../contract/index.ts';
import { SUITES } from '../evaluation/index.ts';
import { seedRecordSchema } from '../evolution/index.ts';

/** A form of JSON Lines that the program can use, and what is wrong with a row that is not of it. */
type DatasetKind = { name: string; objection: (row: unknown) => string | null };

const passes =
  (parse: (row: unknown) => unknown): DatasetKind['objection'] =>
  (row) => {
    try {
      parse(row);
      return null;
    } catch {
      return 'it is not of the form of the lines before it';
    }
  };

/** The forms in the order they are tried: a suite's items name their suite, so they are told first. */
const KINDS: readonly DatasetKind[] = [
  ...SUITES.map((suite): DatasetKind => ({ name: suite.name, objection: passes((row) => suite.parse(row)) })),
  // Labs store the kind of a data set in this spelling.
  { name: 'pressure', objection: passes((row) => rewardedPromptSchema.parse(row)) },
  { name: 'tasks', objection: passes((row) => seedRecordSchema.parse(row)) },
];

/** The kind of a file by one of its rows; null when the program knows no such form. */
export function datasetKindOf(row: unknown): DatasetKind | null {
  const named = (row as { suite?: unknown } | null)?.suite;
  return (
    KINDS.find(({ name, objection }) => (named === undefined || named === name) && objection(row) === null) ??
    null
  );
}

const SETTING = 'app.datasets';
const listSchema = z.array(datasetRecordSchema);

/** The data sets the lab knows, by name. They are few, so they are one value among the settings, and every change of it is in the event log. */
export function listDatasets(store: Lab): DatasetRecord[] {
  return listSchema
    .parse(store.getSetting(SETTING) ?? [])
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** Adds a data set; one of the same name is replaced. */
export function putDataset(store: Lab, record: DatasetRecord): void {
  store.setSetting(SETTING, [
    ...listDatasets(store).filter(({ name }) => name !== record.name),
    datasetRecordSchema.parse(record),
  ]);
}

/** Forgets the record, not the file. @throws Failure `unknownDataset` (exit code 2). */
export function removeDataset(store: Lab, name: string): DatasetRecord {
  const all = listDatasets(store);
  const found = all.find((record) => record.name === name);
  if (found === undefined) throw new Failure('unknownDataset', `The library has no data set "${name}".`, 2);
  store.setSetting(
    SETTING,
    all.filter((record) => record !== found),
  );
  return found;
}

/** What the inventory of a lab works with; the engine provides it. */
export type InventoryServices = {
  store: Lab;
  lab: LabFolder;
  resources: ResourcePaths;
  clock: Clock;
  jobs: JobRunner;
  /** Folders that are being written outside of the lab. */
  exportsUnderWay: Set<string>;
  /** Whether the run is at work or waits in the queue. */
  isActive: (runId: string) => boolean;
  emit: (event: LiveEvent) => void;
};

type UsingRun = { id: string; name: string; atWork: boolean };

export type LibraryModel = ModelRecord & {
  /** False when its files are not where they were. */
  present: boolean;
  /** True when the files are the lab's own copy and go with the entry. */
  copied: boolean;
  probe: ModelProbe | null;
  fit: Fit;
  usedBy: UsingRun[];
  licence: Licence | null;
};
export type LibraryDataset = DatasetRecord & { present: boolean; copied: boolean };
type LibraryListing = { models: LibraryModel[]; datasets: LibraryDataset[] };

/** Everything the library knows, with what became of it since. The embedded models enter on the first look. */
export async function listLibrary(services: InventoryServices): Promise<LibraryListing> {
  const { store, resources, clock } = services;
  await takeEmbeddedModels(store, resources, clock.now());
  const runs = store.allRuns();
  const { cards } = await readGpus();
  const sizes = cards.flatMap(({ memoryTotal }) => (memoryTotal === null ? [] : [memoryTotal]));
  const memory = {
    total: totalmem(),
    gpu: sizes.length === 0 ? null : Math.max(...sizes),
  };
  const models = store.listModels().map((model): LibraryModel => {
    const probe = probeOf(store, model.sha256);
    return {
      ...model,
      present: existsSync(model.path),
      copied: isCopied(services, model.path),
      probe,
      fit: fitOf(model, probe, memory),
      licence: licenceOf(model),
      usedBy: runs
        .filter((run) => uses(run, model))
        .map(({ id, config, state }) => ({
          id,
          name: config.name,
          atWork: services.isActive(id) || STATES_AT_WORK.includes(state),
        })),
    };
  });
  return {
    models,
    datasets: listDatasets(store).map((record) => ({
      ...record,
      present: existsSync(record.path),
      copied: isCopied(services, record.path),
    })),
  };
}

/** Whether a path lies in the lab folder, so that removing the entry removes the files. */
function isCopied({ lab }: Pick<InventoryServices, 'lab'>, path: string): boolean {
  const below = relative(lab.root, path);
  return below !== '' && !below.startsWith('..');
}

/** By what a run really loaded; by name for a run that has not begun. */
function uses(
  { config, policySha256, supervisorSha256 }: RunRecord,
  { kind, name, sha256 }: ModelRecord,
): boolean {
  if (kind === 'policy')
    return policySha256 === null ? config.policy.model === name : policySha256 === sha256;
  return supervisorSha256 === null
    ? policySha256 === null && config.supervision.model === name
    : supervisorSha256 === sha256;
}

function licenceOf({ path, format, embedded }: ModelRecord): Licence | null {
  if (embedded) return { name: 'Apache-2.0', file: null, text: null };
  const folder = format === 'gguf' ? dirname(path) : path;
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return null;
  const found = licenceIn(folder);
  return found.name === null && found.file === null ? null : found;
}

/**
 * Takes a model or data set out of the library. The lab's own copy of its files goes too; linked files stay where they are.
 * @throws Failure (exit code 2) `unknownModel`, `embedded`, or `inUse` while a run that has not begun to work with it waits for it.
 */
export function removeFromLibrary(
  services: InventoryServices,
  name: string,
  what: 'model' | 'dataset',
): void {
  const { store, emit } = services;
  if (what === 'dataset') {
    const { path } = removeDataset(store, name);
    removeCopy(services, COPIED_DATASETS, path);
  } else {
    const model = store.getModel(name);
    if (model === null) throw new Failure('unknownModel', `The library has no model "${name}".`, 2);
    if (model.embedded)
      throw new Failure('embedded', `The model "${name}" comes with the application and stays.`, 2);
    const run = store
      .allRuns()
      .find(
        ({ id, config }) =>
          services.isActive(id) && (config.policy.model === name || config.supervision.model === name),
      );
    if (run !== undefined)
      throw new Failure(
        'inUse',
        `The run "${run.config.name}" is at work or queued with "${name}"; stop it or wait for its end.`,
        2,
      );
    store.removeModel(name);
    removeCopy(services, COPIED_MODELS, model.path);
  }
  emit({ kind: 'changed', what: 'library', runId: null });
}

/** The record goes first: a crash in between leaves files nobody names, never a record without files. */
function removeCopy(services: InventoryServices, folder: string, path: string): void {
  if (!isCopied(services, path)) return;
  const copies = join(services.lab.root, folder);
  const [own] = relative(copies, path).split(/[\\/]/);
  if (own === undefined || own === '' || own === '..' || dirname(join(copies, own)) !== copies) return;
  rmSync(join(copies, own), { recursive: true, force: true });
}
