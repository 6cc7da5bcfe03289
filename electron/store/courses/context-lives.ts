import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { contextRecordSchema } from '../../contract/index.ts';
import { readAll, reader, sql } from '../sql.ts';

const departureSchema = z.strictObject({ context: z.int(), removed: contextRecordSchema.shape.removed });
const asDepartures = reader('context', departureSchema, (row: { context: number; removed: string }) => ({
  context: row.context,
  removed: JSON.parse(row.removed),
}));

/** A line that left: `context` is the first without it. */
export type LineDeparture = { context: number; id: string; reason: 'expired' | 'conflict' | 'budget' };

export function selectDepartures(db: Database, runId: string): LineDeparture[] {
  return readAll(
    db,
    asDepartures,
    sql`
    SELECT step AS context, removed FROM contexts WHERE run_id = ${runId} AND removed <> '[]' ORDER BY step`,
  ).flatMap(({ context, removed }) => removed.map(({ id, reason }) => ({ context, id, reason })));
}

const supportSchema = z.strictObject({ id: z.string(), context: z.int(), reviews: z.int() });
/** Reviews that caused a line (its first entry) or renewed it; `context` is the first that counted them. */
export type LineSupport = z.infer<typeof supportSchema>;
const asSupport = reader('context line source', supportSchema, (row: unknown) => row);

export function selectSupports(db: Database, runId: string): LineSupport[] {
  return readAll(
    db,
    asSupport,
    sql`
    SELECT line_id AS id, context, count(*) AS reviews
    FROM (SELECT line_id, review_id, min(since_step) AS context FROM context_line_sources WHERE run_id = ${runId} GROUP BY line_id, review_id)
    GROUP BY line_id, context ORDER BY line_id, context`,
  );
}
