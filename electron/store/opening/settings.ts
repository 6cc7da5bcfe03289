import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { execute, readOne, reader, sql } from '../sql.ts';

const asValue = reader('setting', z.unknown(), (row: { value: string }) => JSON.parse(row.value));

export function selectSetting(db: Database, name: string): unknown {
  return readOne(db, asValue, sql`SELECT value FROM settings WHERE name = ${name}`);
}

export function upsertSetting(db: Database, name: string, value: unknown): void {
  execute(
    db,
    sql`
    INSERT INTO settings (name, value) VALUES (${name}, ${JSON.stringify(value)})
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  );
}

/** True while no program has the lab open for writing and the last one closed it. A lab that was never closed is unclean. */
const CLEAN_EXIT = 'clean_exit';

export function wasClosedCleanly(db: Database): boolean {
  return selectSetting(db, CLEAN_EXIT) === true;
}

export function markCleanExit(db: Database, clean: boolean): void {
  upsertSetting(db, CLEAN_EXIT, clean);
}
