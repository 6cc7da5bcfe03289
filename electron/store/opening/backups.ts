import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { makeFolders } from '../../core/index.ts';
import { Failure } from '../../contract/index.ts';
import { checkChain } from '../audit-log/events.ts';
import { asFailure } from '../sql.ts';
import { checkHeader } from './database-file.ts';

export const BACKUP_FOLDER = 'backups';

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function verifyCopy(file: string): void {
  const copy = new SqliteDatabase(file, { readonly: true, fileMustExist: true });
  try {
    const found: unknown = copy.pragma('quick_check(1)', { simple: true });
    if (found !== 'ok')
      throw new Failure(
        'corrupt',
        `The backup ${basename(file)} is damaged (${String(found)}) and was not kept; check the disk.`,
      );
    const { firstBroken } = checkChain(copy);
    if (firstBroken !== undefined) {
      throw new Failure(
        'corrupt',
        `The backup holds a broken event ${firstBroken.seq} (${firstBroken.reason}) and was not kept; check the lab with "anchor doctor".`,
      );
    }
  } finally {
    copy.close();
  }
}

/** Called with how many pages of how many are copied, answers how many to copy next; 0 pauses, and throwing ends the backup. */
export type PageWatch = (done: number, total: number) => number;

/**
 * Copies the open database to `toFile` with SQLite's online backup, checks the copy (pages and event chain), and only then
 * gives it its name. Fails with kind `fileExists`, or with the cause; an unfinished copy is removed.
 */
export async function backupTo(db: Database, toFile: string, onPages?: PageWatch): Promise<void> {
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
    verifyCopy(unfinished);
    syncPath(unfinished);
    renameSync(unfinished, toFile);
    syncPath(dirname(toFile));
  } catch (error) {
    for (const rest of ['', '-journal', '-wal', '-shm']) rmSync(`${unfinished}${rest}`, { force: true });
    throw asFailure(error, toFile);
  }
}

/** What a copy of a lab holds, after every page and every event of it was checked. */
export type BackupFacts = {
  schema: number;
  bytes: number;
  runs: number;
  steps: number;
  events: number;
  head: string;
};

/**
 * Opens a copy of a lab for reading and checks it. @throws Failure `notALab` or `newerSchema` for another kind of file,
 * `corrupt` when a page or an event of it is damaged.
 */
export function examineBackup(file: string): BackupFacts {
  const schema = checkHeader(file);
  if (schema === 'new')
    throw new Failure('notALab', `The file ${file} holds no lab; choose a file of a backups folder.`, 2);
  verifyCopy(file);
  const copy = new SqliteDatabase(file, { readonly: true, fileMustExist: true });
  try {
    const count = (table: 'runs' | 'steps'): number =>
      (copy.prepare<[], { n: number }>(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;
    const { count: events, head } = checkChain(copy);
    return {
      schema,
      bytes: statSync(file).size,
      runs: count('runs'),
      steps: schema >= 2 ? count('steps') : 0,
      events,
      head,
    };
  } finally {
    copy.close();
  }
}

/** The checkpoints that the runs in a backup go on from, but for those of step 0, which always stay. */
export function resumePoints(file: string): { runId: string; step: number }[] {
  const copy = new SqliteDatabase(file, { readonly: true, fileMustExist: true });
  try {
    return copy
      .prepare<[], { runId: string; step: number }>(
        `SELECT run_id AS runId, max(step) AS step FROM checkpoints WHERE step > 0 AND removed_at IS NULL GROUP BY run_id, role`,
      )
      .all();
  } finally {
    copy.close();
  }
}

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
