import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { recordRowSchema, type RecordFilter, type RecordRow } from '../../contract/index.ts';
import { readAll, reader, readOne, sql, type Query } from '../sql.ts';
import { countRollouts, cursorsQuery } from './cursor.ts';
import type { RecordFacets } from './facet-counts.ts';
import { shapeColumns, type RolloutColumns } from './rollouts.ts';

const EXCERPT_CHARACTERS = 240;
/** Of a character in UTF-8. SQLite's functions of texts end at a NUL, those of bytes do not. */
const MOST_BYTES = 4;

type Row = RolloutColumns & { excerpt: string; reviews: string };

export const shapeRow = (row: Row): unknown => ({
  ...shapeColumns(row),
  // Of the bytes that were read the last may be a part of a character.
  excerpt: [...row.excerpt].slice(0, EXCERPT_CHARACTERS).join(''),
  reviews: (JSON.parse(row.reviews) as [string, string, string | null][]).map(
    ([phase, status, decision]) => ({ phase, status, decision }),
  ),
});
const asRow = reader('record', recordRowSchema, shapeRow);
const asCursor = reader('place', z.strictObject({ step: z.int(), key: z.int() }), (row: unknown) => row);
const asId = reader('record', z.string(), (row: { id: string }) => row.id);

/** Of rollouts r and their texts t. The reviews come as JSON, in the order they were stored. */
export const ROW_COLUMNS = sql`
  r.id, r.step, r.batch, r.ordinal, r.sample, r.purpose, r.role, r.task_type, r.format_ok, r.finish, r.new_tokens, r.outcome, r.reason, r.accuracy, r.sandbox_level, r.reward,
  coalesce(CAST(substr(CAST(coalesce(t.answer, t.text) AS BLOB), 1, ${EXCERPT_CHARACTERS * MOST_BYTES}) AS TEXT), '') AS excerpt,
  (SELECT json_group_array(json_array(w.phase, w.status, w.decision)) FROM reviews w WHERE w.rollout_key = r.key) AS reviews`;

export function recordRowsQuery(runId: string, filter: RecordFilter, skip: number, limit: number): Query {
  return sql`
    SELECT ${ROW_COLUMNS} FROM (${cursorsQuery(runId, filter, { limit, skip })}) p
    CROSS JOIN rollouts r ON r.key = p.key CROSS JOIN rollout_texts t ON t.key = p.key ORDER BY p.step, p.key`;
}

/**
 * Rows `first` … `first + limit` of a list, in order of writing. The counts by step tell in which steps they lie, so only these are
 * read: the place of the last row costs no more than that of the first. Rows are only ever added at the end.
 */
export function recordRows(
  db: Database,
  facets: RecordFacets,
  runId: string,
  filter: RecordFilter,
  first: number,
  limit: number,
): RecordRow[] {
  // The first rows need no counts, which for a run that was not looked at before take a moment.
  if (first === 0) return readAll(db, asRow, recordRowsQuery(runId, filter, 0, limit));
  const counts = facets.countsByStep(runId, filter);
  let before = 0;
  let place = 0;
  while (place < counts.length && before + (counts[place]?.[1] ?? 0) <= first)
    before += counts[place++]?.[1] ?? 0;
  const start = counts[place]?.[0];
  if (start === undefined) return [];
  let end = start;
  for (let reach = before; place < counts.length && reach < first + limit; place += 1)
    [end, reach] = [counts[place]?.[0] ?? end, reach + (counts[place]?.[1] ?? 0)];
  return readAll(
    db,
    asRow,
    recordRowsQuery(runId, { ...filter, fromStep: start, toStep: end }, first - before, limit),
  );
}

/** A record's place in a list, counted from 0; null when the filter leaves it out or there is none of that id. */
export function positionOf(
  db: Database,
  facets: RecordFacets,
  runId: string,
  filter: RecordFilter,
  recordId: string,
): number | null {
  const until = readOne(
    db,
    asCursor,
    sql`SELECT step, key FROM rollouts WHERE run_id = ${runId} AND id = ${recordId}`,
  );
  if (until === null || until.step < (filter.fromStep ?? 0) || until.step > (filter.toStep ?? Infinity))
    return null;
  const inStep = { ...filter, fromStep: until.step, toStep: until.step };
  const last = readOne(db, asCursor, cursorsQuery(runId, inStep, { until, limit: 1, backwards: true }));
  if (last?.key !== until.key) return null;
  const before = facets
    .countsByStep(runId, filter)
    .reduce((sum, [step, count]) => (step < until.step ? sum + count : sum), 0);
  return before + countRollouts(db, runId, inStep, { until }) - 1;
}

/**
 * The same item (batch, index and sample) in the nearest step before or after that has matching records, or else the first match
 * of that step. Null at either end.
 */
export function recordInNextStep(
  db: Database,
  facets: RecordFacets,
  runId: string,
  filter: RecordFilter,
  recordId: string,
  direction: 'next' | 'previous',
): string | null {
  const [stepText = '', ...item] = recordId.split('/');
  const from = Number(stepText);
  const steps = facets.countsByStep(runId, filter).map(([step]) => step);
  const step =
    direction === 'next' ? steps.find((each) => each > from) : steps.findLast((each) => each < from);
  if (step === undefined) return null;
  const same = [step, ...item].join('/');
  if (positionOf(db, facets, runId, filter, same) !== null) return same;
  return readOne(
    db,
    asId,
    sql`
    SELECT r.id FROM (${cursorsQuery(runId, { ...filter, fromStep: step, toStep: step }, { limit: 1 })}) p CROSS JOIN rollouts r ON r.key = p.key`,
  );
}
