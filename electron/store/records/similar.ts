import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { recordRowSchema } from '../../contract/index.ts';
import type { RecordRow } from '../../contract/index.ts';
import { readAll, readOne, reader, sql } from '../sql.ts';
import { ROW_COLUMNS, shapeRow } from './record-rows.ts';
import { keyRange } from './search.ts';

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
