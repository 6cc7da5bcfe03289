import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { Failure } from '../../contract/index.ts';
import { checkChain } from '../doors/events.ts';
import { asFailure } from '../sqlite-failures.ts';

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
    if (found !== 'ok') throw new Failure('corrupt', `The backup ${basename(file)} is damaged (${String(found)}) and was not kept; check the disk.`);
    const { firstBroken } = checkChain(copy);
    if (firstBroken !== undefined) {
      throw new Failure('corrupt', `The backup holds a broken event ${firstBroken.seq} (${firstBroken.reason}) and was not kept; check the lab with "anchor doctor".`);
    }
  } finally {
    copy.close();
  }
}

/**
 * Copies the open database to `toFile` with SQLite's online backup, checks the copy (pages and event chain), and only then
 * gives it its name. Fails with kind `fileExists`, or with the cause; an unfinished copy is removed.
 */
export async function backupTo(db: Database, toFile: string): Promise<void> {
  if (existsSync(toFile)) throw new Failure('fileExists', `The file ${toFile} exists already; choose another name for the backup.`, 2);
  const unfinished = `${toFile}.tmp`;
  try {
    mkdirSync(dirname(toFile), { recursive: true });
    rmSync(unfinished, { force: true });
    await db.backup(unfinished);
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

/** Newest backup of a lab folder by name (names begin with the time), or null. */
export function newestBackup(folder: string): string | null {
  const backups = join(folder, BACKUP_FOLDER);
  if (!existsSync(backups)) return null;
  const newest = readdirSync(backups).filter((name) => name.endsWith('.sqlite')).sort().at(-1);
  return newest === undefined ? null : join(backups, newest);
}
