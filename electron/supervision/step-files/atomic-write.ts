import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../../contract/index.ts';

/** Writes a file so that it is there in full or as it was before, also after a power cut. @throws Failure `cannotWrite` naming the file. */
export function writeAtomically(path: string, chunks: Iterable<string>): void {
  const half = `${path}.partial`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    const file = openSync(half, 'w');
    try {
      for (const chunk of chunks) writeAll(file, Buffer.from(chunk, 'utf8'));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(half, path);
    syncFolder(dirname(path));
  } catch (cause) {
    removeQuietly(half);
    throw new Failure('cannotWrite', `The export ${path} could not be written: ${(cause as Error).message}. Free space or correct the permissions, then export again; the database is unaffected.`, 1, { cause });
  }
}

/** Appends and syncs; the caller recognises an append that was cut off by its missing last newline. */
export function appendSynced(path: string, text: string): void {
  try {
    const file = openSync(path, 'a');
    try {
      writeAll(file, Buffer.from(text, 'utf8'));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw new Failure('cannotWrite', `The export ${path} could not be extended: ${(cause as Error).message}. Free space or correct the permissions, then export again; the database is unaffected.`, 1, { cause });
  }
}

/** The first fault is the one to report; where even removing fails there is no half-written file either, or nothing to be done. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch { /* see above */ }
}

/** A write may take less than it was given when the disk is nearly full. */
function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
