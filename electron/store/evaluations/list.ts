import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { evaluationStateSchema } from '../../contract/index.ts';
import type {
  EvaluationCondition,
  EvaluationFacets,
  EvaluationRowCounts,
  EvaluationRowFilter,
  EvaluationRowOrder,
  EvaluationRowPage,
} from '../../contract/index.ts';
import { asPlace, contains, mismatch, pageOf, parseCursor, placesQuery, Tally } from '../row-lists.ts';
import { allOf, readAll, reader, sql, type Query } from '../sql.ts';
import { selectStoredEvaluations, type StoredEvaluation } from './summaries.ts';

const FROM = sql`FROM evaluations e LEFT JOIN runs r ON r.id = e.run_id`;
/** Only words are looked for in the name of a run; whoever counts by anything else need not look its row up for every evaluation. */
const countedFrom = (words: EvaluationRowFilter['words']): Query =>
  words === undefined ? sql`FROM evaluations e` : FROM;
/** What the rows are grouped by: a run with all of its checkpoints, or a model. */
const SUBJECT = sql`coalesce(e.run_id, 'model:' || e.model)`;
/** What a person calls that; a run that was deleted has only its id left. */
const SUBJECT_NAME = sql`coalesce(r.name, e.run_id, e.model)`;
const CONTEXT = sql`iif(e.context_hash IS NULL, 'weights', 'run')`;
const JUDGE = sql`json_extract(e.plan, '$.judge.name')`;
const SEARCHED = sql`concat_ws(' ', e.suite, ${SUBJECT_NAME}, e.run_id, e.model, json_extract(e.plan, '$.subject.label'), ${JUDGE}, json_extract(e.plan, '$.protocol.name'), e.id, e.problem)`;
/** The first score as it was stored; evaluations of form 1 have it in their columns. */
const SCORE = sql`iif(e.form = 1, iif(e.n = 0, NULL, CAST(e.passed AS REAL) / e.n), json_extract(e.scores, '$.scores[0].value'))`;

/** Beyond every value that a row can have: rows without one come last, whichever way the list is ordered. */
const BEYOND = 1e300;

/** What an order compares; never null. @param corrected first scores as people corrected them, by evaluation */
function orderOf(
  { by, descending }: EvaluationRowOrder,
  corrected: ReadonlyMap<string, number | null>,
): Query {
  const last = descending ? -BEYOND : BEYOND;
  switch (by) {
    case 'time':
      return sql`e.key`;
    case 'suite':
      return sql`lower(e.suite)`;
    case 'subject':
      // Checkpoints of a run stand together and in the order of their steps.
      return sql`lower(${SUBJECT_NAME}) || ' ' || ${SUBJECT} || ' ' || printf('%09d', coalesce(e.step, 0))`;
    case 'step':
      return sql`coalesce(e.step, ${last})`;
    case 'items':
      return sql`coalesce(e.planned, e.n)`;
    case 'duration':
      return sql`e.milliseconds`;
    case 'score': {
      if (corrected.size === 0) return sql`coalesce(${SCORE}, ${last})`;
      const said = sql`SELECT value FROM json_each(${JSON.stringify(Object.fromEntries(corrected))}) WHERE key = e.id`;
      return sql`coalesce((${said}), ${SCORE}, ${last})`;
    }
  }
}

