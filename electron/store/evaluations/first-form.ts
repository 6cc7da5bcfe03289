import type { Database } from 'better-sqlite3';
import { evaluationItemSchema, evaluationRecordSchema, Failure } from '../../contract/index.ts';
import type { EvaluationItem, EvaluationRecord } from '../../contract/index.ts';
import { evaluationSha256 } from '../audit-log/digests.ts';
import { appendToChain, type Clock } from '../audit-log/events.ts';
import {
  allOf,
  checkedRecord,
  execute,
  immediately,
  type Query,
  readAll,
  reader,
  readOne,
  sql,
} from '../sql.ts';
import { CORRECTED_COUNTS, CORRECTED_ITEMS, CORRECTED_PASSED } from './corrected.ts';

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
  id, created_at, run_id, step, model, weights_sha256, suite, suite_kind, suite_sha256, context_hash, temperature, seed, milliseconds`;
const AS_GRADED = sql`n, passed`;

function insertEvaluation(db: Database, record: EvaluationRecord): void {
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

function selectEvaluationHead(db: Database, id: string, counts: Query): EvaluationHead | null {
  return readOne(db, asHead, sql`SELECT ${COLUMNS}, ${counts} FROM evaluations WHERE id = ${id}`);
}

/** Finished ones in the order they were stored. `runId: null` finds evaluations that belong to no run. */
function selectEvaluationHeads(db: Database, filter: EvaluationFilter): EvaluationHead[] {
  const conditions: Query[] = [sql`state = 'done'`];
  if (filter.runId !== undefined) conditions.push(sql`run_id IS ${filter.runId}`);
  if (filter.suite !== undefined) conditions.push(sql`suite = ${filter.suite}`);
  if (filter.model !== undefined) conditions.push(sql`model = ${filter.model}`);
  return readAll(
    db,
    asHead,
    sql`SELECT ${COLUMNS}, ${CORRECTED_COUNTS} FROM evaluations WHERE ${allOf(conditions)} ORDER BY key`,
  );
}

function selectEvaluationItems(db: Database, id: string, passed: Query): EvaluationItem[] {
  return readAll(
    db,
    asItem,
    sql`
    SELECT i.item_id, i.text, ${passed} AS passed, i.reason, i.new_tokens FROM ${CORRECTED_ITEMS}
    WHERE i.evaluation_key = (SELECT key FROM evaluations WHERE id = ${id}) ORDER BY i.ordinal`,
  );
}

/** As it was graded, which is what the event log attests. */
export function readEvaluation(db: Database, id: string): EvaluationRecord | null {
  const head = selectEvaluationHead(db, id, AS_GRADED);
  return head === null ? null : { ...head, items: selectEvaluationItems(db, id, sql`i.passed`) };
}

/** Evaluations of the first form, which are stored once, when they are finished. */
export function evaluationRecordRepository(db: Database, now: Clock) {
  return {
    /** Stores a finished evaluation with its items. Storing the same again does nothing; the same id with other data fails with kind `evaluationConflict`. */
    putEvaluation(evaluation: EvaluationRecord): void {
      const record = checkedRecord(evaluationRecordSchema, evaluation, `evaluation "${evaluation.id}"`);
      const sha256 = evaluationSha256(record);
      immediately(db, () => {
        const before = readEvaluation(db, record.id);
        if (before !== null) {
          if (evaluationSha256(before) === sha256) return;
          throw new Failure(
            'evaluationConflict',
            `Evaluation "${record.id}" is stored with another result; give the new one its own id.`,
          );
        }
        insertEvaluation(db, record);
        appendToChain(db, now, record.runId, 'evaluation.stored', {
          id: record.id,
          sha256,
          suite: record.suite,
          suiteSha256: record.suiteSha256,
          weightsSha256: record.weightsSha256,
          contextHash: record.contextHash,
          seed: record.seed,
          n: record.n,
          passed: record.passed,
        });
      });
    },
    /** In the order they were stored, without items, people's overrides in the verdicts' place. `runId: null` finds those that belong to no run. */
    listEvaluations(filter: EvaluationFilter = {}): EvaluationHead[] {
      return selectEvaluationHeads(db, filter);
    },
    /** People's overrides stand in the verdicts' place here too. */
    getEvaluation(id: string): EvaluationRecord | null {
      const head = selectEvaluationHead(db, id, CORRECTED_COUNTS);
      return head === null ? null : { ...head, items: selectEvaluationItems(db, id, CORRECTED_PASSED) };
    },
    getEvaluationItems(id: string): EvaluationItem[] {
      return selectEvaluationItems(db, id, CORRECTED_PASSED);
    },
  };
}
