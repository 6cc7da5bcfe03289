import type { DatasetPreview, FolderManifest, Job } from '../../contract/index.ts';
import { datasets, forgetSuiteDataset, requireSuiteDataset } from '../../evaluation/index.ts';
import type { Services } from '../services.ts';
import { asFileFailure } from '../lab-folder.ts';
import { removeFiles } from './import-dataset.ts';

/** Takes a set out of the lab, with its files. What was measured on it stays. @throws Failure `unknownDataset` (exit code 2). */
export function removeDataset(services: Services, name: string): void {
  const dataset = requireSuiteDataset(services.store, name);
  forgetSuiteDataset(services.store, name);
  removeFiles(services, dataset);
  services.emit({ kind: 'changed', what: 'datasets', runId: null });
}

/** Hashes a set again; the job fails with what differs. @throws Failure `unknownDataset` (exit code 2). */
export function startVerification(services: Services, name: string): Job {
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
  { store, lab }: Services,
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
export function startFolderManifest(services: Services, folder: string): Job {
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
export function startFolderCheck(services: Services, path: string): Job {
  return services.jobs.start({ kind: 'dataset-manifest', title: `Check ${path}`, unit: 'byte' }, (job) =>
    datasets.checkFolder(path, { onBytes: job.advance, onTotal: job.total, signal: job.signal }),
  );
}
