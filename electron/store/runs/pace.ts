import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { isLineMetric, PHASES, type MachineLoad, type Phase, type RunCurve } from '../../contract/index.ts';
import { readAll, reader, readOne, sql } from '../sql.ts';
import { selectLineCounts } from '../steps/outputs.ts';
import { ANSWERED_REVIEWS, medianOf } from './row.ts';

const pointSchema = z.strictObject({
  step: z.int(),
  seconds: z.number(),
  reviews: z.int(),
  tokens: z.number(),
  value: z.number().nullable(),
});
const asPoint = reader('point of a curve', pointSchema, (row: unknown) => row);

const SECONDS_PER_HOUR = 3600;

/**
 * One measure of a run by step, the mean of the named metrics (or their sum), with what each step had cost by its end.
 * Steps at which none of them was measured are left out of the curve but not of its costs.
 */
export function selectCurve(
  db: Database,
  runId: string,
  names: readonly string[],
  combine: 'mean' | 'sum',
): RunCurve {
  const wanted = JSON.stringify(names);
  const counted = names.every(isLineMetric) ? selectLineCounts(db, runId) : null;
  const points = readAll(
    db,
    asPoint,
    sql`
    SELECT s.step AS step,
      coalesce((SELECT value FROM metrics WHERE run_id = ${runId} AND kind = 'timing' AND name = 'step' AND step = s.step), 0.0) AS seconds,
      (SELECT CAST(coalesce(sum(value), 0) AS INTEGER) FROM metrics WHERE run_id = ${runId} AND step = s.step AND kind = 'metric' AND name IN (SELECT value FROM json_each(${ANSWERED_REVIEWS}))) AS reviews,
      (SELECT coalesce(sum(r.new_tokens), 0.0) FROM rollouts r WHERE r.run_id = ${runId} AND r.step = s.step) AS tokens,
      (SELECT CASE WHEN ${combine} = 'sum' THEN sum(m.value) ELSE avg(m.value) END FROM metrics m
       WHERE m.run_id = ${runId} AND m.step = s.step AND m.kind IN ('metric', 'timing') AND m.name IN (SELECT value FROM json_each(${wanted}))) AS value
    FROM steps s WHERE s.run_id = ${runId} ORDER BY s.step`,
  );
  const curve: RunCurve = { runId, step: [], hours: [], reviews: [], tokens: [], values: [] };
  let [hours, reviews, tokens] = [0, 0, 0];
  for (const point of points) {
    hours += point.seconds / SECONDS_PER_HOUR;
    reviews += point.reviews;
    tokens += point.tokens;
    const value = counted === null ? point.value : countedValue(counted.get(point.step), names, combine);
    if (value === null) continue;
    curve.step.push(point.step);
    curve.hours.push(hours);
    curve.reviews.push(reviews);
    curve.tokens.push(tokens);
    curve.values.push(value);
  }
  return curve;
}

/** Null for a step in which nothing was counted. */
function countedValue(
  counts: Readonly<Record<string, number>> | undefined,
  names: readonly string[],
  combine: 'mean' | 'sum',
): number | null {
  if (counts === undefined) return null;
  const sum = names.reduce((all, name) => all + (counts[name] ?? 0), 0);
  return combine === 'sum' ? sum : sum / names.length;
}

/** Enough for a median that one stall does not move, few enough that it is the machine as it is now. */
const STEPS = 20;
const REVIEWS = 60;

const asNumber = reader('number', z.number(), (row: { value: number }) => row.value);

/** Answers that a supervisor had in memory come faster than this, whatever the model; they say nothing about asking it. */
const ASKED_MS = 1;

/**
 * Medians over the newest reviews of each phase that were really asked, in seconds (of all, where none takes that long: rules). What a
 * person took to think is no speed of a supervisor. A phase that was never reviewed is absent.
 */
export type ReviewPace = Partial<Record<Phase, { seconds: number; n: number }>>;

