import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { Failure } from '../../contract/index.ts';
import { asFailure } from '../sqlite-failure.ts';
import { makeDatabaseFile, requirePlainFiles } from './database-file.ts';

/** Field 22 of /proc/PID/stat: clock ticks after boot at which the process started. With the pid it names one process. */
const START_TIME_FIELD = 22;

/** Of processes that have ended and that nobody has asked about yet: some containers leave them for good. */
const ENDED = /^[ZX]/;

/** Null where there is no such process, it has ended, or there is no /proc. */
export function processStartTicks(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses and may itself hold blanks and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2);
    if (ENDED.test(fields)) return null;
    const ticks = Number(fields.split(' ')[START_TIME_FIELD - 3]);
    return Number.isSafeInteger(ticks) ? ticks : null;
  } catch {
    return null;
  }
}

const LOCK_FILE = 'anchor.lock';

/** While our own commit waits for a second program that is just reading who we are. */
const COMMIT_PATIENCE_MS = 2000;

/** Keeps the lab ours until released or until this process ends, however it ends. */
export type Lock = { release(): void };

/** Who opened a lab for writing; `startTicks` (clock ticks after boot, Linux) tells the process from a later one with its pid. */
export type LabHolder = { pid: number; startTicks: number | null; openedAt: string };

/**
 * One program writes to a lab. `anchor.lock` is a tiny SQLite file that tells who (pid, start time); its holder keeps a write
 * transaction open on it. So the operating system itself drops the lock when the holder dies, even by kill -9 or a power cut:
 * a stale file is simply taken over, two programs cannot take it over at once, and a pid that was given to another process
 * since then cannot be mistaken for the holder. Others can still read who holds it.
 * Fails with kind `labLocked` when another program has the lab open, naming its pid.
 */
export function lockLab(folder: string, now: () => Date): Lock {
  const file = join(folder, LOCK_FILE);
  requirePlainFiles(file);
  let lock: Database | undefined;
  try {
    makeDatabaseFile(file);
    lock = new SqliteDatabase(file, { timeout: 0 });
    lock.exec('BEGIN IMMEDIATE');
    lock.pragma(`busy_timeout = ${COMMIT_PATIENCE_MS}`);
    lock.exec(`CREATE TABLE IF NOT EXISTS holder (
      one INTEGER PRIMARY KEY CHECK (one = 1), pid INTEGER NOT NULL, start_ticks INTEGER, opened_at TEXT NOT NULL) STRICT`);
    lock
      .prepare('INSERT OR REPLACE INTO holder (one, pid, start_ticks, opened_at) VALUES (1, ?, ?, ?)')
      .run(process.pid, processStartTicks(process.pid), now().toISOString());
    lock.exec('COMMIT');
    lock.exec('BEGIN IMMEDIATE');
    const held = lock;
    return { release: () => void held.close() };
  } catch (error) {
    const failure = lockFailure(error, folder, file, lock);
    lock?.close();
    throw failure;
  }
}

/** The same where there is no room to say who we are. @throws Failure `labLocked`. */
export function lockUnnamed(folder: string): Lock {
  const file = join(folder, LOCK_FILE);
  let lock: Database | undefined;
  try {
    lock = new SqliteDatabase(file, { timeout: 0 });
    lock.exec('BEGIN IMMEDIATE');
  } catch (error) {
    const failure = lockFailure(error, folder, file, lock);
    lock?.close();
    if (failure instanceof Failure && failure.kind === 'labLocked') throw failure;
    return { release: () => {} }; // nobody can write there, so nobody holds it
  }
  const held = lock;
  return { release: () => void held.close() };
}

function lockFailure(error: unknown, folder: string, file: string, lock: Database | undefined): unknown {
  if (!(error instanceof SqliteDatabase.SqliteError)) return error;
  if (error.code.startsWith('SQLITE_BUSY')) {
    const holder = lock === undefined ? null : readHolder(lock);
    return inUse(holder, folder, error);
  }
  if (error.code === 'SQLITE_NOTADB' || error.code.startsWith('SQLITE_CORRUPT')) {
    return new Failure(
      'notALab',
      `The lock file ${file} is not one that Anchor Lab wrote; if no Anchor Lab is running, delete it and try again.`,
      1,
      { cause: error },
    );
  }
  return asFailure(error, file);
}

export function inUse(holder: LabHolder | null, folder: string, cause?: unknown): Failure {
  const who = holder === null ? 'Another program' : `Process ${holder.pid} (since ${holder.openedAt})`;
  const sentence = `${who} has the lab ${folder} open; close it, or choose another lab folder.`;
  return new Failure('labLocked', sentence, 1, { cause });
}

function readHolder(lock: Database): LabHolder | null {
  try {
    const named = lock
      .prepare<[], LabHolder>('SELECT pid, start_ticks AS startTicks, opened_at AS openedAt FROM holder')
      .get();
    // Where the disk is full a holder has no room for its own name, and the one before it may be long gone.
    const isGone =
      named === undefined || (named.startTicks !== null && processStartTicks(named.pid) !== named.startTicks);
    return isGone ? null : named;
  } catch {
    // Between its two transactions the holder may be writing the row; the refusal stands without a name.
    return null;
  }
}

/** The process that has the lab open for writing now, or null. Changes nothing. */
export function labHolder(folder: string): LabHolder | null {
  const file = join(folder, LOCK_FILE);
  if (!existsSync(file)) return null;
  requirePlainFiles(file);
  const lock = new SqliteDatabase(file, { timeout: 0 });
  try {
    lock.exec('BEGIN IMMEDIATE; ROLLBACK');
    return null;
  } catch (error) {
    if (error instanceof SqliteDatabase.SqliteError && error.code.startsWith('SQLITE_BUSY'))
      return readHolder(lock);
    throw asFailure(error, file);
  } finally {
    lock.close();
  }
}
