import { createHash } from 'node:crypto';
import { createReadStream, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, dirname } from 'node:path';
import { makeFolders } from '../../../core/index.ts';
import { Failure, type SuiteDataset, type DatasetSource } from '../../../contract/index.ts';
import { hashFile, type ByteWatch, syncFolder } from '../../../library/index.ts';
import { readLabelledSet, type LabelledCompletion } from '../../judges/calibration.ts';
import {
  harmBenchBehavior,
  type HarmBenchBehavior,
  type HexPhiItem,
  saladItem,
  type SaladItem,
} from '../../safety/sets.ts';
import { addTextHashes, readCopyrightHashes, type CopyrightHashes } from '../../safety/harmbench/grade.ts';
import type { FoundSet } from '../discovery.ts';
import type { KeptRow } from '../kinds/kind.ts';
import { readerOf, releaseOf } from '../kinds/registry.ts';
import { linesOf, MEBIBYTE } from '../rows/row.ts';
import { wholeOf, type Watch } from '../sources/source.ts';
import { ITEMS_FILE, readItem, ItemsWriter, RowKeeper, type KnownTexts } from './rows.ts';

const PIECE_BYTES = 1 << 20;

/** A set of the lab and the absolute folder it lies in. */
export type DatasetPlace = { dataset: SuiteDataset; folder: string };

/** One official row: its place, counted from 0, its id, and the row as JSON text with numbers as the file wrote them. */
export type DatasetRow = { ordinal: number; id: string; line: string };

export const placeOf = (labRoot: string, dataset: SuiteDataset): DatasetPlace => ({
  dataset,
  folder: join(labRoot, dataset.folder),
});

/** @throws Failure `acknowledgementNeeded` (exit code 2) while a set's terms were not agreed to. */
export function requireAcknowledged({
  name,
  kind,
  acknowledgement,
}: Pick<SuiteDataset, 'name' | 'kind' | 'acknowledgement'>): void {
  const { terms } = readerOf(kind);
  if (terms === null || acknowledgement !== null) return;
  throw new Failure(
    'acknowledgementNeeded',
    `"${name}" may not be used yet: ${terms.statement} Agree to this in Evaluations under Datasets, or with "anchor dataset acknowledge".`,
    2,
  );
}

/**
 * The rows of a set, streamed in the order of its files. A walk to the end also compares the file's hash with the one it was
 * imported with.
 * @throws Failure `acknowledgementNeeded`, `missingFile`, `datasetChanged`; the signal's reason.
 */
export async function* rowsOf(
  { dataset, folder }: DatasetPlace,
  { signal }: { signal?: AbortSignal } = {},
): AsyncGenerator<DatasetRow> {
  requireAcknowledged(dataset);
  const path = join(folder, ITEMS_FILE);
  if (!existsSync(path)) throw missing(dataset, path);
  const hash = createHash('sha256');
  async function* pieces(): AsyncGenerator<Buffer> {
    for await (const piece of createReadStream(path, {
      highWaterMark: PIECE_BYTES,
    }) as AsyncIterable<Buffer>) {
      hash.update(piece);
      yield piece;
    }
  }
  let ordinal = 0;
  // An item is its row and its id; twice the row leaves room for a row that is kept as an escaped text.
  for await (const { bytes } of linesOf(pieces(), 2 * readerOf(dataset.kind).rowBytes + MEBIBYTE)) {
    signal?.throwIfAborted();
    const item = bytes === null ? null : readItem(bytes.toString('utf8'));
    if (item === null) throw changed(dataset, path);
    yield { ordinal, id: item.id, line: item.text };
    ordinal += 1;
  }
  if (hash.digest('hex') !== dataset.sha256) throw changed(dataset, path);
}

/** Whether a set's files are there; what they hold is compared by `verifyDataset`. */
export const isPresent = ({ dataset, folder }: DatasetPlace): boolean =>
  [ITEMS_FILE, ...Object.keys(dataset.files)].every((name) => existsSync(join(folder, name)));

/** Hashes a set's files again. @throws Failure `missingFile` or `datasetChanged` (exit code 1) naming the file. */
export async function verifyDataset({ dataset, folder }: DatasetPlace, watch: ByteWatch = {}): Promise<void> {
  for (const [name, sha256] of [[ITEMS_FILE, dataset.sha256], ...Object.entries(dataset.files)] as const) {
    const path = join(folder, name);
    if (!existsSync(path)) throw missing(dataset, path);
    if ((await hashFile(path, watch)) !== sha256) throw changed(dataset, path);
  }
}

/** HarmBench's behaviours (kind harmbench-behaviors). @throws see rowsOf. */
export const harmBench = (place: DatasetPlace): AsyncGenerator<HarmBenchBehavior> =>
  mapped(place, ({ line }) => harmBenchBehavior(JSON.parse(line)));

/** SALAD's questions (kind salad-mcq). @throws see rowsOf. */
export const salad = (place: DatasetPlace): AsyncGenerator<SaladItem> =>
  mapped(place, ({ line, ordinal }) => saladItem(JSON.parse(line), ordinal));

/** HEx-PHI's instructions (kind hex-phi-set). @throws see rowsOf. */
export const hexPhi = (place: DatasetPlace): AsyncGenerator<HexPhiItem> =>
  mapped(place, ({ line }) => JSON.parse(line) as HexPhiItem);

