import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import {
  gradedItemSchema,
  type ItemFilter,
  type ItemOverride,
  itemOverrideSchema,
  LOAD_AFFECTED,
} from '../../contract/index.ts';
import { allOf, execute, type Query, readAll, readEach, reader, readOne, sql } from '../sql.ts';

/** Stands in the column of a verdict's reason until there is a verdict. */
export const LOOP = 'loop';

/** An answer, graded or waiting for its verdict. */
export const storedItemSchema = gradedItemSchema.extend({
  grade: gradedItemSchema.shape.grade.nullable(),
  /** Of one that waits: it was ended because it repeated itself, which nothing else that is stored tells. */
  ended: z.literal(LOOP).optional(),
});
export type StoredItem = z.infer<typeof storedItemSchema>;

type ItemRow = {
  ordinal: number;
  itemId: string;
  sample: number;
  asked: string | null;
  target: string | null;
  text: string;
  newTokens: number;
  passed: number;
  reason: string | null;
  form: number;
  outcome: string | null;
  score: number | null;
  method: string | null;
  flags: string | null;
  judge: string | null;
  details: string | null;
};

const gradeOf = (row: ItemRow): unknown => {
  const rest = {
    score: row.score,
    reason: row.reason,
    flags: JSON.parse(row.flags ?? '[]'),
    judge: JSON.parse(row.judge ?? 'null'),
    details: JSON.parse(row.details ?? '{}'),
  };
  if (row.form === 1) return { outcome: row.passed === 1 ? 'passed' : 'failed', method: 'stored', ...rest };
  return row.outcome === null ? null : { outcome: row.outcome, method: row.method, ...rest };
};
const asItem = reader('evaluation item', storedItemSchema, (row: ItemRow) => ({
  ordinal: row.ordinal,
  itemId: row.itemId,
  sample: row.sample,
  asked: JSON.parse(row.asked ?? '[]'),
  target: row.target,
  text: row.text,
  newTokens: row.newTokens,
  grade: gradeOf(row),
  ...(row.form !== 1 && row.outcome === null && row.reason !== null ? { ended: row.reason } : {}),
}));

const COLUMNS = sql`
  i.ordinal, i.item_id AS itemId, i.sample, i.asked, i.target, i.text, i.new_tokens AS newTokens, i.passed, i.reason,
  (SELECT form FROM evaluations e WHERE e.key = i.evaluation_key) AS form, i.outcome, i.score, i.method, i.flags, i.judge, i.details`;

/** Stores an answer, or its verdict beside it. */
export function upsertItem(
  db: Database,
  key: number,
  { ordinal, itemId, sample, asked, target, text, newTokens, grade, ended }: StoredItem,
): void {
  execute(
    db,
    sql`
    INSERT INTO evaluation_items (evaluation_key, ordinal, item_id, text, passed, reason, new_tokens, sample, asked, target, outcome, score, method, flags, judge, details)
    VALUES (${key}, ${ordinal}, ${itemId}, ${text}, ${grade?.outcome === 'passed' ? 1 : 0}, ${(grade === null ? ended : grade.reason) ?? null}, ${newTokens}, ${sample}, ${JSON.stringify(asked)}, ${target},
      ${grade?.outcome ?? null}, ${grade?.score ?? null}, ${grade?.method ?? null}, ${grade === null ? null : JSON.stringify(grade.flags)},
      ${grade?.judge == null ? null : JSON.stringify(grade.judge)}, ${grade === null ? null : JSON.stringify(grade.details)})
    ON CONFLICT (evaluation_key, ordinal) DO UPDATE SET passed = excluded.passed, reason = excluded.reason, outcome = excluded.outcome, score = excluded.score,
      method = excluded.method, flags = excluded.flags, judge = excluded.judge, details = excluded.details`,
  );
}

export function eachItem(db: Database, key: number): Generator<StoredItem> {
  return readEach(
    db,
    asItem,
    sql`SELECT ${COLUMNS} FROM evaluation_items i WHERE i.evaluation_key = ${key} ORDER BY i.ordinal`,
  );
}

export function selectItem(db: Database, key: number, ordinal: number): StoredItem | null {
  return readOne(
    db,
    asItem,
    sql`SELECT ${COLUMNS} FROM evaluation_items i WHERE i.evaluation_key = ${key} AND i.ordinal = ${ordinal}`,
  );
}

export function selectItemNamed(
  db: Database,
  key: number,
  itemId: string,
  sample: number,
): StoredItem | null {
  return readOne(
    db,
    asItem,
    sql`SELECT ${COLUMNS} FROM evaluation_items i WHERE i.evaluation_key = ${key} AND i.item_id = ${itemId} AND i.sample = ${sample}`,
  );
}

const presenceSchema = z.strictObject({
  ordinal: z.int(),
  graded: z.union([z.literal(0), z.literal(1)]).transform(Boolean),
});
const asPresence = reader('place of an answer', presenceSchema, (row: unknown) => row);

const gradeRowSchema = gradedItemSchema.pick({ ordinal: true, itemId: true, sample: true, grade: true });
/** An answer's verdict without its texts. */
export type StoredGrade = z.infer<typeof gradeRowSchema>;
const asGrade = reader('verdict', gradeRowSchema, (row: ItemRow) => ({
  ordinal: row.ordinal,
  itemId: row.itemId,
  sample: row.sample,
  grade: gradeOf(row),
}));

