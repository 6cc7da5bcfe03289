import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as datasets from '../datasets/index.ts';
import {
  forgetSuiteDataset,
  listSuiteDatasets,
  putSuiteDataset,
  requireSuiteDataset,
} from '../plan/suite-data.ts';
import type { EvaluationServices } from '../services.ts';
import {
  Failure,
  type Acknowledgement,
  type DatasetEntry,
  type DatasetTerms,
  type DatasetLook,
  type SuiteDataset,
  type DatasetPreview,
  type FolderManifest,
  type Job,
} from '../../contract/index.ts';
import type { JobRunner } from '../../core/index.ts';
import { asFileFailure, TEST_SETS } from '../../library/index.ts';

/** What is done with test sets needs this; the engine provides it. */
export type TestSetServices = Pick<EvaluationServices, 'store' | 'lab' | 'clock' | 'emit'> & {
  jobs: JobRunner;
};

const KINDS = new Map(datasets.KINDS.map((kind) => [kind.name, kind]));

/** A set with what a table says of it. */
export function entryOf({ lab }: Pick<TestSetServices, 'lab'>, dataset: SuiteDataset): DatasetEntry {
  const { title, group, use, licence, hazardous, terms } = KINDS.get(dataset.kind)!;
  const state = !datasets.isPresent(datasets.placeOf(lab.root, dataset))
    ? 'missing'
    : terms !== null && dataset.acknowledgement === null
      ? 'unacknowledged'
      : 'ready';
  return { ...dataset, title, group, use, licence, hazardous, terms, state };
}

/** Every test set of the lab, by name. */
export const listDatasetEntries = (services: Pick<TestSetServices, 'lab' | 'store'>): DatasetEntry[] =>
  listSuiteDatasets(services.store).map((dataset) => entryOf(services, dataset));

/** What stands at a path, and which of it the lab has already. @throws see lookForDatasets. */
export async function lookAtDatasets(
  { store }: Pick<TestSetServices, 'store'>,
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
export function acknowledge(services: TestSetServices, name: string, by: string): DatasetEntry {
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

/** Takes a set out of the lab, with its files. What was measured on it stays. @throws Failure `unknownDataset` (exit code 2). */
export function removeDataset(services: TestSetServices, name: string): void {
  const dataset = requireSuiteDataset(services.store, name);
  forgetSuiteDataset(services.store, name);
  removeFiles(services, dataset);
  services.emit({ kind: 'changed', what: 'datasets', runId: null });
}

/** Hashes a set again; the job fails with what differs. @throws Failure `unknownDataset` (exit code 2). */
export function startVerification(services: TestSetServices, name: string): Job {
  const dataset = requireSuiteDataset(services.store, name);
  return services.jobs.start(
    { kind: 'dataset-verify', title: `Verify ${name}`, unit: 'byte', total: dataset.bytes },
    async (job) => {
      await datasets.verifyDataset(datasets.placeOf(services.lab.root, dataset), {
        onBytes: job.advance,
        signal: job.signal,
      });
      return true;
    },
  );
}

/** Some rows of a set. @param from place of the first, counted from 0. @throws Failure `unknownDataset`, `acknowledgementNeeded` (exit code 2). */
export async function previewDataset(
  { store, lab }: TestSetServices,
  name: string,
  from: number,
  limit: number,
): Promise<DatasetPreview> {
  const dataset = requireSuiteDataset(store, name);
  const rows: { id: string; text: string }[] = [];
  for await (const { ordinal, id, line } of datasets.rowsOf(datasets.placeOf(lab.root, dataset))) {
    if (ordinal >= from + limit) break;
    if (ordinal >= from) rows.push({ id, text: line });
  }
  return datasets.previewOf(
    { hazardous: datasets.KINDS.find(({ name: kind }) => kind === dataset.kind)?.hazardous ?? true },
    rows,
  );
}

/** Writes down what a folder holds. The job's result is a FolderManifest. */
export function startFolderManifest(services: TestSetServices, folder: string): Job {
  return services.jobs.start(
    { kind: 'dataset-manifest', title: `Manifest of ${folder}`, unit: 'byte' },
    async (job): Promise<FolderManifest> => {
      try {
        return await datasets.writeFolderManifest(folder, services.clock.now().toISOString(), {
          onBytes: job.advance,
          onTotal: job.total,
          signal: job.signal,
        });
      } catch (error) {
        throw asFileFailure(error, 'The manifest');
      }
    },
  );
}

/** Compares a folder with its manifest. The job's result is a FolderManifest with every difference. */
export function startFolderCheck(services: TestSetServices, path: string): Job {
  return services.jobs.start({ kind: 'dataset-manifest', title: `Check ${path}`, unit: 'byte' }, (job) =>
    datasets.checkFolder(path, { onBytes: job.advance, onTotal: job.total, signal: job.signal }),
  );
}

/** The record goes first: a crash in between leaves a folder that nobody names, never a record without files. @throws Failure `unknownDataset` (exit code 2). */
function removeFiles({ lab }: TestSetServices, { folder }: SuiteDataset): void {
  const path = join(lab.root, folder);
  if (folder.startsWith(`${TEST_SETS}/`) && !folder.includes('..') && existsSync(path))
    rmSync(path, { recursive: true, force: true });
}
