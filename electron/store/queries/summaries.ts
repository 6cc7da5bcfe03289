import type { Database } from 'better-sqlite3';
import { summaryRecordSchema } from '../../contract/index.ts';
import type { SummaryRecord } from '../../contract/index.ts';
import { execute, readAll, reader, sql } from '../sql.ts';

type SummaryRow = {
  step: number;
  batch: string;
  scope: string;
  reviewed: number;
  eligible: number;
  points: string;
  text: string;
};

const asSummary = reader('summary', summaryRecordSchema, (row: SummaryRow) => ({
  step: row.step,
  batch: row.batch,
  scope: row.scope,
  reviewed: row.reviewed,
  eligible: row.eligible,
  points: JSON.parse(row.points),
  text: row.text,
}));

export function insertSummary(db: Database, runId: string, ordinal: number, summary: SummaryRecord): void {
  execute(
    db,
    sql`
    INSERT INTO summaries (run_id, step, ordinal, batch, scope, reviewed, eligible, points, text)
    VALUES (${runId}, ${summary.step}, ${ordinal}, ${summary.batch}, ${summary.scope}, ${summary.reviewed}, ${summary.eligible},
      ${JSON.stringify(summary.points)}, ${summary.text})`,
  );
}

export function selectSummaries(db: Database, runId: string, step: number): SummaryRecord[] {
  return readAll(
    db,
    asSummary,
    sql`
    SELECT step, batch, scope, reviewed, eligible, points, text FROM summaries
    WHERE run_id = ${runId} AND step = ${step} ORDER BY ordinal`,
  );
}
