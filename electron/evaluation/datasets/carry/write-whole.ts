import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

/** Writes a text file whole or not at all: under another name, to the disk, then renamed. */
export function writeWhole(path: string, text: string): void {
  const unfinished = `${path}.tmp`;
  try {
    const descriptor = openSync(unfinished, 'w');
    try {
      const bytes = Buffer.from(text, 'utf8');
      for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
