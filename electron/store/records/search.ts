import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { recordRowSchema, type RecordRow } from '../../contract/index.ts';
import { DELETED_IDS } from '../runs/queries.ts';
import { readAll, reader, readOne, sql, type Query } from '../sql.ts';
import { ROW_COLUMNS, shapeRow } from './rows.ts';

const hitSchema = z.strictObject({
  runId: z.string(),
  step: z.int(),
  rolloutId: z.string().nullable(),
  reviewId: z.string().nullable(),
  /** Text around the match; matched words stand between U+2039 and U+203A. */
  excerpt: z.string(),
});
export type SearchHit = z.infer<typeof hitSchema>;
const asHit = reader('search hit', hitSchema, (row: unknown) => row);

/** Newest first, at most `limit` of each kind. Not ranked: ranking would score every match of a frequent word. */
export type SearchResult = { rollouts: SearchHit[]; reviews: SearchHit[] };

const spanSchema = z.strictObject({ first: z.int().nullable(), last: z.int().nullable() });
const asSpan = reader('key range', spanSchema, (row: unknown) => row);

const EXCERPT_WORDS = 24;

/**
 * What a person typed, as an FTS5 expression in which nothing is an operator: words must all occur, and text between double
 * quotes must occur as a phrase. Null when there is no letter or digit to look for.
 */
export function toFullTextQuery(typed: string): string | null {
  // A NUL would end the expression inside SQLite.
  const pieces = typed.toWellFormed().replaceAll('\0', ' ').split('"');
  const terms = pieces.flatMap((piece, index) => (index % 2 === 1 ? [piece] : piece.split(/\s+/u)));
  const searchable = terms.filter((term) => /[\p{L}\p{N}\p{Co}]/u.test(term));
  return searchable.length === 0 ? null : searchable.map((term) => `"${term}"`).join(' ');
}

/** Only rows of the run: its keys form a range, and FTS5 walks a range of row ids without looking at other runs. */
export function keyRange(
  db: Database,
  runId: string | null,
  table: 'rollouts' | 'reviews',
): { first: number; last: number } | null {
  if (runId === null) return { first: 0, last: Number.MAX_SAFE_INTEGER };
  const span = readOne(db, asSpan, table === 'rollouts' ? rolloutSpanQuery(runId) : reviewSpanQuery(runId));
  return span?.first == null || span.last == null ? null : { first: span.first, last: span.last };
}

/** Keys grow with steps, so the first and the last step hold the first and the last key. */
function rolloutSpanQuery(runId: string): Query {
  return sql`SELECT
    (SELECT key FROM rollouts WHERE run_id = ${runId} ORDER BY step, key LIMIT 1) AS first,
    (SELECT key FROM rollouts WHERE run_id = ${runId} ORDER BY step DESC, key DESC LIMIT 1) AS last`;
}

function reviewSpanQuery(runId: string): Query {
  return sql`SELECT
    (SELECT key FROM reviews WHERE run_id = ${runId} ORDER BY step, key LIMIT 1) AS first,
    (SELECT key FROM reviews WHERE run_id = ${runId} ORDER BY step DESC, key DESC LIMIT 1) AS last`;
}

export function rolloutSearchQuery(
  match: string,
  runId: string | null,
  first: number,
  last: number,
  limit: number,
): Query {
  const ofRun = runId === null ? sql`r.run_id NOT IN (${DELETED_IDS})` : sql`r.run_id = ${runId}`;
  return sql`
    SELECT r.run_id AS runId, r.step, r.id AS rolloutId, NULL AS reviewId,
      snippet(rollout_search, -1, '‹', '›', '…', ${EXCERPT_WORDS}) AS excerpt
    FROM rollout_search CROSS JOIN rollouts r ON r.key = rollout_search.rowid
    WHERE rollout_search MATCH ${match} AND rollout_search.rowid BETWEEN ${first} AND ${last} AND ${ofRun}
    ORDER BY rollout_search.rowid DESC LIMIT ${limit}`;
}

export function reviewSearchQuery(
  match: string,
  runId: string | null,
  first: number,
  last: number,
  limit: number,
): Query {
  const ofRun = runId === null ? sql`v.run_id NOT IN (${DELETED_IDS})` : sql`v.run_id = ${runId}`;
  return sql`
    SELECT v.run_id AS runId, v.step, r.id AS rolloutId, v.id AS reviewId,
      snippet(review_search, -1, '‹', '›', '…', ${EXCERPT_WORDS}) AS excerpt
    FROM review_search CROSS JOIN reviews v ON v.key = review_search.rowid LEFT JOIN rollouts r ON r.key = v.rollout_key
    WHERE review_search MATCH ${match} AND review_search.rowid BETWEEN ${first} AND ${last} AND ${ofRun}
    ORDER BY review_search.rowid DESC LIMIT ${limit}`;
}

