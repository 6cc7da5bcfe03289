import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { makeFolders } from '../../core/index.ts';
import { Failure } from '../../contract/index.ts';
import { asFailure } from '../sql.ts';
import { checkInThread, type BackupFacts, type CheckOptions } from './check-thread.ts';

export const BACKUP_FOLDER = 'backups';

async function syncPath(path: string): Promise<void> {
  const opened = await open(path, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

/** Called with how many pages of how many are copied, answers how many to copy next; 0 pauses, and throwing ends the backup. */
export type PageWatch = (done: number, total: number) => number;
export type BackupOptions = {
  onPages?: PageWatch;
  /** Called when everything is copied and nothing is checked yet, with where the copy lies meanwhile. */
  onCopied?: (unfinished: string) => Promise<void>;
  signal?: AbortSignal;
};

/**
 * Copies the open database to `toFile` with SQLite's online backup, checks the copy (pages and event chain), and only then
 * gives it its name. Fails with kind `fileExists`, or with the cause; an unfinished copy is removed.
 */
export async function backupTo(
  db: Database,
  toFile: string,
  { onPages, onCopied, signal }: BackupOptions = {},
): Promise<void> {
  if (existsSync(toFile))
    throw new Failure(
      'fileExists',
      `The file ${toFile} exists already; choose another name for the backup.`,
      2,
    );
  const unfinished = `${toFile}.tmp`;
  try {
    makeFolders(dirname(toFile));
    rmSync(unfinished, { force: true });
    await db.backup(
      unfinished,
      onPages === undefined
        ? undefined
        : { progress: ({ totalPages, remainingPages }) => onPages(totalPages - remainingPages, totalPages) },
    );
    // As one plain file without a log, so that it can be carried away.
    const copy = new SqliteDatabase(unfinished);
    copy.pragma('journal_mode = DELETE');
    copy.close();
    await onCopied?.(unfinished);
    await examineBackup(unfinished, { signal });
    await syncPath(unfinished);
    renameSync(unfinished, toFile);
    await syncPath(dirname(toFile));
  } catch (error) {
    for (const rest of ['', '-journal', '-wal', '-shm']) rmSync(`${unfinished}${rest}`, { force: true });
    throw asFailure(error, toFile);
  }
}

/**
 * Reads every page and event of a copy of a lab, in a thread of its own. @throws Failure `notALab` or `newerSchema` for another kind of
 * file, `corrupt` when a page or an event of it is damaged.
 */
export const examineBackup = (file: string, options?: CheckOptions): Promise<BackupFacts> =>
  checkInThread('backup', file, options);

/** Newest backup of a lab folder by name (names begin with the time), or null. */
export function newestBackup(folder: string): string | null {
  const backups = join(folder, BACKUP_FOLDER);
  if (!existsSync(backups)) return null;
  const newest = readdirSync(backups)
    .filter((name) => name.endsWith('.sqlite'))
    .sort()
    .at(-1);
  return newest === undefined ? null : join(backups, newest);
}