/** Verdicts in the suite's order; answers that wait for theirs are left out. */
export function selectGrades(db: Database, key: number): StoredGrade[] {
  return readAll(
    db,
    asGrade,
    sql`
    SELECT i.ordinal, i.item_id AS itemId, i.sample, i.passed, i.reason, e.form, i.outcome, i.score, i.method, i.flags, i.judge, i.details
    FROM evaluation_items i JOIN evaluations e ON e.key = i.evaluation_key
    WHERE i.evaluation_key = ${key} AND (e.form = 1 OR i.outcome IS NOT NULL) ORDER BY i.ordinal`,
  );
}

/** Which answers are there, without their texts. */
export function selectPresence(db: Database, key: number): { ordinal: number; graded: boolean }[] {
  return readAll(
    db,
    asPresence,
    sql`SELECT ordinal, outcome IS NOT NULL AS graded FROM evaluation_items WHERE evaluation_key = ${key} ORDER BY ordinal`,
  );
}

const EXCERPT = 160; // characters of an answer in a list
const rowSchema = z.strictObject({
  ordinal: z.int(),
  itemId: z.string(),
  sample: z.int(),
  excerpt: z.string(),
  outcome: gradedItemSchema.shape.grade.shape.outcome.nullable(),
  score: z.number().nullable(),
  method: z.string(),
  reason: z.string().nullable(),
  flags: z.array(z.string()),
});
export type StoredItemRow = z.infer<typeof rowSchema>;
const asListed = reader('evaluation item', rowSchema, (row: { flags: string }) => ({
  ...row,
  flags: JSON.parse(row.flags),
}));

const CONDITIONS: Record<Exclude<ItemFilter, 'all' | 'flipped'>, Query> = {
  failed: sql`coalesce(i.outcome, CASE WHEN i.passed = 0 AND e.form = 1 THEN 'failed' END) IN ('failed', 'unanswered')`,
  unjudged: sql`i.outcome = 'unjudged'`,
  flagged: sql`i.flags IS NOT NULL AND i.flags <> '[]'`,
  overridden: sql`EXISTS (SELECT 1 FROM evaluation_overrides o WHERE o.evaluation_key = i.evaluation_key AND o.ordinal = i.ordinal)`,
  'load-affected': sql`EXISTS (SELECT 1 FROM json_each(i.flags) WHERE value = ${LOAD_AFFECTED})`,
};

/** Rows of a list in the suite's order, without whole texts. `ordinals` keeps only those. */
export function selectItemRows(
  db: Database,
  key: number,
  filter: Exclude<ItemFilter, 'flipped'>,
  page: { offset: number; limit: number },
): StoredItemRow[] {
  const conditions = [sql`i.evaluation_key = ${key}`, ...(filter === 'all' ? [] : [CONDITIONS[filter]])];
  return readAll(
    db,
    asListed,
    sql`
    SELECT i.ordinal, i.item_id AS itemId, i.sample, substr(i.text, 1, ${EXCERPT}) AS excerpt,
      coalesce(i.outcome, CASE WHEN e.form = 1 THEN CASE i.passed WHEN 1 THEN 'passed' ELSE 'failed' END END) AS outcome, i.score, coalesce(i.method, 'stored') AS method, i.reason, coalesce(i.flags, '[]') AS flags
    FROM evaluation_items i JOIN evaluations e ON e.key = i.evaluation_key WHERE ${allOf(conditions)} ORDER BY i.ordinal LIMIT ${page.limit} OFFSET ${page.offset}`,
  );
}

const asNumber = reader('count', z.int(), (row: { count: number }) => row.count);

export function countItemRows(db: Database, key: number, filter: Exclude<ItemFilter, 'flipped'>): number {
  const conditions = [sql`i.evaluation_key = ${key}`, ...(filter === 'all' ? [] : [CONDITIONS[filter]])];
  return (
    readOne(
      db,
      asNumber,
      sql`SELECT count(*) AS count FROM evaluation_items i JOIN evaluations e ON e.key = i.evaluation_key WHERE ${allOf(conditions)}`,
    ) ?? 0
  );
}

const asOverride = reader('override', itemOverrideSchema, (row: unknown) => row);

export function selectOverrides(db: Database, key: number): ItemOverride[] {
  return readAll(
    db,
    asOverride,
    sql`SELECT ordinal, outcome, by_whom AS "by", note, at FROM evaluation_overrides WHERE evaluation_key = ${key} ORDER BY ordinal`,
  );
}

export function upsertOverride(
  db: Database,
  key: number,
  { ordinal, outcome, by, note, at }: ItemOverride,
): void {
  execute(
    db,
    sql`INSERT OR REPLACE INTO evaluation_overrides (evaluation_key, ordinal, outcome, by_whom, note, at) VALUES (${key}, ${ordinal}, ${outcome}, ${by}, ${note}, ${at})`,
  );
}

export function removeOverride(db: Database, key: number, ordinal: number): boolean {
  return (
    execute(db, sql`DELETE FROM evaluation_overrides WHERE evaluation_key = ${key} AND ordinal = ${ordinal}`)
      .changes > 0
  );
}
