import type { Database } from 'better-sqlite3';
import { runAnnotationSchema } from '../../contract/index.ts';
import type { RunAnnotation } from '../../contract/index.ts';
import { execute, readOne, reader, sql } from '../sql.ts';

/** What a run carries on which nobody wrote anything. */
export const NO_ANNOTATION: RunAnnotation = { tags: [], notes: '', archived: false };

const asAnnotation = reader(
  'run annotation',
  runAnnotationSchema,
  (row: { tags: string; notes: string; archived: number }) => ({
    tags: JSON.parse(row.tags),
    notes: row.notes,
    archived: row.archived === 1,
  }),
);

export function selectAnnotation(db: Database, runId: string): RunAnnotation {
  return (
    readOne(
      db,
      asAnnotation,
      sql`SELECT tags, notes, archived FROM run_annotations WHERE run_id = ${runId}`,
    ) ?? NO_ANNOTATION
  );
}

export function upsertAnnotation(
  db: Database,
  runId: string,
  { tags, notes, archived }: RunAnnotation,
): void {
  execute(
    db,
    sql`
    INSERT INTO run_annotations (run_id, tags, notes, archived) VALUES (${runId}, ${JSON.stringify(tags)}, ${notes}, ${archived ? 1 : 0})
    ON CONFLICT (run_id) DO UPDATE SET tags = excluded.tags, notes = excluded.notes, archived = excluded.archived`,
  );
}
