import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import {
  stepRecordSchema,
  type StepCommit,
  type StepRecord,
  type TrainedStep,
} from '../../contract/index.ts';
import type { InitialState } from '../audit-log/digests.ts';
import { selectContext } from '../contexts.ts';
import { selectReviewsOfStep } from '../records/reviews.ts';
import { selectGenerationsOfStep } from '../records/generations.ts';
import { selectRolloutsOfStep } from '../records/rollouts.ts';
import { allOf, execute, readAll, reader, readOne, sql, type Query } from '../sql.ts';
import {
  selectCheckpoint,
  selectFirstCheckpoints,
  selectSummaries,
  selectTasks,
  selectWordings,
  tasksOfStepQuery,
} from './outputs.ts';

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
const STEP_COLUMNS = sql`
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
    sql`SELECT ${STEP_COLUMNS} FROM steps s WHERE s.run_id = ${runId} AND s.step = ${step}`,
  );
}

/** Which part of a framework's schedule; an iteration is counted within a stage. */
export type StageFilter = { stage?: string; iteration?: number };

/** Oldest first, after `after`. */
export function stepPageQuery(
  runId: string,
  after: number,
  limit: number,
  { stage, iteration }: StageFilter = {},
): Query {
  const where = [sql`s.run_id = ${runId} AND s.step > ${after}`];
  if (stage !== undefined) where.push(sql`s.stage = ${stage}`);
  if (iteration !== undefined) where.push(sql`s.iteration = ${iteration}`);
  return sql`SELECT ${STEP_COLUMNS} FROM steps s WHERE ${allOf(where)} ORDER BY s.step LIMIT ${limit}`;
}

export function selectSteps(db: Database, query: Query): StepRecord[] {
  return readAll(db, asStep, query);
}

const asTrainedStep = reader(
  'step',
  z.strictObject({ step: z.int(), stage: z.string(), iteration: z.int(), role: z.string() }),
  (row: unknown) => row,
);

/**
 * Steps that trained, oldest first, of a run with a KL term; none of other runs. A framework may measure it against the start of a
 * stage where the configuration does not say so, so every start counts.
 */
export const selectStagedSteps = (db: Database, runId: string): TrainedStep[] =>
  readAll(
    db,
    asTrainedStep,
    sql`SELECT step, stage, iteration, role FROM steps WHERE run_id = ${runId} AND role IS NOT NULL AND EXISTS
      (SELECT 1 FROM runs WHERE id = ${runId} AND json_extract(config, '$.train.kl') IS NOT NULL) ORDER BY step`,
  );

export type MetricKind = 'metric' | 'timing';

const pointSchema = z.strictObject({
  name: z.string(),
  step: z.int(),
  mean: z.number(),
  min: z.number(),
  max: z.number(),
});
/** One point of a curve: `step` is the last step of its bucket; a bucket of one step has mean = min = max. */
export type MetricPoint = z.infer<typeof pointSchema>;
const asPoint = reader('metric', pointSchema, (row: unknown) => row);
const asName = reader('metric name', z.string(), (row: { name: string }) => row.name);

export function insertMetrics(
  db: Database,
  runId: string,
  step: number,
  kind: MetricKind,
  values: Record<string, number>,
): void {
  for (const [name, value] of Object.entries(values)) {
    execute(
      db,
      sql`INSERT INTO metrics (run_id, kind, name, step, value) VALUES (${runId}, ${kind}, ${name}, ${step}, ${value})`,
    );
  }
}

export function seriesQuery(runId: string, kind: MetricKind, name: string, every: number): Query {
  // Numbers are bound as REAL; without the cast the buckets would be fractions.
  return sql`
    SELECT name, max(step) AS step, avg(value) AS mean, min(value) AS min, max(value) AS max FROM metrics
    WHERE run_id = ${runId} AND kind = ${kind} AND name = ${name} GROUP BY (step - 1) / CAST(${every} AS INTEGER) ORDER BY step`;
}

export function selectSeries(db: Database, query: Query): MetricPoint[] {
  return readAll(db, asPoint, query);
}

/** A curve of counts that are no rows of their own, in the same points. */
export function countSeries(
  counts: ReadonlyMap<number, Readonly<Record<string, number>>>,
  name: string,
  every: number,
): MetricPoint[] {
  const values = [...counts].map(([step, ofStep]) => ({ step, value: ofStep[name] ?? 0 }));
  return [...Map.groupBy(values, ({ step }) => Math.trunc((step - 1) / every)).values()].map((bucket) => {
    const all = bucket.map(({ value }) => value);
    return {
      name,
      step: Math.max(...bucket.map(({ step }) => step)),
      mean: all.reduce((sum, value) => sum + value, 0) / all.length,
      min: Math.min(...all),
      max: Math.max(...all),
    };
  });
}

export function selectMetricNames(db: Database, runId: string, kind: MetricKind): string[] {
  return readAll(
    db,
    asName,
    sql`SELECT DISTINCT name FROM metrics WHERE run_id = ${runId} AND kind = ${kind} ORDER BY name`,
  );
}

/** Everything a step added, as it was committed; null when the step, its successor's context or its checkpoint is not stored. */
export function selectStepCommit(db: Database, runId: string, step: number): StepCommit | null {
  const record = selectStep(db, runId, step);
  const nextContext = selectContext(db, runId, step + 1);
  if (record === null || nextContext === null) return null;
  const checkpoint = record.role === null ? null : selectCheckpoint(db, runId, step, record.role);
  if (record.role !== null && checkpoint === null) return null;
  const generations = selectGenerationsOfStep(db, runId, step);
  return {
    step: record,
    tasks: selectTasks(db, tasksOfStepQuery(runId, step)),
    rollouts: selectRolloutsOfStep(db, runId, step),
    reviews: selectReviewsOfStep(db, runId, step),
    summaries: selectSummaries(db, runId, step),
    wordings: selectWordings(db, runId, step),
    nextContext,
    checkpoint,
    ...(generations.length === 0 ? {} : { generations }),
  };
}

/** What the run started from; null before it was stored. */
export function selectInitialState(db: Database, runId: string): InitialState | null {
  const context = selectContext(db, runId, 1);
  const checkpoints = selectFirstCheckpoints(db, runId);
  return context === null || checkpoints.length === 0
    ? null
    : { context, tasks: selectTasks(db, tasksOfStepQuery(runId, 0)), checkpoints };
}
