import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import {
  batchesJudgedBy,
  BY_PERSON,
  fulfilledOf,
  PASS_RATE_POINTS,
  PHASES,
  TRIPPED,
} from '../../contract/index.ts';
import type { RunRecord, RunRow, RunScore } from '../../contract/index.ts';
import { wilsonInterval } from '../../core/index.ts';
import { CORRECTED_COUNTS, CORRECTED_ITEMS, CORRECTED_PASSED, OVERRIDDEN } from '../evaluations/corrected.ts';
import { readAll, reader, readOne, sql } from '../sql.ts';
import { selectAnnotation } from './queries.ts';

const rowSchema = z.strictObject({
  key: z.int(),
  id: z.string(),
  suite: z.string(),
  suiteSha256: z.string(),
  step: z.int(),
  contextHash: z.string().nullable(),
  seed: z.int(),
  asked: z.int(),
  n: z.int(),
  passed: z.int(),
  overridden: z.int(),
});
type Row = z.infer<typeof rowSchema>;
const asRow = reader('evaluation', rowSchema, (row: Row) => row);
const COLUMNS = sql`
  key, id, suite, suite_sha256 AS suiteSha256, coalesce(step, 0) AS step, context_hash AS contextHash, seed, evaluations.n AS asked,
  ${CORRECTED_COUNTS}, ${OVERRIDDEN}`;

const asReason = reader(
  'reason',
  z.strictObject({ reason: z.string(), count: z.int() }),
  (row: unknown) => row,
);

function shareOf(
  db: Database,
  { key, passed, n, overridden }: Row,
): Pick<RunScore, 'passed' | 'n' | 'overridden' | 'reasons'> {
  // Nearly every evaluation is as it was graded; to look for a person's word on each of its answers would make lists slow.
  const failed =
    overridden === 0
      ? sql`SELECT coalesce(reason, '') AS reason FROM evaluation_items WHERE evaluation_key = ${key} AND passed = 0`
      : sql`
    SELECT iif(i.passed, ${BY_PERSON}, coalesce(i.reason, '')) AS reason FROM ${CORRECTED_ITEMS}
    WHERE i.evaluation_key = ${key} AND ${CORRECTED_PASSED} = 0`;
  const reasons = readAll(
    db,
    asReason,
    sql`SELECT reason, count(*) AS count FROM (${failed}) GROUP BY reason`,
  );
  return {
    passed,
    n,
    overridden,
    reasons: Object.fromEntries(reasons.map(({ reason, count }) => [reason, count])),
  };
}

/** The last of each suite, by name: they end in another order each time. */
function newestOfEach(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.suite, row])).values()].sort((a, b) =>
    a.suite.localeCompare(b.suite, 'en'),
  );
}

/**
 * What suites say of a run's last evaluated checkpoint. Results of the weights alone are preferred, because a context in the
 * prompt is another question; where there are none, those under the run's context are taken and say so. The base is the newest
 * result of the weights the run began with, on the same items under the same conditions.
 */
function selectScores(db: Database, runId: string): RunScore[] {
  const last = readAll(
    db,
    asRow,
    sql`
    SELECT ${COLUMNS} FROM evaluations
    WHERE run_id = ${runId} AND state = 'done' AND step = (SELECT max(step) FROM evaluations WHERE run_id = ${runId} AND state = 'done') ORDER BY key`,
  );
  const alone = last.filter((row) => row.contextHash === null);
  return newestOfEach(alone.length > 0 ? alone : last).map((row) => {
    const [base] =
      row.step === 0 || row.contextHash !== null
        ? []
        : readAll(
            db,
            asRow,
            sql`
      SELECT ${COLUMNS} FROM evaluations
      WHERE weights_sha256 IN (SELECT weights_sha256 FROM checkpoints WHERE run_id = ${runId} AND step = 0)
        AND suite = ${row.suite} AND suite_sha256 = ${row.suiteSha256} AND seed = ${row.seed} AND evaluations.n = ${row.asked} AND context_hash IS NULL AND state = 'done'
      ORDER BY key DESC LIMIT 1`,
          );
    const share = shareOf(db, row);
    return {
      ...share,
      intervals: {
        passed: wilsonInterval(share.passed, share.n),
        fulfilled: wilsonInterval(fulfilledOf(share), share.n),
      },
      id: row.id,
      suite: row.suite,
      step: row.step,
      seed: row.seed,
      withContext: row.contextHash !== null,
      base: base === undefined ? null : shareOf(db, base),
    };
  });
}

/** Steps whose median is a run's present pace: as many as the progress display goes by. */
const PACE_STEPS = 10;

const SOLVER_ACCURACIES = batchesJudgedBy('pass-rate').map(({ name }) => `${name}/accuracy`);

const asNumber = reader('number', z.number(), (row: { value: number }) => row.value);

/** Metrics that together count the answered reviews of a step; reading each review of a long run takes a hundred times as long. */
export const ANSWERED_REVIEWS = JSON.stringify([
  ...PHASES.map((phase) => `supervision/${phase}/reviews`),
  'supervision/leaks',
]);

function passRates(db: Database, { id, committedSteps }: RunRecord): number[] {
  const every = Math.max(1, Math.ceil(committedSteps / PASS_RATE_POINTS));
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
function selectStepSeconds(db: Database, runId: string, limit: number): number[] {
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
    framework: config.framework.name,
    policyModel: config.policy.model,
    seed: config.seed,
    state,
    reason,
    steps: config.steps,
    committedSteps,
    phases: config.supervision.phases,
    reviewer: config.supervision.reviewer,
    supervisorModel: config.supervision.model,
    rewardedShare: config.rewardedPrompts.share,
    annotation: selectAnnotation(db, id),
    passRates: passRates(db, run),
    secondsPerStep: medianOf(selectStepSeconds(db, id, PACE_STEPS)),
    scores: selectScores(db, id),
    tripped: selectTripped(db, id),
    ...(totals ?? { seconds: 0, reviews: 0, checkpoints: 0, checkpointBytes: 0 }),
  };
}

const asSaid = reader('tripped wire', z.string(), (row: { said: string }) => row.said);

/** The sentences of the tripwires that were touched, oldest first. */
function selectTripped(db: Database, runId: string): string[] {
  return readAll(
    db,
    asSaid,
    sql`
    SELECT json_extract(body, '$.said') AS said FROM events WHERE run_id = ${runId} AND kind = ${TRIPPED} ORDER BY seq`,
  );
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
