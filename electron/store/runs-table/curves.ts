import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import type { RunCurve } from '../../contract/index.ts';
import { readAll, reader, sql } from '../sql.ts';
import { ANSWERED_REVIEWS } from './rows.ts';

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
    if (point.value === null) continue;
    curve.step.push(point.step);
    curve.hours.push(hours);
    curve.reviews.push(reviews);
    curve.tokens.push(tokens);
    curve.values.push(point.value);
  }
  return curve;
}
