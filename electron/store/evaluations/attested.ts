import { createHash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import type { EvaluationPlanRecord, OutcomeCounts } from '../../contract/index.ts';
import { canonicalJson } from '../../core/index.ts';
import { attestedText, CONTRADICTS, evaluationSha256, recordsSha256 } from '../audit-log/digests.ts';
import { readOne, reader, sql } from '../sql.ts';
import { readEvaluation } from './first-form.ts';
import { eachItem, LOOP, selectOverrides } from './items.ts';
import { evaluationKey, headOf, selectStoredEvaluations, type StoredEvaluation } from './summaries.ts';

/** Names what an evaluation asks and how: equal only where figures may be compared answer by answer, or one can take up the other. */
export const planSha256 = (plan: EvaluationPlanRecord, weightsSha256: string): string =>
  recordsSha256('anchor-evaluation-plan-v2', [
    { ...plan, subject: { ...plan.subject, label: '' } },
    weightsSha256,
  ]);

const headSchema = z.strictObject({
  runId: z.string().nullable(),
  step: z.int().nullable(),
  model: z.string(),
  suite: z.string(),
  suiteKind: z.string(),
  suiteSha256: z.string(),
  contextHash: z.string().nullable(),
  temperature: z.number(),
  seed: z.int(),
  n: z.int(),
  passed: z.int(),
  planSha256: z.string().nullable(),
});
const asHead = reader('head of an evaluation', headSchema, (row: unknown) => row);
const asCount = reader('count', z.int(), (row: { count: number }) => row.count);

/** What lists and comparisons read of a row is what its plan, its scores and its verdicts say. */
function repeatsItself(
  db: Database,
  key: number,
  plan: EvaluationPlanRecord,
  weightsSha256: string,
  counts: OutcomeCounts | null,
): boolean {
  const head = readOne(
    db,
    asHead,
    sql`
    SELECT run_id AS runId, step, model, suite, suite_kind AS suiteKind, suite_sha256 AS suiteSha256, context_hash AS contextHash,
      temperature, seed, n, passed, plan_sha256 AS planSha256 FROM evaluations WHERE key = ${key}`,
  );
  const wanted = { ...headOf(plan, counts), planSha256: planSha256(plan, weightsSha256) };
  return (
    canonicalJson(head) === canonicalJson(wanted) &&
    countItems(
      db,
      sql`
      evaluation_key = ${key} AND (passed <> (outcome IS 'passed') OR outcome IS NULL AND
        (reason IS NOT NULL AND reason <> ${LOOP} OR score IS NOT NULL OR method IS NOT NULL OR flags IS NOT NULL OR judge IS NOT NULL OR details IS NOT NULL))`,
    ) === 0
  );
}

/** A row of the first form uses no column of the second, and numbers its answers from 0. */
function keepsFirstForm(db: Database, key: number): boolean {
  const used = readOne(
    db,
    asCount,
    sql`
    SELECT count(*) AS count FROM evaluations WHERE key = ${key} AND (form <> 1 OR state <> 'done' OR problem IS NOT NULL OR
      finished_at IS NOT NULL OR plan IS NOT NULL OR plan_sha256 IS NOT NULL OR planned IS NOT NULL OR scores IS NOT NULL)`,
  );
  return (
    used === 0 &&
    countItems(
      db,
      sql`
      evaluation_key = ${key} AND (sample <> 0 OR asked IS NOT NULL OR target IS NOT NULL OR outcome IS NOT NULL OR score IS NOT NULL OR
        method IS NOT NULL OR flags IS NOT NULL OR judge IS NOT NULL OR details IS NOT NULL OR
        ordinal NOT BETWEEN 0 AND (SELECT count(*) - 1 FROM evaluation_items WHERE evaluation_key = ${key}))`,
    ) === 0
  );
}

const countItems = (db: Database, where: ReturnType<typeof sql>): number =>
  readOne(db, asCount, sql`SELECT count(*) AS count FROM evaluation_items WHERE ${where}`) ?? 0;

/** Attested by `evaluation.stored` of the first form. */
export function firstFormAsStored(db: Database, id: string): string {
  const record = readEvaluation(db, id);
  const key = evaluationKey(db, id);
  if (record === null || key === null) return 'nothing';
  return keepsFirstForm(db, key) ? evaluationSha256(record) : CONTRADICTS;
}

/** Attested by `evaluation.begun` while it is at work. `began` tells whether the event says when and in which state that was. */
export function plannedAsStored(db: Database, id: string, began: boolean): string {
  const [found] = selectStoredEvaluations(db, { ids: [id] });
  const key = evaluationKey(db, id);
  if (found === undefined || key === null) return 'nothing';
  if (found.state === 'done') return 'done';
  if (!repeatsItself(db, key, found.plan, found.weightsSha256, null)) return CONTRADICTS;
  return attestedText(planSha256(found.plan, found.weightsSha256), began ? progressOf(found) : {});
}

/** What an evaluation at work says beside its plan. */
export const AT_WORK = { state: 'running', problem: null, finishedAt: null };

const progressOf = ({ createdAt, planned, milliseconds, state, problem, finishedAt }: StoredEvaluation) => ({
  createdAt,
  planned,
  milliseconds,
  state,
  problem,
  finishedAt,
});

/** Attested by `evaluation.stopped`: everything that a resumed evaluation goes on with. One answer in memory at a time. */
export function stoppedAsStored(db: Database, id: string): string {
  const [found] = selectStoredEvaluations(db, { ids: [id] });
  const key = evaluationKey(db, id);
  if (found === undefined || key === null) return 'nothing';
  if (found.state === 'done') return 'done';
  if (!repeatsItself(db, key, found.plan, found.weightsSha256, null)) return CONTRADICTS;
  const hash = createHash('sha256').update('anchor-evaluation-stopped-v1\n');
  hash.update(
    `${canonicalJson({ id, plan: found.plan, weightsSha256: found.weightsSha256, ...progressOf(found) })}\n`,
  );
  for (const item of eachItem(db, key)) hash.update(`${canonicalJson(item)}\n`);
  return hash.digest('hex');
}

/** Attested by `evaluation.stored`: the plan, the scores and every answer with its verdict. One answer in memory at a time. */
export function finishedAsStored(db: Database, id: string): string {
  const [found] = selectStoredEvaluations(db, { ids: [id] });
  const key = evaluationKey(db, id);
  if (found === undefined || key === null) return 'nothing';
  if (found.state !== 'done') return found.state;
  const hash = createHash('sha256').update('anchor-evaluation-v2\n');
  const { createdAt, finishedAt, milliseconds, plan, weightsSha256, planned, scores, problem } = found;
  const { overridden: _, ...counts } = found.counts;
  if (problem !== null || !repeatsItself(db, key, plan, weightsSha256, found.counts)) return CONTRADICTS;
  hash.update(
    `${canonicalJson({ id, createdAt, finishedAt, milliseconds, plan, weightsSha256, planned, scores, counts })}\n`,
  );
  for (const item of eachItem(db, key)) hash.update(`${canonicalJson(item)}\n`);
  return hash.digest('hex');
}

export function overrideAsStored(db: Database, id: string, ordinal: number): string {
  const key = evaluationKey(db, id);
  const found = key === null ? undefined : selectOverrides(db, key).find((one) => one.ordinal === ordinal);
  return found === undefined ? 'nothing' : canonicalJson(found);
}

const asIds = reader('order of evaluations', z.array(z.string()), (row: { ids: string }) =>
  JSON.parse(row.ids),
);

/** Ids in the order in which results are told from older ones. */
export function orderAsStored(db: Database): string {
  return canonicalJson(
    readOne(db, asIds, sql`SELECT json_group_array(id ORDER BY key) AS ids FROM evaluations`) ?? [],
  );
}
