import { SUITES } from '../evaluation/index.ts';
import { seedRecordSchema } from '../evolution/index.ts';
import { z } from 'zod';
import { datasetRecordSchema, Failure, rewardedPromptSchema, type DatasetRecord } from '../contract/index.ts';
import type { Lab } from '../store/index.ts';

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
