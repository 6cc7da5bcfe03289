import type { DatasetEntry, DatasetLook, SuiteDataset } from '../../contract/index.ts';
import { datasets, listSuiteDatasets } from '../../evaluation/index.ts';
import type { Services } from '../services.ts';

const KINDS = new Map(datasets.KINDS.map((kind) => [kind.name, kind]));

/** A set with what a table says of it. */
export function entryOf({ lab }: Pick<Services, 'lab'>, dataset: SuiteDataset): DatasetEntry {
  const { title, group, use, licence, hazardous, terms } = KINDS.get(dataset.kind)!;
  const state = !datasets.isPresent(datasets.placeOf(lab.root, dataset))
    ? 'missing'
    : terms !== null && dataset.acknowledgement === null
      ? 'unacknowledged'
      : 'ready';
  return { ...dataset, title, group, use, licence, hazardous, terms, state };
}

/** Every test set of the lab, by name. */
export const listDatasetEntries = (services: Pick<Services, 'lab' | 'store'>): DatasetEntry[] =>
  listSuiteDatasets(services.store).map((dataset) => entryOf(services, dataset));

/** What stands at a path, and which of it the lab has already. @throws see lookForDatasets. */
export async function lookAtDatasets(
  { store }: Pick<Services, 'store'>,
  path: string,
  signal?: AbortSignal,
): Promise<DatasetLook> {
  const look = await datasets.lookForDatasets(path, signal);
  const known = listSuiteDatasets(store);
  const sameRelease = (kind: string, release: string | null): string | null =>
    release === null
      ? null
      : (known.find(
          (dataset) =>
            dataset.kind === kind && dataset.sources.length === 1 && dataset.sources[0]?.release === release,
        )?.name ?? null);
  return {
    ...look,
    sets: look.sets.map((set) => ({ ...set, alreadyAs: sameRelease(set.kind, set.release) })),
  };
}
