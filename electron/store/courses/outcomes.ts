import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { shortNameSchema } from '../../contract/index.ts';
import { readAll, reader, sql } from '../sql.ts';

const outcomeSchema = z.strictObject({
  step: z.int(),
  role: shortNameSchema,
  n: z.int(),
  passed: z.int(),
  formatFailures: z.int(),
});
/** What became of the trained rollouts of one role in one step; estimates and first tries that were replaced do not count. */
export type StepOutcome = z.infer<typeof outcomeSchema>;
const asOutcome = reader('step outcome', outcomeSchema, (row: unknown) => row);

/** Steps fromStep … toStep, in order. */
export function selectOutcomes(db: Database, runId: string, fromStep: number, toStep: number): StepOutcome[] {
  return readAll(
    db,
    asOutcome,
    sql`
    SELECT step, role, count(*) AS n, count(*) FILTER (WHERE outcome = 'passed') AS passed, count(*) FILTER (WHERE format_ok = 0) AS formatFailures
    FROM rollouts INDEXED BY rollouts_by_place WHERE run_id = ${runId} AND step BETWEEN ${fromStep} AND ${toStep} AND reward IS NOT NULL
    GROUP BY step, role ORDER BY step, role`,
  );
}

const decisionSchema = z.strictObject({ step: z.int(), reviews: z.int(), retries: z.int() });
/** Reviews of a step that were answered, and how many of them sent the item back. */
export type StepDecisions = z.infer<typeof decisionSchema>;
const asDecisions = reader('step decisions', decisionSchema, (row: unknown) => row);

export function selectDecisions(db: Database, runId: string): StepDecisions[] {
  return readAll(
    db,
    asDecisions,
    sql`
    SELECT step, count(*) FILTER (WHERE status IN ('done', 'quarantined')) AS reviews, count(*) FILTER (WHERE decision = 'retry') AS retries
    FROM reviews WHERE run_id = ${runId} GROUP BY step ORDER BY step`,
  );
}
