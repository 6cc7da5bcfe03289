import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { execute, readAll, reader, sql } from '../sql.ts';
import type { Query } from '../sql.ts';

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

export function selectMetricNames(db: Database, runId: string, kind: MetricKind): string[] {
  return readAll(
    db,
    asName,
    sql`SELECT DISTINCT name FROM metrics WHERE run_id = ${runId} AND kind = ${kind} ORDER BY name`,
  );
}
