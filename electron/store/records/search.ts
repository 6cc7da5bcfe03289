import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { readAll, readOne, reader, sql } from '../sql.ts';
import type { Query } from '../sql.ts';

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
  const ofRun = runId === null ? sql`true` : sql`r.run_id = ${runId}`;
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
  const ofRun = runId === null ? sql`true` : sql`v.run_id = ${runId}`;
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