function secondsOf(db: Database, runId: string, phase: Phase, fromMs: number): number[] {
  return readAll(
    db,
    asNumber,
    sql`
    SELECT milliseconds / 1000.0 AS value FROM reviews
    WHERE run_id = ${runId} AND phase = ${phase} AND reviewer <> 'human' AND status IN ('done', 'quarantined') AND milliseconds >= ${fromMs} ORDER BY key DESC LIMIT ${REVIEWS}`,
  );
}

export function selectReviewPace(db: Database, runId: string): ReviewPace {
  return Object.fromEntries(
    PHASES.flatMap((phase) => {
      const times = secondsOf(db, runId, phase, ASKED_MS);
      if (times.length === 0) times.push(...secondsOf(db, runId, phase, 0));
      const seconds = medianOf(times);
      return seconds === null ? [] : [[phase, { seconds, n: times.length }]];
    }),
  );
}

const workSchema = z.strictObject({
  trained: z.number(),
  estimates: z.number(),
  newTokens: z.number(),
  plans: z.number().nullable(),
  thoughts: z.number().nullable(),
  steps: z.int(),
  finishedAt: z.string().nullable(),
});
const asWork = reader('work of a run', workSchema, (row: unknown) => row);

/** What the newest steps of a run took and did, per step. */
export type RunPace = {
  /** Median seconds of a step without waiting for the supervisor, over `steps` steps. */
  seconds: number;
  steps: number;
  finishedAt: string;
  /** Rollouts and tokens generated per step, on average. */
  trained: number;
  estimates: number;
  newTokens: number;
  /** Share of trained rollouts that wrote a plan, and a thought: 0…1. */
  plans: number;
  thoughts: number;
  /** Median seconds of work of the supervisor per step, and of waiting for it. */
  supervising: number;
  waiting: number;
  /** Processors that everything else kept busy meanwhile, on average, of so many; null where nobody looked. */
  load: MachineLoad | null;
};

function medianTiming(db: Database, runId: string, name: string): number {
  return (
    medianOf(
      readAll(
        db,
        asNumber,
        sql`
    SELECT value FROM metrics WHERE run_id = ${runId} AND kind = 'timing' AND name = ${name} ORDER BY step DESC LIMIT ${STEPS}`,
      ),
    ) ?? 0
  );
}

