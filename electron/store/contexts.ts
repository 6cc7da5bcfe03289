import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { contextLineSchema, contextRecordSchema } from '../contract/index.ts';
import type { ContextLine, ContextRecord } from '../contract/index.ts';
import { execute, readAll, reader, readOne, sql } from './sql.ts';

type ContextRow = { step: number; hash: string; text: string; tokens: number; removed: string };
type LineRow = {
  line_id: string;
  text: string;
  key: string | null;
  entered_step: number;
  last_supported_step: number;
  support: number;
  worded: string | null;
};

const asContext = reader('context', contextRecordSchema.omit({ lines: true }), (row: ContextRow) => ({
  step: row.step,
  hash: row.hash,
  text: row.text,
  tokens: row.tokens,
  removed: JSON.parse(row.removed),
}));
const asLine = reader('context line', contextLineSchema.omit({ reviewIds: true }), (row: LineRow) => ({
  id: row.line_id,
  text: row.text,
  key: row.key,
  enteredStep: row.entered_step,
  lastSupportedStep: row.last_supported_step,
  support: row.support,
  ...(row.worded === null ? {} : { worded: JSON.parse(row.worded) }),
}));
const asReviewId = reader('context line source', z.string(), (row: { review_id: string }) => row.review_id);

export function insertContext(db: Database, runId: string, context: ContextRecord): void {
  execute(
    db,
    sql`
    INSERT INTO contexts (run_id, step, hash, text, tokens, removed)
    VALUES (${runId}, ${context.step}, ${context.hash}, ${context.text}, ${context.tokens}, ${JSON.stringify(context.removed)})`,
  );
  context.lines.forEach((line, ordinal) => {
    execute(
      db,
      sql`
      INSERT INTO context_lines (run_id, step, ordinal, line_id, text, key, entered_step, last_supported_step, support, worded)
      VALUES (${runId}, ${context.step}, ${ordinal}, ${line.id}, ${line.text}, ${line.key}, ${line.enteredStep},
        ${line.lastSupportedStep}, ${line.support}, ${line.worded === undefined ? null : JSON.stringify(line.worded)})`,
    );
    recordSources(db, runId, context.step, line);
  });
}

/** Writes only what changed against the sources that were valid until now: the usual list only grows at its end. */
function recordSources(db: Database, runId: string, step: number, line: ContextLine): void {
  const before = sourcesAt(db, runId, line.id, step - 1);
  let same = 0;
  while (same < before.length && before[same] === line.reviewIds[same]) same += 1;
  if (same < before.length) {
    execute(
      db,
      sql`
      UPDATE context_line_sources SET until_step = ${step}
      WHERE run_id = ${runId} AND line_id = ${line.id} AND since_step < ${step} AND until_step IS NULL AND ordinal >= ${same}`,
    );
  }
  line.reviewIds.slice(same).forEach((reviewId, index) =>
    execute(
      db,
      sql`
    INSERT INTO context_line_sources (run_id, line_id, since_step, ordinal, review_id)
    VALUES (${runId}, ${line.id}, ${step}, ${same + index}, ${reviewId})`,
    ),
  );
}

function sourcesAt(db: Database, runId: string, lineId: string, step: number): string[] {
  return readAll(
    db,
    asReviewId,
    sql`
    SELECT review_id FROM context_line_sources
    WHERE run_id = ${runId} AND line_id = ${lineId} AND since_step <= ${step} AND (until_step IS NULL OR until_step > ${step})
    ORDER BY ordinal`,
  );
}

/** C_step with its lines in order and, for each line, the reviews that supported it by then. */
export function selectContext(db: Database, runId: string, step: number): ContextRecord | null {
  const context = readOne(
    db,
    asContext,
    sql`
    SELECT step, hash, text, tokens, removed FROM contexts WHERE run_id = ${runId} AND step = ${step}`,
  );
  if (context === null) return null;
  const lines = readAll(
    db,
    asLine,
    sql`
    SELECT line_id, text, key, entered_step, last_supported_step, support, worded FROM context_lines
    WHERE run_id = ${runId} AND step = ${step} ORDER BY ordinal`,
  );
  return {
    ...context,
    lines: lines.map((line) => ({ ...line, reviewIds: sourcesAt(db, runId, line.id, step) })),
  };
}

const lineHistorySchema = z.strictObject({
  id: z.string(),
  text: z.string(),
  key: z.string().nullable(),
  firstContext: z.int(),
  lastContext: z.int(),
  support: z.int(),
  sources: z.int(),
});
/** A line over the whole run: C_firstContext … C_lastContext held it; `sources` counts the reviews behind it. */
export type LineHistory = z.infer<typeof lineHistorySchema>;
const asLineHistory = reader('context line', lineHistorySchema, (row: unknown) => row);

/** Every line that was ever in a context of the run, in order of entry. Text, key and support are those of its last context. */
export function selectLineHistories(db: Database, runId: string): LineHistory[] {
  return readAll(
    db,
    asLineHistory,
    sql`
    WITH span AS (
      SELECT line_id, min(step) AS firstContext, max(step) AS lastContext FROM context_lines WHERE run_id = ${runId} GROUP BY line_id)
    SELECT l.line_id AS id, l.text, l.key, span.firstContext, span.lastContext, l.support,
      (SELECT count(DISTINCT s.review_id) FROM context_line_sources s WHERE s.run_id = l.run_id AND s.line_id = l.line_id) AS sources
    FROM span JOIN context_lines l ON l.run_id = ${runId} AND l.line_id = span.line_id AND l.step = span.lastContext
    ORDER BY span.firstContext, l.ordinal, l.line_id`,
  );
}

const lineSourceSchema = z.strictObject({ reviewId: z.string(), sinceContext: z.int() });
export type LineSource = z.infer<typeof lineSourceSchema>;
const asLineSource = reader('context line source', lineSourceSchema, (row: unknown) => row);

/** The reviews that caused or renewed a line, first cause first. */
export function selectLineSources(db: Database, runId: string, lineId: string, limit: number): LineSource[] {
  return readAll(
    db,
    asLineSource,
    sql`
    SELECT review_id AS reviewId, min(since_step) AS sinceContext FROM context_line_sources
    WHERE run_id = ${runId} AND line_id = ${lineId} GROUP BY review_id ORDER BY sinceContext, min(ordinal) LIMIT ${limit}`,
  );
}
