import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  Failure,
  type DatasetEntry,
  type DatasetRefusal,
  type Job,
  type SuiteDataset,
} from '../../contract/index.ts';
import type { JobHandle } from '../../core/index.ts';
import { asFileFailure, requireFreeSpace, TEST_SETS } from '../../library/index.ts';
import * as datasets from '../datasets/index.ts';
import { listSuiteDatasets, putSuiteDataset, suiteDatasetsOf } from '../plan/suite-data.ts';
import { acknowledgementBy, entryOf, type TestSetServices } from './test-sets.ts';

export type TestSetOrder = {
  path: string;
  /** Which of the sets found there; not needed where there is one. */
  key?: string;
  name?: string;
  /** Who agrees to the set's terms. */
  by?: string;
};

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._+-]{0,99}$/u;
/** Imports under way have folders of this form; those of another process were cut off. */
const UNFINISHED = `.import-${process.pid}-`;

/** How an import ended that brought nothing in: rows that were refused, or rows the lab has already under `name`. */
type NotImported = { state: 'refused'; refusal: DatasetRefusal } | { state: 'known'; name: string };

const notImported = new WeakMap<TestSetServices, Map<string, NotImported>>();
let imports = 0;

/** The lab has these rows already. */
class KnownRows extends Failure {
  readonly known: string;

  constructor(known: string) {
    super('nameTaken', `The lab has the same rows already as "${known}"; nothing was imported.`, 2);
    this.known = known;
  }
}

/** Starts the import of a test set: read, checked and written beside the lab's other sets, and known to the lab only when all of it was right. @throws Failure (exit code 2) at once for a name that cannot be. */
export function importDataset(services: TestSetServices, order: TestSetOrder): Job {
  if (order.name !== undefined) requireName(services, order.name);
  const outcomes = notImportedOf(services);
  return services.jobs.start(
    { kind: 'dataset-import', title: `Import ${order.name ?? order.path}`, unit: 'byte' },
    async (job) => {
      try {
        return await bringIn(services, order, job);
      } catch (error) {
        if (error instanceof datasets.RowsRefused)
          outcomes.set(job.id, { state: 'refused', refusal: error.refusal });
        if (error instanceof KnownRows) outcomes.set(job.id, { state: 'known', name: error.known });
        throw asFileFailure(error, 'The test set');
      }
    },
  );
}

/** What an import came to; null while it runs, or when it ended otherwise. */
export function outcomeOf(
  services: TestSetServices,
  jobId: string,
): { state: 'imported'; dataset: DatasetEntry } | NotImported | null {
  const outcome = notImportedOf(services).get(jobId);
  if (outcome !== undefined) return outcome;
  const dataset = services.jobs.resultOf<DatasetEntry>(jobId);
  return dataset === null ? null : { state: 'imported', dataset };
}

function notImportedOf(services: TestSetServices): Map<string, NotImported> {
  const own = notImported.get(services) ?? new Map<string, NotImported>();
  notImported.set(services, own);
  return own;
}

