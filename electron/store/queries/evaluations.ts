import type { Database } from 'better-sqlite3';
import { evaluationItemSchema, evaluationRecordSchema } from '../../contract/index.ts';
import type { EvaluationItem, EvaluationRecord } from '../../contract/index.ts';
import { allOf, execute, readAll, readOne, reader, sql } from '../sql.ts';
import type { Query } from '../sql.ts';

/** An evaluation without its items, for lists. */
export type EvaluationHead = Omit<EvaluationRecord, 'items'>;
export type EvaluationFilter = { runId?: string | null; suite?: string; model?: string };

type EvaluationRow = {
  id: string;
  created_at: string;
  run_id: string | null;
  step: number | null;
  model: string;
  weights_sha256: string;
  suite: string;
  suite_kind: string;
  suite_sha256: string;
  context_hash: string | null;
  temperature: number;
  seed: number;
  n: number;
  passed: number;
  milliseconds: number;
};
type ItemRow = { item_id: string; text: string; passed: number; reason: string | null; new_tokens: number };

const asHead = reader<EvaluationHead, EvaluationRow>(
  'evaluation',
  evaluationRecordSchema.omit({ items: true }),
  (row) => ({
    id: row.id,
    createdAt: row.created_at,
    runId: row.run_id,
    step: row.step,
    model: row.model,
    weightsSha256: row.weights_sha256,
    suite: row.suite,
    suiteKind: row.suite_kind,
    suiteSha256: row.suite_sha256,
    contextHash: row.context_hash,
    temperature: row.temperature,
    seed: row.seed,
    n: row.n,
    passed: row.passed,
    milliseconds: row.milliseconds,
  }),
);
const asItem = reader('evaluation item', evaluationItemSchema, (row: ItemRow) => ({
  itemId: row.item_id,
  text: row.text,
  passed: row.passed === 1,
  reason: row.reason,
  newTokens: row.new_tokens,
}));

const COLUMNS = sql`
  id, created_at, run_id, step, model, weights_sha256, suite, suite_kind, suite_sha256, context_hash, temperature, seed, n, passed, milliseconds`;

export function insertEvaluation(db: Database, record: EvaluationRecord): void {
  const { lastInsertRowid } = execute(
    db,
    sql`
    INSERT INTO evaluations (id, created_at, run_id, step, model, weights_sha256, suite, suite_kind, suite_sha256, context_hash,
      temperature, seed, n, passed, milliseconds)
    VALUES (${record.id}, ${record.createdAt}, ${record.runId}, ${record.step}, ${record.model}, ${record.weightsSha256}, ${record.suite},
      ${record.suiteKind}, ${record.suiteSha256}, ${record.contextHash}, ${record.temperature}, ${record.seed}, ${record.n},
      ${record.passed}, ${record.milliseconds})`,
  );
  record.items.forEach((item, ordinal) =>
    execute(
      db,
      sql`
    INSERT INTO evaluation_items (evaluation_key, ordinal, item_id, text, passed, reason, new_tokens)
    VALUES (${lastInsertRowid}, ${ordinal}, ${item.itemId}, ${item.text}, ${item.passed ? 1 : 0}, ${item.reason}, ${item.newTokens})`,
    ),
  );
}

export function selectEvaluationHead(db: Database, id: string): EvaluationHead | null {
  return readOne(db, asHead, sql`SELECT ${COLUMNS} FROM evaluations WHERE id = ${id}`);
}

/** Finished ones in the order they were stored. `runId: null` finds evaluations that belong to no run. */
export function selectEvaluationHeads(db: Database, filter: EvaluationFilter): EvaluationHead[] {
  const conditions: Query[] = [sql`state = 'done'`];
  if (filter.runId !== undefined) conditions.push(sql`run_id IS ${filter.runId}`);
  if (filter.suite !== undefined) conditions.push(sql`suite = ${filter.suite}`);
  if (filter.model !== undefined) conditions.push(sql`model = ${filter.model}`);
  return readAll(db, asHead, sql`SELECT ${COLUMNS} FROM evaluations WHERE ${allOf(conditions)} ORDER BY key`);
}

export function selectEvaluationItems(db: Database, id: string): EvaluationItem[] {
  return readAll(
    db,
    asItem,
    sql`
    SELECT i.item_id, i.text, i.passed, i.reason, i.new_tokens FROM evaluations e
    JOIN evaluation_items i ON i.evaluation_key = e.key WHERE e.id = ${id} ORDER BY i.ordinal`,
  );
}
