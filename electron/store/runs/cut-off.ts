import type { Database } from 'better-sqlite3';
import type { RunRecord } from '../../contract/index.ts';
import { appendToChain, type Clock } from '../audit-log/events.ts';
import { guarded, immediately } from '../sql.ts';
import { selectRunsAtWork, updateRunState } from './queries.ts';

/** Sentences by the runs that steps were lost of, for which resuming is no remedy. */
type Lost = ReadonlyMap<string, string>;

const reasonOf = ({ id, committedSteps, config }: RunRecord, lost: Lost): string =>
  lost.get(id) ??
  (committedSteps < config.steps
    ? `The program ended during step ${committedSteps + 1}; resuming repeats that step.`
    : 'The program ended after the last step, before its checkpoint was evaluated; resuming evaluates it.');

/** Runs that claim to be at work although no program holds the lab were cut off; returns their ids. */
export function markCutOffRuns(db: Database, now: Clock, lost: Lost): string[] {
  return immediately(db, () =>
    selectRunsAtWork(db).map((run) => {
      const reason = reasonOf(run, lost);
      updateRunState(db, run.id, 'interrupted', reason);
      appendToChain(db, now, run.id, 'run.state', { from: run.state, to: 'interrupted', reason });
      return run.id;
    }),
  );
}

/**
 * The same where nothing can be written: this connection reads such runs as cut off from here on, by a view of its own that stands before the
 * table; the file stays as it is.
 */
export function showCutOffRuns(db: Database, lost: Lost): void {
  const cutOff = selectRunsAtWork(db);
  if (cutOff.length === 0) return;
  const shown = (column: string): string =>
    ({
      state: `iif(c.id IS NULL, r.state, 'interrupted') AS state`,
      reason: 'ifnull(c.reason, r.reason) AS reason',
    })[column] ?? `r.${column}`;
  guarded(db, () => {
    const columns = db
      .prepare<[], string>(`SELECT name FROM pragma_table_info('runs', 'main')`)
      .pluck()
      .all();
    const isKeptFromWriting = db.pragma('query_only', { simple: true }) === 1;
    if (isKeptFromWriting) db.pragma('query_only = OFF');
    db.exec('CREATE TEMP TABLE cut_off (id TEXT PRIMARY KEY, reason TEXT NOT NULL) STRICT');
    const note = db.prepare('INSERT INTO temp.cut_off (id, reason) VALUES (?, ?)');
    for (const run of cutOff) note.run(run.id, reasonOf(run, lost));
    db.exec(
      `CREATE TEMP VIEW runs AS SELECT ${columns.map(shown).join(', ')} FROM main.runs r LEFT JOIN temp.cut_off c ON c.id = r.id`,
    );
    if (isKeptFromWriting) db.pragma('query_only = ON');
  });
}

/** What `read` sees of runs is what the file holds, also where this connection shows some of them as cut off. */
export function asStored<T>(db: Database, read: () => T): T {
  const isKeptFromWriting = db.pragma('query_only', { simple: true }) === 1;
  guarded(db, () => {
    db.exec('SAVEPOINT as_stored');
    if (isKeptFromWriting) db.pragma('query_only = OFF');
    db.exec('DROP VIEW IF EXISTS temp.runs');
    if (isKeptFromWriting) db.pragma('query_only = ON');
  });
  try {
    return read();
  } finally {
    // SQLite ends a transaction by itself where the disk fails.
    if (db.inTransaction) db.exec('ROLLBACK TO as_stored; RELEASE as_stored');
  }
}
