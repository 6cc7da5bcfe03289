import { Failure, type Acknowledgement, type DatasetEntry, type DatasetTerms } from '../../contract/index.ts';
import { datasets, putSuiteDataset, requireSuiteDataset } from '../../evaluation/index.ts';
import type { Services } from '../services.ts';
import { entryOf } from './listing.ts';

/** @throws Failure `badName` (exit code 2) without a name. */
export function acknowledgementBy(by: string, { statement }: DatasetTerms, at: string): Acknowledgement {
  const name = by.trim();
  if (name === '' || name.length > 200)
    throw new Failure(
      'badName',
      'Give the name of the person who agrees to the terms, 200 characters at most.',
      2,
    );
  return { by: name, at, statement };
}

/** Keeps who agreed to a set's terms; the first agreement stays. @throws Failure (exit code 2) `unknownDataset`, `badName`. */
export function acknowledge(services: Services, name: string, by: string): DatasetEntry {
  const dataset = requireSuiteDataset(services.store, name);
  const terms = datasets.KINDS.find((kind) => kind.name === dataset.kind)?.terms ?? null;
  if (terms === null || dataset.acknowledgement !== null) return entryOf(services, dataset);
  const agreed = {
    ...dataset,
    acknowledgement: acknowledgementBy(by, terms, services.clock.now().toISOString()),
  };
  putSuiteDataset(services.store, agreed);
  services.emit({ kind: 'changed', what: 'datasets', runId: null });
  return entryOf(services, agreed);
}
