import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { runAnnotationSchema, runRecordSchema } from '../../contract/index.ts';
import type { RunAnnotation, RunRecord, RunState } from '../../contract/index.ts';
import { BEING_DELETED, upsertSetting } from '../catalogue.ts';
import { allOf, execute, guarded, readAll, reader, readOne, sql, type Query } from '../sql.ts';

type RunRow = {
  id: string;
  created_at: string;
  config: string;
  state: string;
  reason: string | null;
  committed_steps: number;
  policy_sha256: string | null;
  supervisor_sha256: string | null;
  folder: string;
};

const asRun = reader('run', runRecordSchema, (row: RunRow) => ({
  id: row.id,
  createdAt: row.created_at,
  config: JSON.parse(row.config),
  state: row.state,
  reason: row.reason,
  committedSteps: row.committed_steps,
  policySha256: row.policy_sha256,
  supervisorSha256: row.supervisor_sha256,
  folder: row.folder,
}));

const asFolder = reader('run', z.strictObject({ id: z.string(), folder: z.string() }), (row: unknown) => row);

const COLUMNS = sql`id, created_at, config, state, reason, committed_steps, policy_sha256, supervisor_sha256, folder`;

export function insertRun(db: Database, run: RunRecord): void {
  execute(
    db,
    sql`
    INSERT INTO runs (id, created_at, name, preset, config, state, reason, committed_steps, policy_sha256, supervisor_sha256, folder)
    VALUES (${run.id}, ${run.createdAt}, ${run.config.name}, ${run.config.preset}, ${JSON.stringify(run.config)}, ${run.state},
      ${run.reason}, ${run.committedSteps}, ${run.policySha256}, ${run.supervisorSha256}, ${run.folder})`,
  );
}

/** Ids of the runs that are being deleted, for conditions of queries. */
export const DELETED_IDS = sql`SELECT value FROM json_each((SELECT value FROM settings WHERE name = ${BEING_DELETED}))`;

/** A run that is being deleted is none. */
export function selectRun(db: Database, id: string): RunRecord | null {
  return readOne(db, asRun, sql`SELECT ${COLUMNS} FROM runs WHERE id = ${id} AND id NOT IN (${DELETED_IDS})`);
}

/** Runs whose records are still to be taken out, in the order in which that was asked for. */
export function selectRunsBeingDeleted(db: Database): { id: string; folder: string }[] {
  return readAll(
    db,
    asFolder,
    sql`SELECT r.id, r.folder FROM json_each((SELECT value FROM settings WHERE name = ${BEING_DELETED})) d JOIN runs r ON r.id = d.value ORDER BY d.key`,
  );
}

export function markBeingDeleted(db: Database, id: string): void {
  const ids = selectRunsBeingDeleted(db).map((run) => run.id);
  upsertSetting(db, BEING_DELETED, [...ids, id]);
}

const asConfig = reader('run configuration', z.unknown(), (row: { config: string }) =>
  JSON.parse(row.config),
);

/** The configuration exactly as it was stored, without the defaults a later program fills in. */
export function selectStoredConfig(db: Database, id: string): unknown {
  return readOne(db, asConfig, sql`SELECT config FROM runs WHERE id = ${id}`);
}

const asNamed = reader(
  'run',
  z.strictObject({ name: z.string(), preset: z.string() }),
  (row: unknown) => row,
);

/** Name and preset as lists search and sort by them; the configuration says the same. */
export function selectNameAndPreset(db: Database, id: string): { name: string; preset: string } | null {
  return readOne(db, asNamed, sql`SELECT name, preset FROM runs WHERE id = ${id}`);
}

export type RunCursor = { createdAt: string; id: string };

/** Newest first. */
export function runPageQuery(
  states: readonly RunState[] | null,
  text: string | null,
  before: RunCursor | null,
  limit: number,
): Query {
  const conditions: Query[] = [sql`id NOT IN (${DELETED_IDS})`];
  if (states !== null)
    conditions.push(sql`state IN (SELECT value FROM json_each(${JSON.stringify(states)}))`);
  if (text !== null)
    conditions.push(sql`instr(lower(name || ' ' || preset || ' ' || id), lower(${text})) > 0`);
  if (before !== null) conditions.push(sql`(created_at, id) < (${before.createdAt}, ${before.id})`);
  return sql`SELECT ${COLUMNS} FROM runs WHERE ${allOf(conditions)} ORDER BY created_at DESC, id DESC LIMIT ${limit}`;
}

export function selectRunPage(db: Database, query: Query): RunRecord[] {
  return readAll(db, asRun, query);
}

/** Runs that were at work when the lab was last written to, oldest first. */
export function selectRunsAtWork(db: Database): RunRecord[] {
  return readAll(
    db,
    asRun,
    sql`
    SELECT ${COLUMNS} FROM runs WHERE state IN ('setting-up', 'stepping', 'pausing') ORDER BY created_at, id`,
  );
}

