import { z } from 'zod';
import {
  Failure,
  suiteDatasetSchema,
  type DatasetKindName,
  type SuiteDataset,
} from '../../contract/index.ts';
import type { Lab } from '../../store/index.ts';

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
      `The lab has no test set "${name}"; "anchor dataset list" shows what it has.`,
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
