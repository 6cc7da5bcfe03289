import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import {
  Failure,
  type DatasetKindName,
  type SuiteChoice,
  type SuiteDataset,
  suiteDatasetSchema,
} from '../../contract/index.ts';
import { sha256Hex } from '../../core/index.ts';
import { hashFile } from '../../library/index.ts';
import type { Lab } from '../../store/index.ts';
import * as datasets from '../datasets/index.ts';
import type { EvaluationServices } from '../services.ts';
import type { AnyGradedSuite, ItemPlace } from '../suites/graded-suite.ts';

/** Where a suite's items lie, what exactly they are, and how many. `beside` names the sets that grading uses besides, by their hash. */
type PlacedSuite = {
  place: ItemPlace;
  source: { dataset: string | null; sha256: string };
  items: number;
  beside: Record<string, string>;
};
type SuiteServices = Pick<EvaluationServices, 'store' | 'resources' | 'lab'>;

/** Files that ship do not change while the program runs; each is hashed and counted once. */
const known = new Map<string, Promise<PlacedSuite>>();

/** @throws Failure `noDataset`, `acknowledgementNeeded` (exit code 2) when its data may not or cannot be used. */
export async function placeOfSuite(services: SuiteServices, suite: AnyGradedSuite): Promise<PlacedSuite> {
  if (suite.source.kind === 'dataset')
    return importedPlace(services, suite, suite.source.dataset, suite.source.beside ?? []);
  const path = join(services.resources.suites, suite.source.file);
  const key = `${suite.name}\n${path}`; // two suites may be made of one folder
  const found = known.get(key) ?? bundledPlace(services.resources.suites, suite, path);
  known.set(key, found);
  found.catch(() => known.delete(key));
  return found;
}

async function bundledPlace(folder: string, suite: AnyGradedSuite, path: string): Promise<PlacedSuite> {
  if (!existsSync(path))
    throw new Failure('missingFile', `The suite file ${path} is missing; restore it from the installation.`);
  const place: ItemPlace = { folder, dataset: null, beside: new Map() };
  const sha256 = await sourceHash(path);
  let items = 0;
  for await (const _ of suite.read(place, new AbortController().signal)) items += 1;
  return { place, source: { dataset: null, sha256 }, items, beside: {} };
}

/** The newest set of the kind whose terms were agreed to and whose files are there. */
function importedPlace(
  { store, lab, resources }: SuiteServices,
  suite: AnyGradedSuite,
  kind: DatasetKindName,
  beside: readonly DatasetKindName[],
): PlacedSuite {
  const all = suiteDatasetsOf(store, kind);
  const chosen = usable(lab.root, all);
  if (chosen === undefined) {
    if (all[0] !== undefined) datasets.requireAcknowledged(all[0]);
    throw new Failure(
      'noDataset',
      `"${suite.title}" needs its data set (${kind}), which is not in this lab; import the official file in Evaluations under Datasets, or with "anchor dataset import".`,
      2,
    );
  }
  const others = beside.flatMap((name) => {
    const found = usable(lab.root, suiteDatasetsOf(store, name));
    return found === undefined ? [] : [[name, datasets.placeOf(lab.root, found)] as const];
  });
  return {
    place: { folder: resources.suites, dataset: datasets.placeOf(lab.root, chosen), beside: new Map(others) },
    source: { dataset: chosen.name, sha256: chosen.sha256 },
    items: chosen.rows,
    beside: Object.fromEntries(others.map(([name, { dataset }]) => [name, dataset.sha256])),
  };
}

const usable = (labRoot: string, all: readonly SuiteDataset[]): SuiteDataset | undefined =>
  all.find((dataset) => isAcknowledged(dataset) && datasets.isPresent(datasets.placeOf(labRoot, dataset)));

function isAcknowledged(dataset: SuiteDataset): boolean {
  try {
    datasets.requireAcknowledged(dataset);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

/** Whether a kind's data can be used, for choosing. */
export function datasetStateOf(
  { store, lab }: { store: Lab; lab: { root: string } },
  kind: DatasetKindName,
): {
  state: Extract<SuiteChoice['source'], { kind: 'dataset' }>['state'];
  note: string | null;
  items: number | null;
} {
  const all = suiteDatasetsOf(store, kind);
  const chosen = usable(lab.root, all);
  if (chosen !== undefined)
    return {
      state: 'ready',
      note:
        all.length > 1 ? `The newest of ${all.length} sets of this kind, "${chosen.name}", is used.` : null,
      items: chosen.rows,
    };
  const [newest] = all;
  if (newest === undefined) return { state: 'absent', note: null, items: null };
  return isAcknowledged(newest)
    ? {
        state: 'absent',
        note: `The files of "${newest.name}" are gone; import it again.`,
        items: newest.rows,
      }
    : { state: 'unacknowledged', note: null, items: newest.rows };
}

/** Of a file's bytes, or of the names and hashes of a folder's files. */
async function sourceHash(path: string): Promise<string> {
  if (!statSync(path).isDirectory()) return hashFile(path);
  const parts: string[] = [];
  for (const name of readdirSync(path).sort()) parts.push(`${name}\0${await hashFile(join(path, name))}\0`);
  return sha256Hex(parts.join(''));
}

const SETTING = 'app.testSets';
const listSchema = z.array(suiteDatasetSchema);

/**
 * The test sets of the lab, by name. They are few, so they are one value among the settings: a change is one transaction, and with
 * who agreed to what it stands in the event log.
 */
export function listSuiteDatasets(store: Lab): SuiteDataset[] {
  return listSchema
    .parse(store.getSetting(SETTING) ?? [])
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** @throws Failure `unknownDataset` (exit code 2). */
export function requireSuiteDataset(store: Lab, name: string): SuiteDataset {
  const found = listSuiteDatasets(store).find((dataset) => dataset.name === name);
  if (found === undefined)
    throw new Failure(
      'unknownDataset',
      `The lab has no test set "${name}"; see what it has in Evaluations under Datasets, or with "anchor dataset list".`,
      2,
    );
  return found;
}

/** The sets of a kind, the newest first. */
export const suiteDatasetsOf = (store: Lab, kind: DatasetKindName): SuiteDataset[] =>
  listSuiteDatasets(store)
    .filter((dataset) => dataset.kind === kind)
    .toSorted((a, b) => (a.addedAt < b.addedAt ? 1 : -1));

/** Adds a set, or replaces the one of its name. */
export function putSuiteDataset(store: Lab, dataset: SuiteDataset): void {
  store.setSetting(SETTING, [
    ...listSuiteDatasets(store).filter(({ name }) => name !== dataset.name),
    suiteDatasetSchema.parse(dataset),
  ]);
}

/** Forgets the record, not the files. */
export function forgetSuiteDataset(store: Lab, name: string): void {
  store.setSetting(
    SETTING,
    listSuiteDatasets(store).filter((dataset) => dataset.name !== name),
  );
}
