import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import {
  checkpointRecordSchema,
  lineCounts,
  summaryRecordSchema,
  taskRecordSchema,
  wordingRecordSchema,
  type CheckpointRecord,
  type SummaryRecord,
  type TaskRecord,
  type TaskType,
  type WordingRecord,
} from '../../contract/index.ts';
import { execute, readAll, reader, readOne, sql, type Query } from '../sql.ts';

type TaskRow = {
  id: string;
  task_type: string;
  step: number;
  origin: string;
  rollout_id: string | null;
  program: string;
  inputs: string;
  outputs: string;
  message: string | null;
  imports: string;
  solve_rate: number | null;
};

const asTask = reader('task', taskRecordSchema, (row: TaskRow) => ({
  id: row.id,
  taskType: row.task_type,
  step: row.step,
  origin: row.origin,
  rolloutId: row.rollout_id,
  program: row.program,
  inputs: JSON.parse(row.inputs),
  outputs: JSON.parse(row.outputs),
  message: row.message,
  imports: JSON.parse(row.imports),
  solveRate: row.solve_rate,
}));

const TASK_COLUMNS = sql`id, task_type, step, origin, rollout_id, program, inputs, outputs, message, imports, solve_rate`;

export function insertTask(db: Database, runId: string, task: TaskRecord): void {
  execute(
    db,
    sql`
    INSERT INTO tasks (run_id, id, task_type, step, origin, rollout_id, program, inputs, outputs, message, imports, solve_rate)
    VALUES (${runId}, ${task.id}, ${task.taskType}, ${task.step}, ${task.origin}, ${task.rolloutId}, ${task.program},
      ${JSON.stringify(task.inputs)}, ${JSON.stringify(task.outputs)}, ${task.message}, ${JSON.stringify(task.imports)}, ${task.solveRate})`,
  );
}

export function selectTask(db: Database, runId: string, id: string): TaskRecord | null {
  return readOne(db, asTask, sql`SELECT ${TASK_COLUMNS} FROM tasks WHERE run_id = ${runId} AND id = ${id}`);
}

/** In creation order, which is the order of the buffer. */
export function tasksOfTypeQuery(runId: string, taskType: TaskType): Query {
  return sql`SELECT ${TASK_COLUMNS} FROM tasks INDEXED BY tasks_by_type WHERE run_id = ${runId} AND task_type = ${taskType} ORDER BY key`;
}

export function tasksOfStepQuery(runId: string, step: number): Query {
  return sql`SELECT ${TASK_COLUMNS} FROM tasks INDEXED BY tasks_by_step WHERE run_id = ${runId} AND step = ${step} ORDER BY key`;
}

export function selectTasks(db: Database, query: Query): TaskRecord[] {
  return readAll(db, asTask, query);
}

type SummaryRow = {
  step: number;
  batch: string;
  scope: string;
  reviewed: number;
  eligible: number;
  points: string;
  text: string;
};

const asSummary = reader('summary', summaryRecordSchema, (row: SummaryRow) => ({
  step: row.step,
  batch: row.batch,
  scope: row.scope,
  reviewed: row.reviewed,
  eligible: row.eligible,
  points: JSON.parse(row.points),
  text: row.text,
}));

export function insertSummary(db: Database, runId: string, ordinal: number, summary: SummaryRecord): void {
  execute(
    db,
    sql`
    INSERT INTO summaries (run_id, step, ordinal, batch, scope, reviewed, eligible, points, text)
    VALUES (${runId}, ${summary.step}, ${ordinal}, ${summary.batch}, ${summary.scope}, ${summary.reviewed}, ${summary.eligible},
      ${JSON.stringify(summary.points)}, ${summary.text})`,
  );
}

export function selectSummaries(db: Database, runId: string, step: number): SummaryRecord[] {
  return readAll(
    db,
    asSummary,
    sql`
    SELECT step, batch, scope, reviewed, eligible, points, text FROM summaries
    WHERE run_id = ${runId} AND step = ${step} ORDER BY ordinal`,
  );
}

type WordingRow = {
  step: number;
  kind: string;
  batch: string | null;
  status: string;
  model: string;
  questions: string;
  lines: string;
  refused: string;
  milliseconds: number;
  created_at: string;
  id: string;
};

const asWording = reader('wording', wordingRecordSchema, (row: WordingRow) => ({
  id: row.id,
  step: row.step,
  kind: row.kind,
  batch: row.batch,
  status: row.status,
  model: row.model,
  questions: JSON.parse(row.questions),
  lines: JSON.parse(row.lines),
  refused: JSON.parse(row.refused),
  milliseconds: row.milliseconds,
  createdAt: row.created_at,
}));

