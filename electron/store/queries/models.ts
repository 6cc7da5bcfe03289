import type { Database } from 'better-sqlite3';
import { modelRecordSchema } from '../../contract/index.ts';
import type { ModelRecord } from '../../contract/index.ts';
import { execute, readAll, readOne, reader, sql } from '../sql.ts';

type ModelRow = {
  name: string;
  kind: string;
  format: string;
  path: string;
  sha256: string;
  architecture: string;
  parameters: number | null;
  context_length: number | null;
  bytes: number;
  added_at: string;
  embedded: number;
};

const asModel = reader('model', modelRecordSchema, (row: ModelRow) => ({
  name: row.name,
  kind: row.kind,
  format: row.format,
  path: row.path,
  sha256: row.sha256,
  architecture: row.architecture,
  parameters: row.parameters,
  contextLength: row.context_length,
  bytes: row.bytes,
  addedAt: row.added_at,
  embedded: row.embedded === 1,
}));

const COLUMNS = sql`name, kind, format, path, sha256, architecture, parameters, context_length, bytes, added_at, embedded`;

/** A model of the same name is replaced. */
export function upsertModel(db: Database, model: ModelRecord): void {
  execute(
    db,
    sql`
    INSERT INTO models (name, kind, format, path, sha256, architecture, parameters, context_length, bytes, added_at, embedded)
    VALUES (${model.name}, ${model.kind}, ${model.format}, ${model.path}, ${model.sha256}, ${model.architecture}, ${model.parameters},
      ${model.contextLength}, ${model.bytes}, ${model.addedAt}, ${model.embedded ? 1 : 0})
    ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, format = excluded.format, path = excluded.path, sha256 = excluded.sha256,
      architecture = excluded.architecture, parameters = excluded.parameters, context_length = excluded.context_length,
      bytes = excluded.bytes, added_at = excluded.added_at, embedded = excluded.embedded`,
  );
}

export function selectModel(db: Database, name: string): ModelRecord | null {
  return readOne(db, asModel, sql`SELECT ${COLUMNS} FROM models WHERE name = ${name}`);
}

export function selectModels(db: Database): ModelRecord[] {
  return readAll(db, asModel, sql`SELECT ${COLUMNS} FROM models ORDER BY kind, name`);
}

export function removeModelRow(db: Database, name: string): boolean {
  return execute(db, sql`DELETE FROM models WHERE name = ${name}`).changes === 1;
}
