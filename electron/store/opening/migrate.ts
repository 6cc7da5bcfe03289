import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { Failure } from '../../contract/index.ts';
import { sha256Hex } from '../../core/index.ts';
import { MIGRATIONS, SCHEMA_VERSION } from '../migrations/index.ts';
import type { Migration } from '../migrations/index.ts';
import { guarded, immediately } from '../sql.ts';
import { BACKUP_FOLDER, backupTo } from './backups.ts';
import { APPLICATION_ID } from './header.ts';

/**
 * SHA-256 of the schema after the last migration. It shows a database whose tables, checks, indexes or triggers were
 * altered by another tool, and a migration that was edited after its release.
 */
export const SCHEMA_SHA256 = '7cd6512a85542b71ba0eb636340cb9e4e52f035726ae04c0f995bf619e3ffffe';

/** Of the statements that made the schema, without the tables FTS5 and SQLite keep for themselves. */
export function schemaSha256(db: Database): string {
  const statements = guarded(db, () => db.prepare<[], { sql: string }>(`
    SELECT sql FROM sqlite_schema
    WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '%\\_search\\_%' ESCAPE '\\'
    ORDER BY type, name`).all());
  return sha256Hex(statements.map((row) => row.sql).join('\n;\n'));
}

/** Fails with kind `alteredSchema` when the newest schema is not exactly as the migrations made it. */
export function checkSchema(db: Database): void {
  if (schemaSha256(db) !== SCHEMA_SHA256) {
    throw new Failure('alteredSchema', `The tables of the lab ${db.name} were altered by another program; restore the newest copy from the backups folder beside it.`);
  }
}

function applyOne(db: Database, migration: Migration): void {
  immediately(db, () => {
    db.exec(migration.sql);
    const orphans = db.pragma('foreign_key_check') as unknown[];
    if (orphans.length > 0) {
      throw new Failure('migration', `The lab ${db.name} cannot be brought to schema ${migration.version} (${migration.name}): `
        + `${orphans.length} records point to missing ones. It was left as it was; restore a backup, or open it with the version that wrote it.`);
    }
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${migration.version}`);
  });
}

/**
 * Brings the database from its version to `SCHEMA_VERSION`, one transaction per migration, and makes a verified backup
 * before each change of a lab that already holds something. A failure leaves the version it had reached.
 */
export async function migrate(db: Database, folder: string, now: () => Date): Promise<void> {
  const from = guarded(db, () => db.pragma('user_version', { simple: true }) as number);
  for (const migration of MIGRATIONS.slice(from, SCHEMA_VERSION)) {
    if (from > 0) {
      const stamp = now().toISOString().replaceAll(':', '-');
      await backupTo(db, join(folder, BACKUP_FOLDER, `${stamp}-schema-${migration.version - 1}.sqlite`));
    }
    applyOne(db, migration);
  }
  checkSchema(db);
}
