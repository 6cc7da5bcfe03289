import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { Failure } from '../../contract/index.ts';
import { processStartTicks } from './process-start.ts';

export const LOCK_FILE = 'anchor.lock';

type Holder = { pid: number; start_ticks: number | null; opened_at: string };

/** Keeps the lab ours until released or until this process ends, however it ends. */
export type Lock = { release(): void };

/**
 * One program writes to a lab. `anchor.lock` is a tiny SQLite file that tells who (pid, start time); its holder keeps a write
 * transaction open on it. So the operating system itself drops the lock when the holder dies, even by kill -9 or a power cut:
 * a stale file is simply taken over, two programs cannot take it over at once, and a pid that was given to another process
 * since then cannot be mistaken for the holder. Others can still read who holds it.
 * Fails with kind `labLocked` when another program has the lab open, naming its pid.
 */
export function lockLab(folder: string, now: () => Date): Lock {
  const file = join(folder, LOCK_FILE);
  let lock: Database | undefined;
  try {
    lock = new SqliteDatabase(file, { timeout: 0 });
    // A rollback journal, not WAL: readers see the last committed row while the transaction below stays open.
    lock.pragma('journal_mode = DELETE');
    lock.exec(`
      BEGIN IMMEDIATE;
      CREATE TABLE IF NOT EXISTS holder (
        one INTEGER PRIMARY KEY CHECK (one = 1), pid INTEGER NOT NULL, start_ticks INTEGER, opened_at TEXT NOT NULL) STRICT;`);
    lock.prepare('INSERT OR REPLACE INTO holder (one, pid, start_ticks, opened_at) VALUES (1, ?, ?, ?)')
      .run(process.pid, processStartTicks(process.pid), now().toISOString());
    lock.exec('COMMIT; BEGIN IMMEDIATE;');
    const held = lock;
    return { release: () => void held.close() };
  } catch (error) {
    const busy = error instanceof SqliteDatabase.SqliteError && error.code.startsWith('SQLITE_BUSY');
    const holder = busy && lock !== undefined ? readHolder(lock) : null;
    lock?.close();
    if (busy) {
      const who = holder === null ? 'Another program' : `Process ${holder.pid} (since ${holder.opened_at})`;
      throw new Failure('labLocked', `${who} has the lab ${folder} open; close it, or choose another lab folder.`, 1, { cause: error });
    }
    if (error instanceof SqliteDatabase.SqliteError && error.code === 'SQLITE_NOTADB') {
      throw new Failure('notALab', `The file ${file} was not written by Anchor Lab; move it away, or choose another lab folder.`, 1, { cause: error });
    }
    throw error;
  }
}

function readHolder(lock: Database): Holder | null {
  try {
    return lock.prepare<[], Holder>('SELECT pid, start_ticks, opened_at FROM holder').get() ?? null;
  } catch {
    // Between its two transactions the holder may be writing the row; the refusal stands without a name.
    return null;
  }
}
