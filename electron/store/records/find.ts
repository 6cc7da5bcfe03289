import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { phaseSchema, recordRowSchema, shortNameSchema } from '../../contract/index.ts';
import type { Phase, RecordFilter, RecordRow, SearchPlace } from '../../contract/index.ts';
import { allOf, readAll, reader, sql, type Query } from '../sql.ts';
import { facetConditions, rangeConditions, reviewConditions } from './cursor.ts';
import { asksForReview } from './facets.ts';
import { ROW_COLUMNS, shapeRow } from './rows.ts';
import { keyRange } from './search.ts';

/** What a person typed into the search box, read as words with operators; `match` is the FTS5 expression, null when there is nothing to look for. */
export type SearchExpression = {
  match: string | null;
  /** Only words to leave out were given. */ onlyExcludes: boolean;
  /** Whether a text that no index holds is found by it. */ finds: (text: string) => boolean;
};

const SEARCHABLE = /[\p{L}\p{N}\p{Co}]/u;

type Piece = { text: string; quoted: boolean };

/** Words, and texts between double quotes. */
function pieces(typed: string): Piece[] {
  // A NUL would end the expression inside SQLite.
  return typed
    .toWellFormed()
    .replaceAll('\0', ' ')
    .split('"')
    .flatMap((part, index): Piece[] =>
      index % 2 === 1
        ? [{ text: part, quoted: true }]
        : part
            .split(/\s+/u)
            .filter((word) => word !== '')
            .map((word) => ({ text: word, quoted: false })),
    );
}

/** Always in quotes, so that nothing inside is an operator of FTS5. */
function term({ text, quoted }: Piece): string | null {
  if (!SEARCHABLE.test(text)) return null;
  return !quoted && text.endsWith('*') ? `"${text.slice(0, -1)}" *` : `"${text}"`;
}

/**
 * All words must occur. `"quoted text"` is a phrase, `word*` the beginning of a word, `OR` between two words asks for one of
 * them, `NOT` before a word leaves records with it out; both are read as operators in capitals only.
 */
export function readSearch(typed: string): SearchExpression {
  const wanted: string[][] = [];
  const unwanted: string[] = [];
  let [isNegated, joins] = [false, false];
  for (const piece of pieces(typed)) {
    if (!piece.quoted && piece.text === 'NOT') isNegated = true;
    else if (!piece.quoted && piece.text === 'OR') joins = wanted.length > 0;
    else {
      const one = term(piece);
      if (one === null) continue;
      if (isNegated) unwanted.push(one);
      else if (joins) wanted.at(-1)?.push(one);
      else wanted.push([one]);
      [isNegated, joins] = [false, false];
    }
  }
  const finds = (text: string): boolean => {
    const words = wordsIn(text);
    const has = (one: string): boolean => hasTerm(words, one);
    return wanted.every((group) => group.some(has)) && !unwanted.some(has);
  };
  if (wanted.length === 0) return { match: null, onlyExcludes: unwanted.length > 0, finds };
  const all = wanted
    .map((group) => (group.length === 1 ? group[0] : `(${group.join(' OR ')})`))
    .join(' AND ');
  return {
    match: unwanted.length === 0 ? all : `(${all}) NOT (${unwanted.join(' OR ')})`,
    onlyExcludes: false,
    finds,
  };
}

/** Words of a text as the full-text index has them. */
const wordsIn = (text: string): string[] =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{Co}]+/gu) ?? [];

/** Whether words hold a term as `term` writes it: a phrase, whose last word may be the beginning of one. */
function hasTerm(words: readonly string[], one: string): boolean {
  const phrase = wordsIn(one);
  const isPrefix = one.endsWith('*');
  return words.some((_, start) =>
    phrase.every((word, index) => {
      const other = words[start + index] ?? '';
      return isPrefix && index === phrase.length - 1 ? other.startsWith(word) : other === word;
    }),
  );
}

/** A record in which something was found; matched words of the excerpts stand between U+2039 and U+203A. */
export type FoundRecord = {
  row: RecordRow;
  /** Around the match in what the agent wrote or was asked, or the line of the system message; null when only reviews match. */
  agent: string | null;
  reviews: { phase: Phase; excerpt: string }[];
};

/** A match in the review of a whole batch, which belongs to no single record. */
export type FoundBatchReview = { id: string; step: number; batch: string; excerpt: string };