export function searchRecords(
  db: Database,
  runId: string | null,
  typed: string,
  limit: number,
): SearchResult {
  const match = toFullTextQuery(typed);
  if (match === null) return { rollouts: [], reviews: [] };
  const rollouts = keyRange(db, runId, 'rollouts');
  const reviews = keyRange(db, runId, 'reviews');
  return {
    rollouts:
      rollouts === null
        ? []
        : readAll(db, asHit, rolloutSearchQuery(match, runId, rollouts.first, rollouts.last, limit)),
    reviews:
      reviews === null
        ? []
        : readAll(db, asHit, reviewSearchQuery(match, runId, reviews.first, reviews.last, limit)),
  };
}

/** A record that shares words with another. */
export type SimilarRecord = {
  row: RecordRow;
  /** Shared words over all words of both, 0…1 (Jaccard). */ similarity: number;
};

/** Words of the start record that are weighed; an answer of the embedded policy has some forty. */
const MOST_WORDS = 40;
/** The rarest of them that are looked for. */
const RAREST = 8;
/** A word found this often says nothing; counting stops there. */
const FREQUENT = 1000;
/** Newest records with one of the rarest words that are compared. */
const CANDIDATES = 300;
const COMPARED_CHARACTERS = 4000;

/** Different words of a text, lower case; names of code stay whole. */
export function wordsOf(text: string): Set<string> {
  return new Set(
    text
      .slice(0, COMPARED_CHARACTERS)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]{2,}/gu) ?? [],
  );
}

export function similarity(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of left) if (right.has(word)) shared += 1;
  const all = left.size + right.size - shared;
  return all === 0 ? 0 : shared / all;
}

const asStart = reader('record', z.strictObject({ key: z.int(), text: z.string() }), (row: unknown) => row);
const asCount = reader('count', z.int(), (row: { count: number }) => row.count);
const asCandidate = reader(
  'record',
  z.strictObject({ key: z.int(), text: z.string(), row: recordRowSchema }),
  (raw: { key: number; compared: string } & Parameters<typeof shapeRow>[0]) => ({
    key: raw.key,
    text: raw.compared,
    row: shapeRow(raw),
  }),
);

const compared = sql`substr(coalesce(t.answer, t.text), 1, ${COMPARED_CHARACTERS})`;

/** The records of a run whose answers share most words with one record's, nearest first. By words alone: other words for the same idea are not found. */
export function similarRecords(
  db: Database,
  runId: string,
  recordId: string,
  limit: number,
): SimilarRecord[] {
  const range = keyRange(db, runId, 'rollouts');
  const start = readOne(
    db,
    asStart,
    sql`
    SELECT r.key, ${compared} AS text FROM rollouts r CROSS JOIN rollout_texts t ON t.key = r.key WHERE r.run_id = ${runId} AND r.id = ${recordId}`,
  );
  if (range === null || start === null) return [];
  const words = wordsOf(start.text);
  const frequency = (word: string): number =>
    readOne(
      db,
      asCount,
      sql`
    SELECT count(*) AS count FROM (SELECT 1 FROM rollout_search WHERE rollout_search MATCH ${`{text} : "${word}"`} AND rowid BETWEEN ${range.first} AND ${range.last} LIMIT ${FREQUENT})`,
    ) ?? 0;
  // Long words are rare more often, so they are weighed first. A word that stands here alone leads nowhere.
  const weighed = [...words]
    .sort((left, right) => right.length - left.length)
    .slice(0, MOST_WORDS)
    .map((word) => ({ word, count: frequency(word) }))
    .filter(({ count }) => count > 1);
  const rarest = weighed.sort((left, right) => left.count - right.count).slice(0, RAREST);
  if (rarest.length === 0) return [];
  const match = `{text} : (${rarest.map(({ word }) => `"${word}"`).join(' OR ')})`;
  const candidates = readAll(
    db,
    asCandidate,
    sql`
    SELECT r.key, ${ROW_COLUMNS}, ${compared} AS compared
    FROM rollout_search CROSS JOIN rollouts r ON r.key = rollout_search.rowid CROSS JOIN rollout_texts t ON t.key = r.key
    WHERE rollout_search MATCH ${match} AND rollout_search.rowid BETWEEN ${range.first} AND ${range.last} AND r.run_id = ${runId} AND r.key <> ${start.key}
    ORDER BY rollout_search.rowid DESC LIMIT ${CANDIDATES}`,
  );
  return candidates
    .map(({ row, text }) => ({ row, similarity: similarity(words, wordsOf(text)) }))
    .sort((left, right) => right.similarity - left.similarity)
    .slice(0, limit);
}
