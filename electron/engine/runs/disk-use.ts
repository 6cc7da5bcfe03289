import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunFolder } from '../lab-folder.ts';

/** Bytes of the files of a run, by what deleting it would take away. Its records in the database are not among them. */
export type DiskUse = { checkpoints: number; records: number; other: number; total: number };

export function diskUse(folder: RunFolder): DiskUse {
  const total = bytesBelow(folder.root);
  const checkpoints = bytesBelow(folder.checkpoints);
  const records = bytesBelow(folder.records);
  return { checkpoints, records, other: total - checkpoints - records, total };
}

/** Links count as themselves; what disappears while it is counted counts as nothing, since a run may be at work. */
function bytesBelow(path: string): number {
  try {
    const entry = lstatSync(path);
    return entry.isDirectory()
      ? readdirSync(path).reduce((sum, name) => sum + bytesBelow(join(path, name)), 0)
      : entry.size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
