import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { modelRecordSchema, type ModelRecord } from '../contract/index.ts';
import { modelSha256 } from './audit-log/digests.ts';
import { appendToChain, type Clock } from './audit-log/events.ts';
import { checkedRecord, execute, immediately, readAll, reader, readOne, sql, wellFormed } from './sql.ts';

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

/**
 * True while no program has the lab open for writing and the last one closed it. A lab that was never closed is unclean, and it stays so
 * until the check that follows is through; one that was found damaged is marked as `damaged`.
 */
const CLEAN_EXIT = 'clean_exit';
export const DAMAGED = 'damaged';
/** Who has the database open for writing. */
export const WRITER = 'writer';
/** Ids of runs whose deletion is begun: nothing of them is shown any more, and their records go piece by piece. */
export const BEING_DELETED = 'runs_being_deleted';
/** Settings that say how the lab is opened just now and what is left to do; no event speaks of them. */
export const PROGRAM_SETTINGS: readonly string[] = [CLEAN_EXIT, WRITER, BEING_DELETED];

export function wasClosedCleanly(db: Database): boolean {
  return selectSetting(db, CLEAN_EXIT) === true;
}

export function wasFoundDamaged(db: Database): boolean {
  return selectSetting(db, CLEAN_EXIT) === DAMAGED;
}

export function markCleanExit(db: Database, mark: boolean | typeof DAMAGED): void {
  upsertSetting(db, CLEAN_EXIT, mark);
}

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

const MODEL_COLUMNS = sql`name, kind, format, path, sha256, architecture, parameters, context_length, bytes, added_at, embedded`;

/** A model of the same name is replaced. */
function upsertModel(db: Database, model: ModelRecord): void {
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
  return readOne(db, asModel, sql`SELECT ${MODEL_COLUMNS} FROM models WHERE name = ${name}`);
}

function selectModels(db: Database): ModelRecord[] {
  return readAll(db, asModel, sql`SELECT ${MODEL_COLUMNS} FROM models ORDER BY kind, name`);
}

function removeModelRow(db: Database, name: string): boolean {
  return execute(db, sql`DELETE FROM models WHERE name = ${name}`).changes === 1;
}

/** Models and settings of the lab. */
export function catalogueRepository(db: Database, now: Clock) {
  return {
    /** Adds a model; one of the same name is replaced. */
    putModel(model: ModelRecord): void {
      const record = checkedRecord(modelRecordSchema, model, `model "${model.name}"`);
      immediately(db, () => {
        const before = selectModel(db, record.name);
        const recordSha256 = modelSha256(record);
        if (before !== null && modelSha256(before) === recordSha256) return;
        upsertModel(db, record);
        appendToChain(db, now, null, 'model.stored', {
          name: record.name,
          kind: record.kind,
          sha256: record.sha256,
          recordSha256,
        });
      });
    },
    getModel(name: string): ModelRecord | null {
      return selectModel(db, name);
    },
    listModels(): ModelRecord[] {
      return selectModels(db);
    },
    /** Forgets the record, not the file. Returns false when there was none. */
    removeModel(name: string): boolean {
      return immediately(db, () => {
        const removed = removeModelRow(db, name);
        if (removed) appendToChain(db, now, null, 'model.removed', { name });
        return removed;
      });
    },

    /** A value kept for the lab, null when it was never set. Names beginning with "app." are the caller's to choose. */
    getSetting(name: `app.${string}`): unknown {
      return selectSetting(db, name);
    },
    /** @param value plain JSON data */
    setSetting(name: `app.${string}`, value: unknown): void {
      immediately(db, () => {
        upsertSetting(db, name, wellFormed(value));
        appendToChain(db, now, null, 'setting.stored', { name, value });
      });
    },
  };
}