export type FindResult = {
  /** Newest first, at most `limit`. Not ranked: ranking would score every match of a frequent word. */
  records: FoundRecord[];
  batchReviews: FoundBatchReview[];
  /** There are more than these. */
  more: boolean;
  /** Nothing could be looked for: no letter or digit was given, or only words to leave out. */
  problem: 'nothing-to-look-for' | 'only-excludes' | null;
};

const agentHit = z.strictObject({ key: z.int(), row: recordRowSchema, excerpt: z.string() });
const asAgentHit = reader(
  'search hit',
  agentHit,
  (raw: { key: number; found: string } & Parameters<typeof shapeRow>[0]) => ({
    key: raw.key,
    row: shapeRow(raw),
    excerpt: raw.found,
  }),
);
const reviewHit = z.strictObject({
  key: z.int().nullable(),
  id: z.string(),
  step: z.int(),
  batch: shortNameSchema,
  phase: phaseSchema,
  excerpt: z.string(),
});
const asReviewHit = reader('search hit', reviewHit, (row: unknown) => row);
const keyedRow = z.strictObject({ key: z.int(), row: recordRowSchema });
const asKeyedRow = reader('record', keyedRow, (raw: { key: number } & Parameters<typeof shapeRow>[0]) => ({
  key: raw.key,
  row: shapeRow(raw),
}));

const EXCERPT_WORDS = 24;

/** Whether one review of rollout r is as the filter asks. */
function reviewExists(filter: RecordFilter): Query {
  const issue =
    filter.issue === undefined
      ? sql``
      : sql` AND EXISTS (SELECT 1 FROM review_issues i WHERE i.review_key = v.key AND i.issue = ${filter.issue})`;
  return sql`EXISTS (SELECT 1 FROM reviews v WHERE v.rollout_key = r.key AND ${allOf(reviewConditions(filter))}${issue})`;
}

type KeyRange = { first: number; last: number };

export function agentHitsQuery(
  match: string,
  place: 'agent' | 'prompt' | null,
  runId: string,
  { first, last }: KeyRange,
  filter: RecordFilter,
  limit: number,
): Query {
  const conditions = [...rangeConditions(sql`r.step`, sql`r.key`, filter), ...facetConditions(filter)];
  if (asksForReview(filter) || filter.issue !== undefined) conditions.push(reviewExists(filter));
  const column = place === null ? '' : `{${place === 'agent' ? 'text' : 'user'}} : `;
  return sql`
    SELECT r.key, ${ROW_COLUMNS}, snippet(rollout_search, -1, '‹', '›', '…', ${EXCERPT_WORDS}) AS found
    FROM rollout_search CROSS JOIN rollouts r ON r.key = rollout_search.rowid CROSS JOIN rollout_texts t ON t.key = r.key
    WHERE rollout_search MATCH ${`${column}(${match})`} AND rollout_search.rowid BETWEEN ${first} AND ${last} AND r.run_id = ${runId} AND ${allOf(conditions)}
    ORDER BY rollout_search.rowid DESC LIMIT ${limit}`;
}

export function reviewHitsQuery(
  match: string,
  runId: string,
  { first, last }: KeyRange,
  filter: RecordFilter,
  limit: number,
): Query {
  const facets = facetConditions(filter);
  const rollouts = facets.length === 0 ? sql`` : sql`CROSS JOIN rollouts r ON r.key = v.rollout_key`;
  const issue =
    filter.issue === undefined
      ? []
      : [
          sql`EXISTS (SELECT 1 FROM review_issues i WHERE i.review_key = v.key AND i.issue = ${filter.issue})`,
        ];
  const ofReview = asksForReview(filter) ? reviewConditions(filter) : [];
  const conditions = [
    ...rangeConditions(sql`v.step`, sql`v.rollout_key`, filter),
    ...ofReview,
    ...issue,
    ...facets,
  ];
  return sql`
    SELECT v.rollout_key AS key, v.id, v.step, v.batch, v.phase, snippet(review_search, -1, '‹', '›', '…', ${EXCERPT_WORDS}) AS excerpt
    FROM review_search CROSS JOIN reviews v ON v.key = review_search.rowid ${rollouts}
    WHERE review_search MATCH ${match} AND review_search.rowid BETWEEN ${first} AND ${last} AND v.run_id = ${runId} AND ${allOf(conditions)}
    ORDER BY review_search.rowid DESC LIMIT ${limit}`;
}

const stepContext = z.strictObject({ step: z.int(), text: z.string() });
const asStepContext = reader('context of a step', stepContext, (row: unknown) => row);