const among = (what: Query, values: readonly string[]): Query =>
  sql`${what} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;

const CONDITIONS: {
  [K in EvaluationCondition]: (wanted: NonNullable<EvaluationRowFilter[K]>) => Query;
} = {
  suites: (suites) => among(sql`e.suite`, suites),
  subjects: (subjects) =>
    sql`(${among(SUBJECT, subjects)} OR ${among(sql`e.run_id || '@' || e.step`, subjects)})`,
  context: (context) => sql`${CONTEXT} = ${context}`,
  judges: (judges) =>
    sql`coalesce(${JUDGE}, '') IN (SELECT coalesce(value, '') FROM json_each(${JSON.stringify(judges)}))`,
  states: (states) => among(sql`e.state`, states),
  words: (words) => allOf(words.map((word) => contains(SEARCHED, word))),
};
const NAMES = Object.keys(CONDITIONS) as EvaluationCondition[];

function conditionsOf(filter: EvaluationRowFilter): Query[] {
  const condition = <K extends EvaluationCondition>(name: K): Query[] => {
    const wanted = filter[name];
    return wanted === undefined ? [] : [CONDITIONS[name](wanted)];
  };
  return NAMES.flatMap((name) => condition(name));
}

const asCount = reader('count of evaluations', z.int(), (row: { count: number }) => row.count);

const countRows = (db: Database, filter: EvaluationRowFilter): number =>
  readAll(
    db,
    asCount,
    sql`SELECT count(*) AS count ${countedFrom(filter.words)} WHERE ${allOf(conditionsOf(filter))}`,
  )[0] ?? 0;

const cellSchema = z.strictObject({
  suite: z.string(),
  subject: z.string(),
  label: z.string(),
  context: z.enum(['weights', 'run']),
  judge: z.string().nullable(),
  state: evaluationStateSchema,
  /** Whether the condition on subjects holds: it can name a single checkpoint, which a cell does not. */
  isSubject: z.boolean(),
  count: z.int(),
});
const asCell = reader(
  'count of evaluations',
  cellSchema,
  ({ cell, label, count }: { cell: string; label: string; count: number }) => {
    const [suite, subject, context, judge, state, isSubject] = JSON.parse(cell) as unknown[];
    return { suite, subject, label, context, judge, state, isSubject: isSubject === 1, count };
  },
);
type Cell = z.infer<typeof cellSchema>;

/**
 * Evaluations that are alike in everything a facet asks, counted; only the words of the filter are applied. What they are alike in is one
 * short text, worked out before anything is grouped: SQLite groups by sorting, and would carry whole plans through it.
 */
function selectCells(db: Database, { words, subjects }: EvaluationRowFilter): Cell[] {
  const isSubject = subjects === undefined ? sql`1` : CONDITIONS.subjects(subjects);
  return readAll(
    db,
    asCell,
    sql`
    WITH each AS MATERIALIZED (
      SELECT json_array(e.suite, ${SUBJECT}, ${CONTEXT}, ${JUDGE}, e.state, ${isSubject}, coalesce(e.run_id, e.model)) AS cell
      ${countedFrom(words)} WHERE ${allOf(conditionsOf({ words }))}),
    counted AS (SELECT cell, count(*) AS count FROM each GROUP BY cell)
    SELECT cell, coalesce(r.name, cell ->> '$[6]') AS label, count FROM counted LEFT JOIN runs r ON r.id = cell ->> '$[1]'`,
  );
}

const DIMENSIONS = ['suite', 'subject', 'context', 'judge', 'state'] as const;

/** Each facet counts under the filter without its own condition, as lists of choices do; the total under all of it. */
function facetsOf(
  cells: readonly Cell[],
  filter: EvaluationRowFilter,
): { total: number; facets: EvaluationFacets } {
  const { suites, context, judges, states } = filter;
  const labels = new Map(cells.map(({ subject, label }) => [subject, label]));
  const tallies = {
    suite: new Tally(),
    subject: new Tally(),
    context: new Tally(),
    judge: new Tally(),
    state: new Tally(),
  };
  let total = 0;
  for (const cell of cells) {
    const holds = {
      suite: suites?.includes(cell.suite) ?? true,
      subject: cell.isSubject,
      context: context === undefined || context === cell.context,
      judge: judges?.includes(cell.judge) ?? true,
      state: states?.includes(cell.state) ?? true,
    };
    const failed = mismatch(DIMENSIONS, (dimension) => holds[dimension]);
    if (failed === 'several') continue;
    if (failed === null) total += cell.count;
    for (const dimension of failed === null ? DIMENSIONS : [failed])
      tallies[dimension].add(cell[dimension], cell.count);
  }
  const facets = {
    suite: tallies.suite.sorted<string>(),
    subject: tallies.subject
      .sorted<string>()
      .map((one) => ({ ...one, label: labels.get(one.value) ?? one.value })),
    context: tallies.context.sorted<Cell['context']>(),
    judge: tallies.judge.sorted<Cell['judge']>(),
    state: tallies.state.sorted<Cell['state']>(),
  };
  return { total, facets };
}

function countsOf(db: Database, filter: EvaluationRowFilter): EvaluationRowCounts {
  const { total, facets } = facetsOf(selectCells(db, filter), filter);
  const asked = NAMES.filter((name) => filter[name] !== undefined);
  return {
    total,
    all: countRows(db, {}),
    facets,
    lifted:
      total > 0
        ? {}
        : Object.fromEntries(asked.map((name) => [name, countRows(db, { ...filter, [name]: undefined })])),
  };
}

export type StoredEvaluationPage = Omit<EvaluationRowPage, 'rows'> & { rows: StoredEvaluation[] };

const NEWEST_FIRST: EvaluationRowOrder = { by: 'time', descending: true };
const MAX_ROWS = 200;

/** Evaluations as a list shows them: filtered, ordered and counted by SQLite, and only those of the page read in full. */
export function evaluationListRepository(db: Database) {
  return {
    /** A page in any order; `limit` 1…200, default 50. @param corrected first scores as people corrected them, by evaluation */
    pageStoredEvaluations(
      filter: EvaluationRowFilter = {},
      order: EvaluationRowOrder = NEWEST_FIRST,
      page: { cursor?: string | null; limit?: number } = {},
      corrected: ReadonlyMap<string, number | null> = new Map(),
    ): StoredEvaluationPage {
      const limit = Math.min(Math.max(page.limit ?? 50, 1), MAX_ROWS);
      const places = placesQuery({
        from: FROM,
        where: conditionsOf(filter),
        order: orderOf(order, corrected),
        tie: sql`e.key`,
        id: sql`e.id`,
        descending: order.descending,
        after: page.cursor == null ? null : parseCursor(page.cursor, 'evaluations'),
        limit: limit + 1,
      });
      const { ids, next } = pageOf(readAll(db, asPlace, places), limit);
      const read = new Map(selectStoredEvaluations(db, { ids }).map((one) => [one.id, one]));
      return {
        rows: ids.flatMap((id) => read.get(id) ?? []),
        next,
        counts: page.cursor == null ? countsOf(db, filter) : null,
      };
    },
  };
}
