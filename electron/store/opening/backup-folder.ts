import { lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../contract/index.ts';
import { isFolder, namesIn } from '../../core/index.ts';

export const BACKUP_FOLDER = 'backups';

/**
 * A folder of backups may be a link to another disk, which may not be there.
 * @throws Failure `missingFile` where something stands at the path that is no folder now; nothing at all is one that is made when needed.
 */
export function requireBackupFolder(folder: string): void {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined || isFolder(folder)) return;
  throw new Failure(
    'missingFile',
    found.isSymbolicLink()
      ? `The folder of backups ${folder} is a link to ${readlinkSync(folder)}, where no folder is now; plug in the disk that it is on, or remove the link.`
      : `The folder of backups ${folder} is no folder; move what is there elsewhere.`,
  );
}

/** What is said of a backup whose file is gone before it was whole; SQLite would make of that a failure of the lab's own disk. */
export function backupTakenAway(folder: string, cause?: unknown): Failure {
  try {
    requireBackupFolder(folder);
  } catch (error) {
    if (error instanceof Failure) return error;
  }
  return new Failure(
    'cannotWrite',
    `The backup was taken away from ${folder} while it was made; make another one once the folder, and the disk that it is on, stay there.`,
    1,
    { cause },
  );
}

/** Newest backup of a lab folder by name (names begin with the time), or null. */
export function newestBackup(folder: string): string | null {
  const backups = join(folder, BACKUP_FOLDER);
  if (!isFolder(backups)) return null;
  const newest = namesIn(backups)
    .filter((name) => name.endsWith('.sqlite'))
    .sort()
    .at(-1);
  return newest === undefined ? null : join(backups, newest);
}