/** Records in front of whose request a context stood that is found; every prompt of a step has the same one. */
function contextHits(
  db: Database,
  runId: string,
  finds: SearchExpression['finds'],
  filter: RecordFilter,
  limit: number,
): z.infer<typeof agentHit>[] {
  // A context stands unchanged over many steps; each text is looked through once.
  const looked = new Map<string, boolean>();
  const found = readAll(
    db,
    asStepContext,
    sql`SELECT step, text FROM contexts WHERE run_id = ${runId} AND text <> '' ORDER BY step`,
  ).filter(({ text }) => {
    const isFound = looked.get(text) ?? finds(text);
    looked.set(text, isFound);
    return isFound;
  });
  if (found.length === 0) return [];
  const lineOf = new Map(
    found.map(({ step, text }) => [step, text.split('\n').find(finds)?.trim() ?? text.trim().slice(0, 160)]),
  );
  const conditions = [...rangeConditions(sql`r.step`, sql`r.key`, filter), ...facetConditions(filter)];
  if (asksForReview(filter) || filter.issue !== undefined) conditions.push(reviewExists(filter));
  return readAll(
    db,
    asKeyedRow,
    sql`
    SELECT r.key, ${ROW_COLUMNS} FROM rollouts r CROSS JOIN rollout_texts t ON t.key = r.key
    WHERE r.run_id = ${runId} AND r.step IN (SELECT value FROM json_each(${JSON.stringify([...lineOf.keys()])}))
      AND ${allOf(conditions)} ORDER BY r.step DESC, r.key DESC LIMIT ${limit}`,
  ).map(({ key, row }) => ({ key, row, excerpt: lineOf.get(row.step) ?? '' }));
}

function rowsOfKeys(db: Database, keys: readonly number[]): Map<number, RecordRow> {
  const rows = readAll(
    db,
    asKeyedRow,
    sql`
    SELECT r.key, ${ROW_COLUMNS} FROM json_each(${JSON.stringify(keys)}) k CROSS JOIN rollouts r ON r.key = k.value CROSS JOIN rollout_texts t ON t.key = r.key`,
  );
  return new Map(rows.map(({ key, row }) => [key, row]));
}

/** Records of a run under a filter in whose texts something typed occurs, with what was found in their reviews beside. */
export function findRecords(
  db: Database,
  runId: string,
  typed: string,
  place: SearchPlace | null,
  filter: RecordFilter,
  limit: number,
): FindResult {
  const nothing: FindResult = { records: [], batchReviews: [], more: false, problem: null };
  const { match, onlyExcludes, finds } = readSearch(typed);
  if (match === null) return { ...nothing, problem: onlyExcludes ? 'only-excludes' : 'nothing-to-look-for' };
  const rollouts = place === 'review' ? null : keyRange(db, runId, 'rollouts');
  const reviews = place === 'agent' || place === 'prompt' ? null : keyRange(db, runId, 'reviews');
  const agentHits =
    rollouts === null
      ? []
      : readAll(
          db,
          asAgentHit,
          agentHitsQuery(match, place === 'review' ? null : place, runId, rollouts, filter, limit + 1),
        );
  const reviewHits =
    reviews === null
      ? []
      : readAll(db, asReviewHit, reviewHitsQuery(match, runId, reviews, filter, limit + 1));
  const found = new Map<number, FoundRecord>(
    agentHits.map(({ key, row, excerpt }) => [key, { row, agent: excerpt, reviews: [] }]),
  );
  const contexts =
    place === 'agent' || place === 'review' ? [] : contextHits(db, runId, finds, filter, limit + 1);
  for (const { key, row, excerpt } of contexts)
    if (!found.has(key)) found.set(key, { row, agent: excerpt, reviews: [] });
  const missing = [
    ...new Set(reviewHits.flatMap(({ key }) => (key === null || found.has(key) ? [] : [key]))),
  ];
  for (const [key, row] of rowsOfKeys(db, missing)) found.set(key, { row, agent: null, reviews: [] });
  for (const { key, phase, excerpt } of reviewHits)
    if (key !== null) found.get(key)?.reviews.push({ phase, excerpt });
  const newestFirst = [...found].sort(([left], [right]) => right - left).map(([, record]) => record);
  return {
    records: newestFirst.slice(0, limit),
    problem: null,
    more:
      newestFirst.length > limit ||
      agentHits.length > limit ||
      contexts.length > limit ||
      reviewHits.length > limit,
    batchReviews: reviewHits
      .filter(({ key }) => key === null)
      .slice(0, limit)
      .map(({ id, step, batch, excerpt }) => ({ id, step, batch, excerpt })),
  };
}
