import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';

/** Writes a file whole or not at all: a new one beside it is flushed and then takes its place. */
export function writeWholeFile(path: string, text: string): void {
  const fresh = `${path}.new-${process.pid}`;
  try {
    const file = openSync(fresh, 'w', 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

/** JSON of a file; null when there is none or it cannot be read as such. */
export function readJsonOrNull(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
