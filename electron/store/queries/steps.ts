import type { Database } from 'better-sqlite3';
import { stepRecordSchema } from '../../contract/index.ts';
import type { StepRecord } from '../../contract/index.ts';
import { allOf, execute, readAll, readOne, reader, sql } from '../sql.ts';
import type { Query } from '../sql.ts';

type StepRow = {
  step: number;
  started_at: string;
  finished_at: string;
  context_hash: string;
  stage: string;
  iteration: number;
  role: string | null;
  weights_sha256: string | null;
  step_hash: string;
  timings: string;
  metrics: string;
};

const asStep = reader('step', stepRecordSchema, (row: StepRow) => ({
  step: row.step,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  contextHash: row.context_hash,
  stage: row.stage,
  iteration: row.iteration,
  role: row.role,
  weightsSha256: row.weights_sha256,
  stepHash: row.step_hash,
  timings: JSON.parse(row.timings),
  metrics: JSON.parse(row.metrics),
}));

/**
 * Names and values travel as one JSON object per kind, so that a step is one row. The index is named because without statistics,
 * as in a lab's first run, SQLite reads all metrics of the run for each step instead.
 */
const COLUMNS = sql`
  s.step, s.started_at, s.finished_at, s.context_hash, s.stage, s.iteration, s.role, s.weights_sha256, s.step_hash,
  (SELECT json_group_object(m.name, m.value) FROM metrics m INDEXED BY metrics_by_step WHERE m.run_id = s.run_id AND m.step = s.step AND m.kind = 'timing') AS timings,
  (SELECT json_group_object(m.name, m.value) FROM metrics m INDEXED BY metrics_by_step WHERE m.run_id = s.run_id AND m.step = s.step AND m.kind = 'metric') AS metrics`;

export function insertStep(db: Database, runId: string, step: StepRecord): void {
  execute(
    db,
    sql`
    INSERT INTO steps (run_id, step, started_at, finished_at, context_hash, stage, iteration, role, weights_sha256, step_hash)
    VALUES (${runId}, ${step.step}, ${step.startedAt}, ${step.finishedAt}, ${step.contextHash}, ${step.stage}, ${step.iteration},
      ${step.role}, ${step.weightsSha256}, ${step.stepHash})`,
  );
}

export function selectStep(db: Database, runId: string, step: number): StepRecord | null {
  return readOne(
    db,
    asStep,
    sql`SELECT ${COLUMNS} FROM steps s WHERE s.run_id = ${runId} AND s.step = ${step}`,
  );
}

/** Which part of a framework's schedule; an iteration is counted within a stage. */
export type StagePlace = { stage?: string; iteration?: number };

/** Oldest first, after `after`. */
export function stepPageQuery(
  runId: string,
  after: number,
  limit: number,
  { stage, iteration }: StagePlace = {},
): Query {
  const where = [sql`s.run_id = ${runId} AND s.step > ${after}`];
  if (stage !== undefined) where.push(sql`s.stage = ${stage}`);
  if (iteration !== undefined) where.push(sql`s.iteration = ${iteration}`);
  return sql`SELECT ${COLUMNS} FROM steps s WHERE ${allOf(where)} ORDER BY s.step LIMIT ${limit}`;
}

export function selectSteps(db: Database, query: Query): StepRecord[] {
  return readAll(db, asStep, query);
}
