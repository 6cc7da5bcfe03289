import { renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Failure } from '../../contract/index.ts';
import { makeFolders, readBeginning } from '../../core/index.ts';
import { BACKUP_FOLDER } from './backup-folder.ts';
import { requirePlainFiles } from './database-file.ts';

/** Byte offset of the SQLite file format at which a database says whether it is written through a log (2) or not (1). */
const WRITE_VERSION_AT = 18;
const WITHOUT_LOG = 1;

/**
 * A backup, or a copy that was rescued, says that it has no log. One that lies beside it was left by the database whose place it took, and
 * SQLite would write its pages into the copy. @returns whether there is such a log
 */
function hasStrangeLog(file: string): boolean {
  requirePlainFiles(file);
  const [database, log] = ['', '-wal'].map((end) => statSync(`${file}${end}`, { throwIfNoEntry: false }));
  if (database === undefined || (log?.size ?? 0) === 0) return false;
  return readBeginning(file, WRITE_VERSION_AT + 1)[WRITE_VERSION_AT] === WITHOUT_LOG;
}

/**
 * Puts such a log among the backups, with the lab held. @returns where it lies now, null where there was none.
 * @throws Failure `cannotOpen` where it stays: the database would be read with what another one stored.
 */
export function setStrangeLogAside(folder: string, file: string, now: () => Date): string | null {
  if (!hasStrangeLog(file)) return null;
  const aside = join(
    folder,
    BACKUP_FOLDER,
    `${now().toISOString().replaceAll(':', '-')}-of-another.${basename(file)}-log`,
  );
  try {
    makeFolders(join(folder, BACKUP_FOLDER));
    renameSync(`${file}-wal`, aside);
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    throw new Failure(
      'cannotOpen',
      `${file}-wal is the log of another database and could not be put among the backups (${code}); free some space and make ${folder} writable, or move that log away, then open the lab again.`,
      1,
      { cause },
    );
  }
  try {
    rmSync(`${file}-shm`, { force: true });
  } catch {
    // Its index, which SQLite makes anew where no other program has the database open.
  }
  return aside;
}
