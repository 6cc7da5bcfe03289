import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * Makes a folder and those above it that are missing. Node's recursive form tries for ever where the system says that a folder cannot be
 * made although the one above is there, as everywhere under /proc.
 * @throws what the system says of the first that cannot be made.
 */
export function makeFolders(path: string): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolders(above);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another program may have been faster.
    if (!isFolder(path)) throw error;
  }
}
