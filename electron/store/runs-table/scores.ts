import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import type { RunScore } from '../../contract/index.ts';
import { readAll, reader, sql } from '../sql.ts';

const rowSchema = z.strictObject({
  key: z.int(),
  id: z.string(),
  suite: z.string(),
  suiteSha256: z.string(),
  step: z.int(),
  contextHash: z.string().nullable(),
  seed: z.int(),
  n: z.int(),
  passed: z.int(),
});
type Row = z.infer<typeof rowSchema>;
const asRow = reader('evaluation', rowSchema, (row: Row) => row);
const COLUMNS = sql`key, id, suite, suite_sha256 AS suiteSha256, coalesce(step, 0) AS step, context_hash AS contextHash, seed, n, passed`;

const asReason = reader(
  'reason',
  z.strictObject({ reason: z.string(), count: z.int() }),
  (row: unknown) => row,
);

function shareOf(
  db: Database,
  { key, passed, n }: Row,
): { passed: number; n: number; reasons: Record<string, number> } {
  const reasons = readAll(
    db,
    asReason,
    sql`
    SELECT coalesce(reason, '') AS reason, count(*) AS count FROM evaluation_items WHERE evaluation_key = ${key} AND passed = 0 GROUP BY reason`,
  );
  return { passed, n, reasons: Object.fromEntries(reasons.map(({ reason, count }) => [reason, count])) };
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
export function selectScores(db: Database, runId: string): RunScore[] {
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
        AND suite = ${row.suite} AND suite_sha256 = ${row.suiteSha256} AND seed = ${row.seed} AND n = ${row.n} AND context_hash IS NULL AND state = 'done'
      ORDER BY key DESC LIMIT 1`,
          );
    return {
      ...shareOf(db, row),
      id: row.id,
      suite: row.suite,
      step: row.step,
      seed: row.seed,
      withContext: row.contextHash !== null,
      base: base === undefined ? null : shareOf(db, base),
    };
  });
}
