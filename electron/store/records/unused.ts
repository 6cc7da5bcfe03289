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

/**
 * What came to nothing in each step of a run, by kind and reason. Measurements were never meant to be used; a response without a reward is
 * a first try where a second one took its place, else one of a stage that pays nothing.
 */
export function selectUnused(db: Database, runId: string): UnusedCount[] {
  return readAll(
    db,
    asUnused,
    sql`
    SELECT step, kind, reason, count(*) AS count FROM (
      SELECT step, CASE
          WHEN isReplaced THEN 'first-try'
          WHEN outcome <> 'invalid' THEN 'no-advantage'
          WHEN purpose = 'propose' THEN 'proposal'
          ELSE 'answer' END AS kind,
        CASE WHEN NOT isReplaced AND outcome = 'invalid' THEN reason END AS reason
      FROM (SELECT r.*, reward IS NULL AND EXISTS
          (SELECT 1 FROM rollouts again WHERE again.run_id = r.run_id AND again.id = r.id || '/r1') AS isReplaced
        FROM rollouts r WHERE run_id = ${runId} AND purpose <> 'estimate')
      WHERE isReplaced OR outcome = 'invalid' OR advantage = 0
      UNION ALL
      SELECT step, 'review', status FROM reviews WHERE run_id = ${runId} AND status <> 'done')
    GROUP BY step, kind, reason ORDER BY step, kind, reason`,
  );
}
