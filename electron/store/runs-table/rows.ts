import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { batchName, CODE_TASK_TYPES, COURSE_POINTS, PHASES } from '../../contract/index.ts';
import type { RunRecord, RunRow } from '../../contract/index.ts';
import { readAll, readOne, reader, sql } from '../sql.ts';
import { selectAnnotation } from './annotations.ts';
import { selectScores } from './scores.ts';

/** Steps whose median is a run's present pace: as many as the progress display goes by. */
const PACE_STEPS = 10;

const SOLVER_ACCURACIES = CODE_TASK_TYPES.map((taskType) => `${batchName('solve', taskType)}/accuracy`);

const asNumber = reader('number', z.number(), (row: { value: number }) => row.value);

/** Metrics that together count the answered reviews of a step; reading each review of a long run takes a hundred times as long. */
export const ANSWERED_REVIEWS = JSON.stringify([
  ...PHASES.map((phase) => `supervision/${phase}/reviews`),
  'supervision/leaks',
]);

function course(db: Database, { id, committedSteps }: RunRecord): number[] {
  const every = Math.max(1, Math.ceil(committedSteps / COURSE_POINTS));
  return readAll(
    db,
    asNumber,
    sql`
    SELECT avg(value) AS value FROM metrics
    WHERE run_id = ${id} AND kind = 'metric' AND name IN (SELECT value FROM json_each(${JSON.stringify(SOLVER_ACCURACIES)}))
    GROUP BY (step - 1) / CAST(${every} AS INTEGER) ORDER BY min(step)`,
  );
}

/** Seconds of the newest steps, newest first. */
export function selectStepSeconds(db: Database, runId: string, limit: number): number[] {
  return readAll(
    db,
    asNumber,
    sql`
    SELECT value FROM metrics WHERE run_id = ${runId} AND kind = 'timing' AND name = 'step' ORDER BY step DESC LIMIT ${limit}`,
  );
}

/** The middle of what there is; null of nothing. */
export function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  if (sorted.length === 0) return null;
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

const totalsSchema = z.strictObject({
  seconds: z.number(),
  reviews: z.int(),
  checkpoints: z.int(),
  checkpointBytes: z.number(),
});
const asTotals = reader('totals of a run', totalsSchema, (row: unknown) => row);

/** A run as a list shows it, from its record and what is stored about it. */
export function runRow(db: Database, run: RunRecord): RunRow {
  const { id, createdAt, config, state, reason, committedSteps } = run;
  const totals = readOne(
    db,
    asTotals,
    sql`
    SELECT (SELECT coalesce(sum(value), 0.0) FROM metrics WHERE run_id = ${id} AND kind = 'timing' AND name = 'step') AS seconds,
      (SELECT CAST(coalesce(sum(value), 0) AS INTEGER) FROM metrics WHERE run_id = ${id} AND kind = 'metric' AND name IN (SELECT value FROM json_each(${ANSWERED_REVIEWS}))) AS reviews,
      (SELECT count(*) FROM checkpoints WHERE run_id = ${id} AND removed_at IS NULL) AS checkpoints,
      (SELECT coalesce(sum(bytes), 0) FROM checkpoints WHERE run_id = ${id} AND removed_at IS NULL) AS checkpointBytes`,
  );
  return {
    id,
    createdAt,
    name: config.name,
    preset: config.preset,
    framework: config.framework,
    policyModel: config.policy.model,
    seed: config.seed,
    state,
    reason,
    steps: config.steps,
    committedSteps,
    phases: config.supervision.phases,
    reviewer: config.supervision.reviewer,
    supervisorModel: config.supervision.model,
    pressureShare: config.pressure.share,
    annotation: selectAnnotation(db, id),
    course: course(db, run),
    secondsPerStep: medianOf(selectStepSeconds(db, id, PACE_STEPS)),
    scores: selectScores(db, id),
    ...(totals ?? { seconds: 0, reviews: 0, checkpoints: 0, checkpointBytes: 0 }),
  };
}

const asLevel = reader('isolation level', z.string(), (row: { level: string }) => row.level);

/** Isolation levels under which the newest step's programs ran. */
export function selectSandboxLevels(db: Database, runId: string): string[] {
  return readAll(
    db,
    asLevel,
    sql`
    SELECT DISTINCT sandbox_level AS level FROM rollouts
    WHERE run_id = ${runId} AND step = (SELECT max(step) FROM steps WHERE run_id = ${runId}) AND sandbox_level IS NOT NULL ORDER BY level`,
  );
}
