import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatasetSource } from '../../../contract/index.ts';
import { syncFolder } from '../../../library/index.ts';
import { readCopyrightHashes } from '../../safety/index.ts';
import type { FoundSet } from '../discovery/sets.ts';
import { releaseOf } from '../kinds/registry.ts';
import { MEBIBYTE } from '../rows/row.ts';
import { wholeOf, type Watch } from '../sources/unpack.ts';
import { ITEMS_FILE, ItemsWriter, RowKeeper, type KnownTexts } from './rows.ts';

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
  /** Hears of bytes as they lie in the files. */
  onBytes?: (bytes: number) => void;
};

/**
 * Reads a set and writes it into a new folder, which holds either all of it or does not exist. Every row is checked, also after the
 * first that is refused, so that a person learns of all at once.
 * @throws RowsRefused with the rows; Failure `refused` for what cannot be read at all; the signal's reason.
 */
export async function writeSet(set: FoundSet, folder: string, options: WriteOptions): Promise<WrittenSet> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
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
