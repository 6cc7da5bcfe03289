import { z } from 'zod';
import { datasetRecordSchema, Failure, type DatasetRecord } from '../../contract/index.ts';
import type { Lab } from '../../store/index.ts';

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
