import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { UNUSED_KINDS, type UnusedCount } from '../../contract/index.ts';
import { readAll, reader, sql } from '../sql.ts';

const unusedSchema = z.strictObject({
  step: z.int(),
  kind: z.enum(UNUSED_KINDS),
  reason: z.string().nullable(),
  count: z.int(),
});
const asUnused = reader('unused', unusedSchema, (row: unknown) => row);

/** What came to nothing in each step of a run, by kind and reason. Measurements were never meant to be used. */
export function selectUnused(db: Database, runId: string): UnusedCount[] {
  return readAll(
    db,
    asUnused,
    sql`
    SELECT step, kind, reason, count(*) AS count FROM (
      SELECT step, CASE
          WHEN reward IS NULL THEN 'first-try'
          WHEN outcome <> 'invalid' THEN 'no-advantage'
          WHEN purpose = 'propose' THEN 'proposal'
          ELSE 'answer' END AS kind,
        CASE WHEN reward IS NOT NULL AND outcome = 'invalid' THEN reason END AS reason
      FROM rollouts WHERE run_id = ${runId} AND purpose <> 'estimate'
        AND (reward IS NULL OR outcome = 'invalid' OR advantage = 0)
      UNION ALL
      SELECT step, 'review', status FROM reviews WHERE run_id = ${runId} AND status <> 'done')
    GROUP BY step, kind, reason ORDER BY step, kind, reason`,
  );
}
