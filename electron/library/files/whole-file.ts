import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolders, streamFile } from '../../core/index.ts';

/** Called with every piece that was read; may stop the reading. */
export type ByteWatch = { onBytes?: (bytes: number) => void; signal?: AbortSignal };

/** SHA-256 of a file's bytes, read as a stream so that size does not matter. @throws the signal's reason when it is aborted. */
export async function hashFile(path: string, { onBytes, signal }: ByteWatch = {}): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of streamFile(path)) {
    signal?.throwIfAborted();
    hash.update(piece as Buffer);
    onBytes?.((piece as Buffer).length);
  }
  return hash.digest('hex');
}

export type WholeFileOptions = {
  /** Permissions of a new file. */
  mode?: number;
  /** Where the file lies until it is whole; of its own for each program where several may write the same file at once. */
  unfinished?: string;
};

/**
 * Writes a file so that it is there in full or as it was before, also after a power cut; its folder is made.
 * @throws what the system said, with nothing half-written left behind.
 */
export function writeWholeFile(
  path: string,
  content: string | Uint8Array | Iterable<string>,
  { mode = 0o666, unfinished = `${path}.partial` }: WholeFileOptions = {},
): void {
  const chunks = typeof content === 'string' || content instanceof Uint8Array ? [content] : content;
  try {
    makeFolders(dirname(path));
    rmSync(unfinished, { force: true }); // a half that a killed program left may have other permissions
    const file = openSync(unfinished, 'wx', mode);
    try {
      for (const chunk of chunks) writeAll(file, chunk);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, path);
    syncFolder(dirname(path));
  } catch (cause) {
    removeQuietly(unfinished);
    throw cause;
  }
}

/** Appends and syncs: after a power cut or an error, the end may be missing. @throws what the system said. */
export function appendSynced(path: string, text: string): void {
  const file = openSync(path, 'a');
  try {
    writeAll(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The names in a folder are on the disk when this returns. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return; // folders cannot be opened there; the file system keeps names itself
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A write may take less than it was given when the disk is nearly full. */
function writeAll(file: number, chunk: string | Uint8Array): void {
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk;
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

/** The first fault is the one to report; where even removing fails there is no half-written file either, or nothing to be done. */
export function removeQuietly(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    /* see above */
  }
}