/** Of the metrics of the newest steps; null where none has it. */
function meanMetric(db: Database, runId: string, name: string): number | null {
  const values = readAll(
    db,
    asNumber,
    sql`
    SELECT value FROM metrics WHERE run_id = ${runId} AND kind = 'metric' AND name = ${name} ORDER BY step DESC LIMIT ${STEPS}`,
  );
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Processors that everything else kept busy during the newest steps, on average, of so many; null where nobody looked. */
export function selectRunLoad(db: Database, runId: string): MachineLoad | null {
  const [others, cores] = ['resources/others_cores', 'resources/cores'].map((name) =>
    meanMetric(db, runId, name),
  );
  return others == null || cores == null ? null : { others, cores: Math.round(cores) };
}

/** Null while a run has no step. */
export function selectRunPace(db: Database, runId: string): RunPace | null {
  const alone = medianOf(
    readAll(
      db,
      asNumber,
      sql`
    SELECT s.value - coalesce(w.value, 0.0) AS value FROM metrics s
    LEFT JOIN metrics w ON w.run_id = s.run_id AND w.kind = 'timing' AND w.name = 'supervise_wait' AND w.step = s.step
    WHERE s.run_id = ${runId} AND s.kind = 'timing' AND s.name = 'step' ORDER BY s.step DESC LIMIT ${STEPS}`,
    ),
  );
  const work = readOne(
    db,
    asWork,
    sql`
    WITH newest AS (SELECT step, finished_at FROM steps WHERE run_id = ${runId} ORDER BY step DESC LIMIT ${STEPS})
    SELECT count(DISTINCT n.step) AS steps, (SELECT max(finished_at) FROM newest) AS finishedAt,
      1.0 * count(r.key) FILTER (WHERE r.purpose <> 'estimate') / max(1, count(DISTINCT n.step)) AS trained,
      1.0 * count(r.key) FILTER (WHERE r.purpose = 'estimate') / max(1, count(DISTINCT n.step)) AS estimates,
      1.0 * coalesce(sum(r.new_tokens), 0) / max(1, count(DISTINCT n.step)) AS newTokens,
      avg(CASE WHEN r.purpose <> 'estimate' THEN trim(coalesce(t.plan, '')) <> '' END) AS plans,
      avg(CASE WHEN r.purpose <> 'estimate' THEN trim(coalesce(t.thought, '')) <> '' END) AS thoughts
    FROM newest n LEFT JOIN rollouts r ON r.run_id = ${runId} AND r.step = n.step LEFT JOIN rollout_texts t ON t.key = r.key`,
  );
  if (alone === null || work === null || work.finishedAt === null) return null;
  return {
    ...work,
    seconds: alone,
    finishedAt: work.finishedAt,
    plans: work.plans ?? 0,
    thoughts: work.thoughts ?? 0,
    supervising: medianTiming(db, runId, 'supervise'),
    waiting: medianTiming(db, runId, 'supervise_wait'),
    load: selectRunLoad(db, runId),
  };
}

const stagePaceSchema = z.strictObject({
  stage: z.string(),
  steps: z.int().positive(),
  trains: z.number(),
  finishedAt: z.string(),
  seconds: z.number(),
  gen: z.number(),
  estimate: z.number(),
  update: z.number(),
  generated: z.number(),
  measured: z.number(),
});
/** What a step of one stage took and did on average, in seconds without waiting for the supervisor, and how much of it in which part. */
export type StagePace = z.infer<typeof stagePaceSchema>;
const asStagePace = reader('pace of a stage', stagePaceSchema, (row: unknown) => row);

/** Steps looked at: the schedules of several iterations. */
const STAGED_STEPS = 200;

/** By stage, over the newest steps of a run; empty for a run without steps. */
export const selectStagePaces = (db: Database, runId: string): StagePace[] =>
  readAll(
    db,
    asStagePace,
    sql`
    WITH newest AS (SELECT step, stage, role, finished_at FROM steps WHERE run_id = ${runId} ORDER BY step DESC LIMIT ${STAGED_STEPS}),
    took AS (SELECT n.step,
        coalesce(sum(m.value) FILTER (WHERE m.name = 'step'), 0.0) - coalesce(sum(m.value) FILTER (WHERE m.name = 'supervise_wait'), 0.0) AS seconds,
        coalesce(sum(m.value) FILTER (WHERE m.name = 'gen'), 0.0) AS gen, coalesce(sum(m.value) FILTER (WHERE m.name = 'estimate'), 0.0) AS estimate,
        coalesce(sum(m.value) FILTER (WHERE m.name IN ('update_actor', 'save_checkpoint')), 0.0) AS updated
      FROM newest n JOIN metrics m INDEXED BY metrics_by_step ON m.run_id = ${runId} AND m.step = n.step AND m.kind = 'timing' GROUP BY n.step),
    did AS (SELECT n.step, count(r.key) FILTER (WHERE r.purpose <> 'estimate') AS generated, count(r.key) FILTER (WHERE r.purpose = 'estimate') AS measured
      FROM newest n LEFT JOIN rollouts r INDEXED BY rollouts_by_place ON r.run_id = ${runId} AND r.step = n.step GROUP BY n.step)
    SELECT n.stage AS stage, count(*) AS steps, avg(n.role IS NOT NULL) AS trains, max(n.finished_at) AS finishedAt, avg(t.seconds) AS seconds,
      avg(t.gen) AS gen, avg(t.estimate) AS estimate, avg(t.updated) AS "update", 1.0 * avg(d.generated) AS generated, 1.0 * avg(d.measured) AS measured
    FROM newest n JOIN took t ON t.step = n.step JOIN did d ON d.step = n.step GROUP BY n.stage`,
  );