export function updateRunState(db: Database, id: string, state: RunState, reason: string | null): void {
  execute(db, sql`UPDATE runs SET state = ${state}, reason = ${reason} WHERE id = ${id}`);
}

export function updateRunModels(
  db: Database,
  id: string,
  policySha256: string,
  supervisorSha256: string | null,
): void {
  execute(
    db,
    sql`UPDATE runs SET policy_sha256 = ${policySha256}, supervisor_sha256 = ${supervisorSha256} WHERE id = ${id}`,
  );
}

export function updateCommittedSteps(db: Database, id: string, steps: number): void {
  execute(db, sql`UPDATE runs SET committed_steps = ${steps} WHERE id = ${id}`);
}

/** Tables of a run's records, those first that take most others with them by cascade; the rest goes with the run itself. */
const RECORDS: readonly ((id: string, rows: number) => Query)[] = [
  (id, rows) => sql`DELETE FROM rollouts WHERE run_id = ${id} LIMIT ${rows}`,
  (id, rows) => sql`DELETE FROM reviews WHERE run_id = ${id} LIMIT ${rows}`,
  (id, rows) => sql`DELETE FROM tasks WHERE run_id = ${id} LIMIT ${rows}`,
  (id, rows) => sql`DELETE FROM seed_attempts WHERE run_id = ${id} LIMIT ${rows}`,
  (id, rows) => sql`DELETE FROM context_line_sources WHERE run_id = ${id} LIMIT ${rows}`,
  (id, rows) => sql`DELETE FROM wordings WHERE run_id = ${id} LIMIT ${rows}`,
  (id, rows) => sql`DELETE FROM contexts WHERE run_id = ${id} LIMIT ${rows}`,
  (id, rows) => sql`DELETE FROM checkpoints WHERE run_id = ${id} LIMIT ${rows}`,
  (id, rows) => sql`DELETE FROM steps WHERE run_id = ${id} LIMIT ${rows}`,
];

/**
 * Each piece leaves a segment in the full-text indexes. Where they are left to come to sixteen of a size, FTS5 merges these at once, which
 * takes a second in a large lab; so some pages are merged with each piece.
 */
const MERGES = [
  sql`INSERT INTO rollout_search (rollout_search, rank) VALUES ('merge', 50)`,
  sql`INSERT INTO review_search (review_search, rank) VALUES ('merge', 50)`,
];

/**
 * FTS5 keeps what it knows of the parts of an index. It notices that another connection wrote to it as it searches and writes, and not in
 * SQLite's check, which would find damage; so it is searched once.
 */
export function lookAtSearchAnew(db: Database): void {
  for (const index of ['rollout_search', 'review_search'])
    guarded(db, () => db.prepare(`SELECT 1 FROM ${index} WHERE ${index} MATCH 'x' LIMIT 1`).get());
}

const asCount = reader('count of records', z.strictObject({ n: z.int() }), (row: unknown) => row);

/** Records of runs that are being deleted, without those that go with another by cascade. */
export const countBeingDeleted = (db: Database): number =>
  readOne(
    db,
    asCount,
    sql`SELECT (SELECT count(*) FROM rollouts WHERE run_id IN (${DELETED_IDS}))
      + (SELECT count(*) FROM reviews WHERE run_id IN (${DELETED_IDS}) AND rollout_key IS NULL)
      + (SELECT count(*) FROM tasks WHERE run_id IN (${DELETED_IDS}))
      + (SELECT count(*) FROM seed_attempts WHERE run_id IN (${DELETED_IDS}))
      + (SELECT count(*) FROM wordings WHERE run_id IN (${DELETED_IDS}))
      + (SELECT count(*) FROM contexts WHERE run_id IN (${DELETED_IDS}))
      + (SELECT count(*) FROM checkpoints WHERE run_id IN (${DELETED_IDS}))
      + (SELECT count(*) FROM steps WHERE run_id IN (${DELETED_IDS})) AS n`,
  )?.n ?? 0;

/** What one piece of a deletion came to: records that went, and how many there are still where a run has come to its end. */
export type Piece = { rows: number; isMore: boolean; left: number | null };

/** Takes out up to so many rows of the first run that is being deleted, and the run itself after the last. */
export function removePiece(db: Database, rows: number): Piece {
  const [first, ...later] = selectRunsBeingDeleted(db);
  if (first === undefined) return { rows: 0, isMore: false, left: 0 };
  for (const piece of RECORDS) {
    const { changes } = execute(db, piece(first.id, rows));
    if (changes === 0) continue;
    for (const merge of MERGES) execute(db, merge);
    return { rows: changes, isMore: true, left: null };
  }
  execute(db, sql`DELETE FROM runs WHERE id = ${first.id}`);
  upsertSetting(
    db,
    BEING_DELETED,
    later.map(({ id }) => id),
  );
  return { rows: 0, isMore: later.length > 0, left: countBeingDeleted(db) };
}

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