export function insertWording(db: Database, runId: string, ordinal: number, wording: WordingRecord): void {
  execute(
    db,
    sql`
    INSERT INTO wordings (run_id, step, ordinal, id, kind, batch, status, model, questions, lines, refused, milliseconds, created_at)
    VALUES (${runId}, ${wording.step}, ${ordinal}, ${wording.id}, ${wording.kind}, ${wording.batch}, ${wording.status}, ${wording.model},
      ${JSON.stringify(wording.questions)}, ${JSON.stringify(wording.lines)}, ${JSON.stringify(wording.refused)},
      ${wording.milliseconds}, ${wording.createdAt})`,
  );
}

/** What the supervisor's model wrote in a step, summaries first. */
export function selectWordings(db: Database, runId: string, step: number): WordingRecord[] {
  return readAll(
    db,
    asWording,
    sql`
    SELECT step, id, kind, batch, status, model, questions, lines, refused, milliseconds, created_at FROM wordings
    WHERE run_id = ${runId} AND step = ${step} ORDER BY ordinal`,
  );
}

const wordedSchema = wordingRecordSchema.pick({ step: true, status: true, lines: true, refused: true });
const asWorded = reader('wording', wordedSchema, (row: WordingRow) => ({
  step: row.step,
  status: row.status,
  lines: JSON.parse(row.lines),
  refused: JSON.parse(row.refused),
}));

/** What became of the lines that the supervisor's model wrote, by step; steps in which it wrote nothing are absent. */
export function selectLineCounts(db: Database, runId: string): Map<number, Record<string, number>> {
  const rows = readAll(
    db,
    asWorded,
    sql`SELECT step, status, lines, refused FROM wordings WHERE run_id = ${runId} ORDER BY step, ordinal`,
  );
  return new Map(
    [...Map.groupBy(rows, ({ step }) => step)].map(([step, records]) => [step, lineCounts(records)]),
  );
}

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

const CHECKPOINT_COLUMNS = sql`step, role, version, folder, weights_sha256, bytes, files`;

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
    sql`SELECT ${CHECKPOINT_COLUMNS} FROM checkpoints WHERE run_id = ${runId} AND step = ${step} AND role = ${role}`,
  );
}

/** What a run starts from, one of each weight set, by name. */
export function selectFirstCheckpoints(db: Database, runId: string): CheckpointRecord[] {
  return readAll(
    db,
    asCheckpoint,
    sql`SELECT ${CHECKPOINT_COLUMNS} FROM checkpoints WHERE run_id = ${runId} AND step = 0 ORDER BY role`,
  );
}

/** Where a weight set stands after step `upTo`: the checkpoint of the last step that trained it, or what it began with. */
export function selectLatestCheckpoint(
  db: Database,
  runId: string,
  role: string,
  upTo: number,
): CheckpointRecord | null {
  return readOne(
    db,
    asCheckpoint,
    sql`
    SELECT ${CHECKPOINT_COLUMNS} FROM checkpoints WHERE run_id = ${runId} AND role = ${role} AND step = coalesce(
      (SELECT s.step FROM steps s WHERE s.run_id = ${runId} AND s.role = ${role} AND s.step <= ${upTo}
        ORDER BY s.step DESC LIMIT 1), 0)`,
  );
}

/** Oldest first; only those whose files were not pruned. */
export function selectKeptCheckpoints(db: Database, runId: string): CheckpointRecord[] {
  return readAll(
    db,
    asCheckpoint,
    sql`
    SELECT ${CHECKPOINT_COLUMNS} FROM checkpoints WHERE run_id = ${runId} AND removed_at IS NULL ORDER BY step, role`,
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

/** Returns false when there is no such checkpoint or its files were never pruned. */
export function markCheckpointBack(db: Database, runId: string, step: number, role: string): boolean {
  return (
    execute(
      db,
      sql`
    UPDATE checkpoints SET removed_at = NULL WHERE run_id = ${runId} AND step = ${step} AND role = ${role} AND removed_at IS NOT NULL`,
    ).changes === 1
  );
}

const asTime = reader('time', z.string().nullable(), (row: { at: string | null }) => row.at);

/** When the files of a checkpoint were pruned; null while they are there. */
export function selectRemovalTime(db: Database, runId: string, step: number, role: string): string | null {
  return readOne(
    db,
    asTime,
    sql`SELECT removed_at AS at FROM checkpoints WHERE run_id = ${runId} AND step = ${step} AND role = ${role}`,
  );
}
