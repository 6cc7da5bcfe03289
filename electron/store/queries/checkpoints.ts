import type { Database } from 'better-sqlite3';
import { checkpointRecordSchema } from '../../contract/index.ts';
import type { CheckpointRecord } from '../../contract/index.ts';
import { execute, readAll, readOne, reader, sql } from '../sql.ts';

type CheckpointRow = {
  step: number;
  role: string;
  version: number;
  folder: string;
  weights_sha256: string;
  bytes: number;
  files: string;
};

const asCheckpoint = reader('checkpoint', checkpointRecordSchema, (row: CheckpointRow) => ({
  step: row.step,
  role: row.role,
  version: row.version,
  folder: row.folder,
  weightsSha256: row.weights_sha256,
  bytes: row.bytes,
  files: JSON.parse(row.files),
}));

const COLUMNS = sql`step, role, version, folder, weights_sha256, bytes, files`;

export function insertCheckpoint(db: Database, runId: string, checkpoint: CheckpointRecord): void {
  execute(
    db,
    sql`
    INSERT INTO checkpoints (run_id, step, role, version, folder, weights_sha256, bytes, files)
    VALUES (${runId}, ${checkpoint.step}, ${checkpoint.role}, ${checkpoint.version}, ${checkpoint.folder}, ${checkpoint.weightsSha256},
      ${checkpoint.bytes}, ${JSON.stringify(checkpoint.files)})`,
  );
}

export function selectCheckpoint(
  db: Database,
  runId: string,
  step: number,
  role: string,
): CheckpointRecord | null {
  return readOne(
    db,
    asCheckpoint,
    sql`SELECT ${COLUMNS} FROM checkpoints WHERE run_id = ${runId} AND step = ${step} AND role = ${role}`,
  );
}

/** What a run starts from, one of each weight set, by name. */
export function selectFirstCheckpoints(db: Database, runId: string): CheckpointRecord[] {
  return readAll(
    db,
    asCheckpoint,
    sql`SELECT ${COLUMNS} FROM checkpoints WHERE run_id = ${runId} AND step = 0 ORDER BY role`,
  );
}

/** Where a weight set stands after all stored steps: the checkpoint of the last step that trained it, or what it began with. */
export function selectLatestCheckpoint(db: Database, runId: string, role: string): CheckpointRecord | null {
  return readOne(
    db,
    asCheckpoint,
    sql`
    SELECT ${COLUMNS} FROM checkpoints WHERE run_id = ${runId} AND role = ${role} AND step = coalesce(
      (SELECT s.step FROM steps s WHERE s.run_id = ${runId} AND s.role = ${role} ORDER BY s.step DESC LIMIT 1), 0)`,
  );
}

/** Oldest first; only those whose files were not pruned. */
export function selectKeptCheckpoints(db: Database, runId: string): CheckpointRecord[] {
  return readAll(
    db,
    asCheckpoint,
    sql`
    SELECT ${COLUMNS} FROM checkpoints WHERE run_id = ${runId} AND removed_at IS NULL ORDER BY step, role`,
  );
}

/** Returns false when there is no such checkpoint or it was pruned before. */
export function markCheckpointRemoved(
  db: Database,
  runId: string,
  step: number,
  role: string,
  at: string,
): boolean {
  return (
    execute(
      db,
      sql`
    UPDATE checkpoints SET removed_at = ${at} WHERE run_id = ${runId} AND step = ${step} AND role = ${role} AND removed_at IS NULL`,
    ).changes === 1
  );
}
