import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../../contract/index.ts';
import type { ByteWatch } from '../file-hash.ts';
import { syncFolder } from './whole-file.ts';

const PIECE_BYTES = 1024 * 1024;

/** A file to be copied: where it is, and its name below the target folder. */
export type CopyEntry = { from: string; name: string };

/**
 * Copies files into a new folder and returns the SHA-256 of each, taken from the bytes that were written. The folder gets its
 * name only once every file is complete and on the disk; a copy that fails or is cancelled leaves nothing.
 * @throws Failure `fileExists` (exit code 2) when the folder is there already; otherwise what the system said, or the signal's reason.
 */
export async function copyInto(
  folder: string,
  files: readonly CopyEntry[],
  watch: ByteWatch = {},
): Promise<Map<string, string>> {
  if (existsSync(folder))
    throw new Failure(
      'fileExists',
      `The folder ${folder} is there already; give the model another name, or remove the other one first.`,
      2,
    );
  const unfinished = `${folder}.tmp`;
  rmSync(unfinished, { recursive: true, force: true });
  const hashes = new Map<string, string>();
  try {
    for (const { from, name } of files) hashes.set(name, await copyOne(from, join(unfinished, name), watch));
    syncFolder(unfinished);
    renameSync(unfinished, folder);
    syncFolder(dirname(folder));
    return hashes;
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
}

async function copyOne(from: string, to: string, { onBytes, signal }: ByteWatch): Promise<string> {
  mkdirSync(dirname(to), { recursive: true });
  const hash = createHash('sha256');
  const target = await open(to, 'wx');
  try {
    for await (const piece of createReadStream(from, { highWaterMark: PIECE_BYTES })) {
      signal?.throwIfAborted();
      hash.update(piece as Buffer);
      await target.write(piece as Buffer);
      onBytes?.((piece as Buffer).length);
    }
    await target.sync();
  } finally {
    await target.close();
  }
  return hash.digest('hex');
}