/** Hashes of protected texts (kinds harmbench-hashes and harmbench-pickles). @throws Failure `missingFile` or `badFile`; see rowsOf. */
export async function copyrightHashes(place: DatasetPlace): Promise<CopyrightHashes> {
  if (place.dataset.kind === 'harmbench-hashes') return readCopyrightHashes(place.folder);
  const hashes: CopyrightHashes = new Map();
  for await (const { line } of rowsOf(place)) addTextHashes(hashes, JSON.parse(line));
  return hashes;
}

/** Answers labelled by people (kind harmbench-labelled). @param behaviors see readLabelledSet. @throws see rowsOf. */
export async function labelledSet(
  place: DatasetPlace,
  behaviors?: ReadonlyMap<string, { behavior: string; context: string }>,
): Promise<LabelledCompletion[]> {
  const byBehavior: Record<string, unknown[]> = {};
  for await (const { line } of rowsOf(place)) {
    const { behavior_id: id, ...entry } = JSON.parse(line) as { behavior_id: string };
    (byBehavior[id] ??= []).push(entry);
  }
  return readLabelledSet(JSON.stringify(byBehavior), place.dataset.name, behaviors);
}

async function* mapped<T>(place: DatasetPlace, read: (row: DatasetRow) => T): AsyncGenerator<T> {
  for await (const row of rowsOf(place)) yield read(row);
}

const missing = ({ name }: SuiteDataset, path: string): Failure =>
  new Failure(
    'missingFile',
    `The files of "${name}" are not at ${path} any more; remove the set and import it again.`,
    2,
  );
const changed = ({ name }: SuiteDataset, path: string): Failure =>
  new Failure(
    'datasetChanged',
    `The file ${path} of "${name}" is not what was imported; remove the set and import it again.`,
  );

const BESIDE_BYTES = 64 * MEBIBYTE;

export type WrittenSet = {
  rows: number;
  bytes: number;
  sha256: string;
  files: Record<string, string>;
  sources: DatasetSource[];
};

export type WriteOptions = {
  /** Hashes of Misevolution's texts that the lab knows; null when they were not imported. */
  known: KnownTexts | null;
  signal?: AbortSignal;
  /** Called with bytes as they lie in the files. */
  onBytes?: (bytes: number) => void;
};

/**
 * Reads a set and writes it into a new folder, which holds either all of it or does not exist. Every row is checked, also after the
 * first that is refused, so that a person learns of all at once.
 * @throws RowsRefused with the rows; Failure `refused` for what cannot be read at all; the signal's reason.
 */
export async function writeSet(set: FoundSet, folder: string, options: WriteOptions): Promise<WrittenSet> {
  rmSync(folder, { recursive: true, force: true });
  makeFolders(folder);
  try {
    const written = await writeItems(set, join(folder, ITEMS_FILE), options);
    const files = await writeBeside(set, folder, options);
    syncFolder(folder);
    return { ...written, files };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Gives a complete folder its name; both the files and the name are on the disk when this returns. */
export function settle(unfinished: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  renameSync(unfinished, folder);
  syncFolder(dirname(folder));
}

/** Writes rows into a folder that is there; they are on the disk when this resolves. */
export async function writeRows(
  folder: string,
  rows: readonly KeptRow[],
): Promise<Pick<WrittenSet, 'rows' | 'bytes' | 'sha256'>> {
  const writer = await ItemsWriter.create(join(folder, ITEMS_FILE));
  try {
    for (const row of rows) await writer.add(row);
    const sha256 = await writer.end();
    syncFolder(folder);
    return { rows: writer.rows, bytes: writer.bytes, sha256 };
  } finally {
    await writer.close();
  }
}

async function writeItems(
  set: FoundSet,
  path: string,
  { known, signal, onBytes = () => {} }: WriteOptions,
): Promise<Omit<WrittenSet, 'files'>> {
  const writer = await ItemsWriter.create(path);
  try {
    const keeper = new RowKeeper(set, writer, known);
    const sources: DatasetSource[] = [];
    for (const file of set.files) {
      const hash = createHash('sha256');
      let bytes = 0;
      const watch: Watch = {
        signal,
        onPacked: onBytes,
        onBytes: (piece) => {
          hash.update(piece);
          bytes += piece.length;
        },
      };
      const before = writer.rows;
      await keeper.keep(file, watch);
      const sha256 = hash.digest('hex');
      sources.push({
        name: file.name,
        bytes,
        sha256,
        rows: writer.rows - before,
        release: releaseOf(sha256)?.release ?? null,
      });
    }
    keeper.end();
    const sha256 = await writer.end();
    return { rows: writer.rows, bytes: writer.bytes, sha256, sources };
  } finally {
    await writer.close();
  }
}

/** The files without rows, as they are; what reads them later reads them once now. */
async function writeBeside(
  { beside, files, reader }: FoundSet,
  folder: string,
  { signal }: WriteOptions,
): Promise<Record<string, string>> {
  if (beside.length === 0) return {};
  const first = files[0]!;
  const all = [{ name: 'index.json', file: first }, ...beside];
  const hashes: Record<string, string> = {};
  for (const { name, file } of all) {
    const bytes = await wholeOf(file, BESIDE_BYTES, { signal });
    writeFileSync(join(folder, name), bytes, { flag: 'wx', flush: true });
    hashes[name] = createHash('sha256').update(bytes).digest('hex');
  }
  if (reader.name === 'harmbench-hashes') await readCopyrightHashes(folder);
  return hashes;
}