async function bringIn(
  services: TestSetServices,
  { path, key, name: wanted, by }: TestSetOrder,
  job: JobHandle,
): Promise<DatasetEntry> {
  const folder = testSetsFolder(services);
  const opened = await datasets.openPath(path);
  try {
    const found = await datasets.findSets(opened, job.signal);
    const set = chosen(path, found, key);
    const { reader } = set;
    const at = services.clock.now().toISOString();
    const acknowledgement =
      reader.terms === null || by === undefined ? null : acknowledgementBy(by, reader.terms, at);
    if (reader.terms?.kind === 'licence' && acknowledgement === null)
      throw new Failure(
        'acknowledgementNeeded',
        `${reader.title} can be imported only by someone who agrees to its terms: ${reader.terms.statement}`,
        2,
      );
    const name = wanted ?? freeName(services, set.suggestedName);
    const total = set.files.reduce((sum, { bytes }) => sum + bytes, 0);
    requireFreeSpace(services.lab.root, total, `The test set "${name}"`);
    job.total(total);
    const unfinished = join(folder, `${UNFINISHED}${imports++}`);
    const known = reader.name === 'misevolution-texts' ? await knownTexts(services) : null;
    const written = await datasets.writeSet(set, unfinished, {
      known,
      signal: job.signal,
      onBytes: job.advance,
    });
    try {
      requireName(services, name);
      requireNew(services, written.sha256, reader.name);
      const own = `${reader.name}-${written.sha256.slice(0, 16)}`;
      datasets.settle(unfinished, join(folder, own));
      const dataset: SuiteDataset = {
        name,
        kind: reader.name,
        folder: `${TEST_SETS}/${own}`,
        ...written,
        addedAt: at,
        acknowledgement,
      };
      putSuiteDataset(services.store, dataset);
      services.emit({ kind: 'changed', what: 'datasets', runId: null });
      return entryOf(services, dataset);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
  } finally {
    opened.close();
    removeIfEmpty(folder);
  }
}

function chosen(
  path: string,
  { sets, ignored }: Awaited<ReturnType<typeof datasets.findSets>>,
  key: string | undefined,
): datasets.FoundSet {
  if (sets.length === 0) throw new Failure('refused', datasets.nothingFound(path, ignored), 2);
  const found = key === undefined ? sets : sets.filter((set) => set.key === key);
  if (found.length === 1) return found[0]!;
  const keys = sets.map((set) => set.key).join(', ');
  throw new Failure(
    'refused',
    key === undefined
      ? `There are ${sets.length} test sets at ${path}; say which one (on the command line with --set): ${keys}.`
      : `There is no test set "${key}" at ${path}; there are: ${keys}.`,
    2,
  );
}

/** @throws Failure `badName`, `nameTaken` (exit code 2). */
export function requireName({ store }: TestSetServices, name: string): void {
  if (!NAME.test(name))
    throw new Failure(
      'badName',
      `"${name}" cannot be the name of a test set; begin with a letter or digit and use letters, digits, spaces, dots, plus signs, dashes and underscores.`,
      2,
    );
  if (listSuiteDatasets(store).some((dataset) => dataset.name === name))
    throw new Failure(
      'nameTaken',
      `The lab has a test set "${name}" already; choose another name, or remove that one first.`,
      2,
    );
}

function requireNew({ store }: TestSetServices, sha256: string, kind: string): void {
  const same = listSuiteDatasets(store).find((dataset) => dataset.sha256 === sha256 && dataset.kind === kind);
  if (same !== undefined) throw new KnownRows(same.name);
}

function freeName({ store }: TestSetServices, suggested: string): string {
  const taken = new Set(listSuiteDatasets(store).map(({ name }) => name));
  if (!taken.has(suggested)) return suggested;
  let number = 2;
  while (taken.has(`${suggested.slice(0, 95)} ${number}`)) number += 1;
  return `${suggested.slice(0, 95)} ${number}`;
}

/** The folder of all sets, rid of what cut-off imports left in it. One program at a time holds a lab, so other processes' folders are left over. */
function testSetsFolder({ lab }: TestSetServices): string {
  const folder = join(lab.root, TEST_SETS);
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (name.startsWith('.import-') && !name.startsWith(UNFINISHED))
      rmSync(join(folder, name), { recursive: true, force: true });
  }
  return folder;
}

/** An import that brought nothing leaves nothing. */
function removeIfEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}

/** The hashes of Misevolution's texts, from the manifest that the lab imported last; null without one. */
async function knownTexts({ store, lab }: TestSetServices): Promise<datasets.KnownTexts | null> {
  const [newest] = suiteDatasetsOf(store, 'misevolution-hashes');
  if (newest === undefined) return null;
  const known = new Map<string, { id: string; about: Readonly<Record<string, unknown>> }>();
  for await (const { id, line } of datasets.rowsOf(datasets.placeOf(lab.root, newest))) {
    const about = JSON.parse(line) as Record<string, unknown> & { sha256: string };
    known.set(about.sha256, { id, about });
  }
  return known;
}
