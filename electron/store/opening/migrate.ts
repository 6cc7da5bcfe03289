import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { Failure } from '../../contract/index.ts';
import { sha256Hex } from '../../core/index.ts';
import { MIGRATIONS, SCHEMA_VERSION, type Migration } from '../migrations/index.ts';
import { guarded, immediately } from '../sql.ts';
import { BACKUP_FOLDER } from './backup-folder.ts';
import { backupTo } from './backups.ts';
import { APPLICATION_ID } from './database-file.ts';

/**
 * SHA-256 of the schema after the last migration. It shows a database whose tables, checks, indexes or triggers were
 * altered by another tool, and a migration that was edited after its release.
 */
export const SCHEMA_SHA256 = '01ae8048c3b2d45c985984abe19bcc61268d3eca73c5fdfbd1aa5ef74397e481';

/** Of the statements that made the schema, without the tables FTS5 and SQLite keep for themselves. */
export function schemaSha256(db: Database): string {
  const statements = guarded(db, () =>
    db
      .prepare<[], { sql: string }>(
        `
    SELECT sql FROM sqlite_schema
    WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '%\\_search\\_%' ESCAPE '\\'
    ORDER BY type, name`,
      )
      .all(),
  );
  return sha256Hex(statements.map((row) => row.sql).join('\n;\n'));
}

/** Fails with kind `alteredSchema` when the newest schema is not exactly as the migrations made it. */
export function checkSchema(db: Database): void {
  if (schemaSha256(db) !== SCHEMA_SHA256) {
    throw new Failure(
      'alteredSchema',
      `The tables of the lab ${db.name} were altered by another program; restore the newest copy from the backups folder beside it.`,
    );
  }
}

/** A program that only reads cannot migrate. Fails with kind `olderSchema`. */
export function requireNewestSchema(db: Database, version: number): void {
  if (version < SCHEMA_VERSION) {
    throw new Failure(
      'olderSchema',
      `The lab ${db.name} was written by an earlier Anchor Lab (schema ${version}, this one needs ${SCHEMA_VERSION}); ` +
        'open it once for writing to bring it up to date.',
    );
  }
  checkSchema(db);
}

/** Runs the SQL of one migration. A schema is only writable for as long as that takes. */
export function runMigration(db: Database, { sql, editsSchema }: Migration): void {
  if (editsSchema !== true) return void db.exec(sql);
  db.unsafeMode(true);
  try {
    db.exec(sql);
  } finally {
    db.unsafeMode(false);
  }
}

function applyOne(db: Database, migration: Migration): void {
  immediately(db, () => {
    try {
      runMigration(db, migration);
    } catch (error) {
      // "table exists already" and the like: the version in the header does not tell what the file holds.
      if (error instanceof SqliteDatabase.SqliteError && error.code === 'SQLITE_ERROR') {
        throw new Failure(
          'corrupt',
          `The lab ${db.name} says it has schema ${migration.version - 1} but does not (${error.message}); ` +
            'keep the file, and restore the newest copy from the backups folder beside it.',
          1,
          { cause: error },
        );
      }
      throw error;
    }
    const orphans = db.pragma('foreign_key_check') as unknown[];
    if (orphans.length > 0) {
      throw new Failure(
        'migration',
        `The lab ${db.name} cannot be brought to schema ${migration.version} (${migration.name}): ` +
          `${orphans.length} records point to missing ones. It was left as it was; restore a backup, or open it with the version that wrote it.`,
      );
    }
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${migration.version}`);
  });
}

/**
 * Brings the database from its version to `SCHEMA_VERSION`, one transaction per migration, after one verified backup of a lab that
 * already holds something. A failure leaves the version it had reached; the backup is of the version before.
 */
export async function migrate(db: Database, folder: string, now: () => Date): Promise<void> {
  const from = guarded(db, () => db.pragma('user_version', { simple: true }) as number);
  if (from > 0 && from < SCHEMA_VERSION) {
    requireSpaceForBackup(db, folder, from);
    const stamp = now().toISOString().replaceAll(':', '-');
    await backupTo(db, join(folder, BACKUP_FOLDER, `${stamp}-schema-${from}.sqlite`));
  }
  for (const migration of MIGRATIONS.slice(from, SCHEMA_VERSION)) applyOne(db, migration);
  checkSchema(db);
}

const MEGABYTE = 1e6;

function requireSpaceForBackup(db: Database, folder: string, from: number): void {
  const [pages, size] = guarded(db, () => [
    db.pragma('page_count', { simple: true }) as number,
    db.pragma('page_size', { simple: true }) as number,
  ]) as [number, number];
  const { bavail, bsize } = statfsSync(folder);
  const [needed, free] = [pages * size, bavail * bsize];
  if (free >= needed) return;
  const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(1);
  throw new Failure(
    'diskFull',
    `The lab ${db.name} has to be brought from schema ${from} to ${SCHEMA_VERSION}, and the backup before that takes ${megabytes(needed)} MB ` +
      `where ${megabytes(free)} MB are free. Free some space and open it again; it was left as it was.`,
  );
}
