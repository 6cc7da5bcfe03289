import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Failure, type DatasetRecord, type Job, type ModelRecord } from '../contract/index.ts';
import {
  adapterRefusal,
  copyInto,
  examineModel,
  modelHash,
  scanJsonLines,
  type ModelFiles,
  asFileFailure,
  COPIED_DATASETS,
  COPIED_MODELS,
  requireFreeSpace,
} from '../library/index.ts';
import { ggufFacts, inspectWithHeader } from '../models/index.ts';
import { datasetKindOf, listDatasets, putDataset, type InventoryServices } from './listing.ts';
import { lookAt } from './look.ts';
import { quotable, type JobHandle } from '../core/index.ts';

export type ImportRequest = {
  path: string;
  /** Name in the library. */
  name: string;
  /** `copy` brings the files into the lab folder; `link` uses them where they are. */
  how: 'copy' | 'link';
};

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._+-]{0,99}$/u;

/**
 * Starts the import of a model or data set: hashed with progress, copied when wanted, and known to the lab only when everything
 * of it was read. @throws Failure (exit code 2) at once for what is refused, and for a name that is taken or no name.
 */
export function importFiles(services: InventoryServices, { path, name, how }: ImportRequest): Job {
  requireLibraryName(name);
  const look = lookAt(path);
  if (look.kind === 'refused') throw new Failure('refused', look.reason, 2);
  if (look.kind === 'adapter') throw new Failure('refused', adapterRefusal(`The folder ${look.path}`), 2);
  requireFreeName(services, name);
  const title = `Import ${name}`;
  if (look.kind === 'dataset')
    return services.jobs.start({ kind: 'import', title, unit: 'byte', total: look.bytes }, (job) =>
      whatFails(title, () => importDataset(services, look.path, name, how, job)),
    );
  const model = examineModel(look.path);
  const total = how === 'copy' ? sum(model.files) : model.bytes;
  if (how === 'copy') requireFreeSpace(services.lab.root, total, `A copy of "${name}"`);
  return services.jobs.start({ kind: 'import', title, unit: 'byte', total }, (job) =>
    whatFails(title, () =>
      how === 'copy' ? copyModel(services, model, name, job) : linkModel(services, model, name, job),
    ),
  );
}

/** @throws Failure (exit code 2) for what cannot be a name in the library, or is that of a model that comes with the application. */
export function requireLibraryName(name: string): void {
  if (!NAME.test(name))
    throw new Failure(
      'badName',
      `"${quotable(name)}" cannot be a name in the library; take at most 100 letters, digits, spaces, dots, dashes and underscores, a letter or digit first.`,
      2,
    );
  if (name.startsWith('embedded-'))
    throw new Failure(
      'nameTaken',
      'Names that begin with "embedded-" belong to the models that come with the application; choose another one.',
      2,
    );
}

/** @throws Failure (exit code 2) for a name that is taken. */
export function requireFreeName({ store }: InventoryServices, name: string): void {
  if (store.getModel(name) !== null || listDatasets(store).some((record) => record.name === name)) {
    throw new Failure(
      'nameTaken',
      `The library has a "${name}" already; choose another name, or remove that one first.`,
      2,
    );
  }
}

async function linkModel(
  services: InventoryServices,
  model: ModelFiles,
  name: string,
  job: JobHandle,
): Promise<ModelRecord> {
  return keep(
    services,
    await inspectWithHeader(model.path, name, services.clock.now().toISOString(), {
      onBytes: job.advance,
      signal: job.signal,
    }),
  );
}

async function copyModel(
  services: InventoryServices,
  { files, hashed, dtypes: _dtypes, ...model }: ModelFiles,
  name: string,
  job: JobHandle,
): Promise<ModelRecord> {
  const folder = join(services.lab.root, COPIED_MODELS, name);
  const from = (file: string): string => (model.format === 'gguf' ? model.path : join(model.path, file));
  const hashes = await copyInto(
    folder,
    files.map((file) => ({ from: from(file.name), name: file.name })),
    { onBytes: job.advance, signal: job.signal },
  );
  const path = model.format === 'gguf' ? join(folder, hashed[0] ?? '') : folder;
  const facts = model.format === 'gguf' ? ggufFacts(path) : {};
  return keep(services, {
    ...model,
    ...facts,
    path,
    name,
    sha256: modelHash(model.format, hashed, hashes),
    addedAt: services.clock.now().toISOString(),
    embedded: false,
  });
}

/** Takes a model into the library, and tells everybody. */
export function keep(services: InventoryServices, model: ModelRecord): ModelRecord {
  services.store.putModel(model);
  services.emit({ kind: 'changed', what: 'library', runId: null });
  return model;
}

async function importDataset(
  services: InventoryServices,
  path: string,
  name: string,
  how: ImportRequest['how'],
  job: JobHandle,
): Promise<DatasetRecord> {
  let kind: ReturnType<typeof datasetKindOf> = null;
  const scan = await scanJsonLines(
    path,
    (row) => {
      kind ??= datasetKindOf(row);
      return kind === null ? 'it is of no form this program knows' : kind.objection(row);
    },
    { onBytes: job.advance, signal: job.signal },
  );
  if (scan.firstFault !== null || kind === null) {
    const more = scan.faults > 1 ? ` (and ${scan.faults - 1} more)` : '';
    throw new Failure(
      'badFile',
      scan.firstFault === null
        ? `The file ${path} has no rows; export it again.`
        : `Line ${scan.firstFault.line} of ${path}${more}: ${scan.firstFault.why}; repair or re-export the file.`,
      2,
    );
  }
  const target = how === 'link' ? path : await copyDataset(services, path, name, scan.sha256, job);
  const record: DatasetRecord = {
    name,
    kind: (kind as { name: string }).name,
    path: target,
    sha256: scan.sha256,
    bytes: scan.bytes,
    rows: scan.rows,
    addedAt: services.clock.now().toISOString(),
  };
  putDataset(services.store, record);
  services.emit({ kind: 'changed', what: 'library', runId: null });
  return record;
}

async function copyDataset(
  services: InventoryServices,
  path: string,
  name: string,
  sha256: string,
  job: JobHandle,
): Promise<string> {
  const folder = join(services.lab.root, COPIED_DATASETS, name);
  const file = basename(path);
  const hashes = await copyInto(folder, [{ from: path, name: file }], { signal: job.signal });
  if (hashes.get(file) === sha256) return join(folder, file);
  rmSync(folder, { recursive: true, force: true });
  throw new Failure(
    'fileChanged',
    `The file ${path} changed while it was copied; import it again when nothing writes to it.`,
    1,
  );
}

const sum = (files: readonly { bytes: number }[]): number =>
  files.reduce((total, { bytes }) => total + bytes, 0);

/** Work whose failures name it. */
export async function whatFails<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asFileFailure(error, what);
  }
}
