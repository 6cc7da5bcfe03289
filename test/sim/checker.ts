import { createHash } from 'node:crypto';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { realFiles } from './system.ts';

type Row = Record<string, string | number | null>;
type Database = InstanceType<typeof SqliteDatabase>;

/** What somebody outside knows of a lab, who wrote down what the engine acknowledged. */
export type Known = {
  /** Step hashes by run and step. */
  acknowledged: ReadonlyMap<string, ReadonlyMap<number, string>>;
  /** Names of configurations by the runs that were begun with them. */
  begun: ReadonlyMap<string, string>;
  /** Runs whose deletion was asked for, and those of them whose deletion was acknowledged. */
  mayBeGone: ReadonlySet<string>;
  gone: ReadonlySet<string>;
  /** Runs whose files may be gone although the disk had no room to delete their records. */
  emptied: ReadonlySet<string>;
  /** Digests of the records of each step of an undisturbed run, by the name of its configuration. */
  undisturbed: ReadonlyMap<string, readonly string[]>;
  /** Checkpoint files that were damaged on purpose. */
  damaged: ReadonlySet<string>;
  /** The end of the chain of events at an earlier look; it only grows. */
  chainEnd: { seq: number; hash: string } | null;
};

/**
 * How the lab lies there: runs at work in an open engine, null where none has it open; whether that engine only reads it, because the disk
 * is full; and whether everything has come to its end.
 */
export type Moment = { atWork: ReadonlySet<string> | null; isOnlyRead: boolean; isSettled: boolean };

const WORKING = ['setting-up', 'stepping', 'pausing'];
/** What differs between two runs of the same: when, how fast, where, and which key was free. */
const VARIES = new Set(
  'key run_id rollout_key review_key created_at started_at finished_at removed_at milliseconds sandbox_level'.split(
    ' ',
  ),
);
/** The records of a step; `?` are run and step. The context that a step leads to belongs to it. */
const OF_A_STEP: Readonly<Record<string, string>> = {
  steps: 'SELECT * FROM steps WHERE run_id = ? AND step = ?',
  tasks: 'SELECT * FROM tasks WHERE run_id = ? AND step = ? ORDER BY key',
  rollouts: `SELECT * FROM rollouts LEFT JOIN rollout_texts USING (key) WHERE run_id = ? AND step = ? ORDER BY key`,
  reviews: `SELECT * FROM reviews LEFT JOIN review_texts USING (key) WHERE run_id = ? AND step = ? ORDER BY key`,
  issues: `SELECT issue, phase, status FROM review_issues WHERE run_id = ? AND step = ? ORDER BY review_key, issue`,
  summaries: 'SELECT * FROM summaries WHERE run_id = ? AND step = ? ORDER BY ordinal',
  wordings: 'SELECT * FROM wordings WHERE run_id = ? AND step = ? ORDER BY ordinal',
  contexts: 'SELECT hash, text, tokens, removed FROM contexts WHERE run_id = ? AND step = ? + 1',
  lines: `SELECT ordinal, line_id, text, "key" AS name, entered_step, last_supported_step, support, worded
    FROM context_lines WHERE run_id = ? AND step = ? + 1 ORDER BY ordinal`,
  checkpoints: 'SELECT * FROM checkpoints WHERE run_id = ? AND step = ? ORDER BY role',
  metrics: `SELECT DISTINCT kind FROM metrics WHERE run_id = ? AND step = ? ORDER BY kind`,
};
/** Tables with rows of single steps, and the last step after `committed_steps` that they may have rows of. */
const BY_STEP = {
  steps: 0,
  metrics: 0,
  tasks: 0,
  rollouts: 0,
  reviews: 0,
  review_issues: 0,
  summaries: 0,
  wordings: 0,
  checkpoints: 0,
  contexts: 1,
  context_lines: 1,
};
/** What outlives a run: evidence, and what was measured of it. */
const OUTLIVES = new Set(['events', 'evaluations', 'audits', 'sqlite_sequence']);

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

/**
 * Reads a lab as a stranger would: the database through a connection of its own, by SQL of its own, and the files beside it. Nothing of the
 * engine is asked, so that a fault of the engine cannot hide itself.
 */
export class Checker {
  readonly #whatIsKnown: () => Known;
  readonly #say: (sentence: string) => void;

  constructor(known: () => Known, say: (sentence: string) => void) {
    this.#whatIsKnown = known;
    this.#say = say;
  }

  get #known(): Known {
    return this.#whatIsKnown();
  }

  /** Whether a step that was just acknowledged is in the file of that name. */
  holds(lab: string, runId: string, step: number, hash: string): boolean {
    const file = join(lab, 'lab.sqlite');
    if (!realFiles.existsSync(file) || !realFiles.existsSync(`${file}-wal`)) return false;
    try {
      return reading(file, (db) => {
        const [row] = all(db, 'SELECT step_hash FROM steps WHERE run_id = ? AND step = ?', runId, step);
        return row?.['step_hash'] === hash;
      });
    } catch (error) {
      // Beside an engine whose log somebody took away no other program can read; what is there is seen before the lab is opened again.
      if ((error as { code?: string }).code?.startsWith('SQLITE_IOERR') === true) return true;
      throw error;
    }
  }

  /** @returns the present end of the chain of events; null where the lab has no database yet. */
  check(lab: string, moment: Moment): Known['chainEnd'] {
    const file = join(lab, 'lab.sqlite');
    if (!realFiles.existsSync(file)) {
      if (this.#known.begun.size > 0) this.#say('the database is gone, and runs were begun in it');
      return null;
    }
    return reading(file, (db) => {
      // The newest column: a program that died while it made the lab left fewer.
      if (all(db, "SELECT 1 FROM pragma_table_info('review_texts') WHERE name = 'quote'").length === 0) {
        if (this.#known.begun.size > 0) this.#say('tables are gone, and runs were begun in them');
        return null;
      }
      this.#database(db);
      const chainEnd = this.#chain(db);
      const runs = all(db, 'SELECT * FROM runs');
      // Records of a deleted run are taken out piece by piece; until then a list names it.
      const [list] = all(db, "SELECT value FROM settings WHERE name = 'runs_being_deleted'");
      const going = new Set(
        moment.isSettled ? [] : (JSON.parse(String(list?.['value'] ?? '[]')) as string[]),
      );
      for (const run of runs) if (!going.has(run['id'] as string)) this.#run(db, lab, run, moment);
      this.#evaluations(db, moment);
      this.#lost(new Set(runs.map(({ id }) => id as string)));
      for (const runId of this.#known.gone) if (!going.has(runId)) this.#deleted(db, lab, runId);
      this.#writer(db, moment);
      if (moment.isOnlyRead && chainEnd?.seq !== this.#known.chainEnd?.seq)
        this.#say('the lab is only read, and events were stored in it');
      return chainEnd;
    });
  }

  #database(db: Database): void {
    const [verdict] = all(db, 'PRAGMA integrity_check(1)');
    if (verdict?.['integrity_check'] !== 'ok')
      this.#say(`the database is damaged: ${JSON.stringify(verdict)}`);
    for (const orphan of all(db, 'PRAGMA foreign_key_check'))
      this.#say(`a row of "${orphan['table']}" points to a row of "${orphan['parent']}" that is not there`);
  }

  #chain(db: Database): Known['chainEnd'] {
    let [seq, hash] = [0, '0'.repeat(64)];
    const { chainEnd } = this.#known;
    for (const event of all(db, 'SELECT * FROM events ORDER BY seq')) {
      const { at, kind, run_id: runId } = event;
      const text = `{"at":${JSON.stringify(at)},"body":${event['body']},"kind":${JSON.stringify(kind)},"runId":${JSON.stringify(runId)},"seq":${event['seq']}}`;
      if (
        event['seq'] !== seq + 1 ||
        event['prev'] !== hash ||
        sha256(`anchor-event-v1${hash}${text}`) !== event['hash']
      ) {
        this.#say(`event ${event['seq']} does not follow from the one before`);
        return null;
      }
      [seq, hash] = [event['seq'] as number, event['hash'] as string];
      if (seq === chainEnd?.seq && hash !== chainEnd.hash) this.#say(`event ${seq} is another than before`);
    }
    if (chainEnd !== null && seq < chainEnd.seq) this.#say(`events after ${seq} of ${chainEnd.seq} are lost`);
    return { seq, hash };
  }

  #run(db: Database, lab: string, run: Row, { atWork, isOnlyRead, isSettled }: Moment): void {
    const id = run['id'] as string;
    const committed = run['committed_steps'] as number;
    const { name, steps: wanted } = JSON.parse(run['config'] as string) as { name: string; steps: number };
    for (const [table, more] of Object.entries(BY_STEP)) {
      const [found] = all(db, `SELECT max(step) AS last FROM ${table} WHERE run_id = ?`, id);
      if (Number(found?.['last'] ?? 0) > committed + more)
        this.#say(
          `"${table}" has rows of step ${found?.['last']} of ${id}, which was cut off after ${committed}`,
        );
    }
    if (String(run['reason']).includes('failed unexpectedly'))
      this.#say(`${id} ended in a surprise: ${run['reason']}`);
    const steps = all(db, 'SELECT * FROM steps WHERE run_id = ? ORDER BY step', id);
    if (steps.length !== committed || steps.some(({ step }, index) => step !== index + 1))
      this.#say(
        `${id} has ${committed} steps, and stored are ${steps.map(({ step }) => step).join() || 'none'}`,
      );
    const events = all(
      db,
      `SELECT body FROM events WHERE run_id = ? AND kind = 'step.committed' ORDER BY seq`,
      id,
    );
    if (events.length !== committed) this.#say(`${id} has ${committed} steps and events of ${events.length}`);
    for (const [index, { body }] of events.entries())
      this.#step(db, id, name, index + 1, JSON.parse(body as string) as Row);
    const acknowledged = this.#known.acknowledged.get(id) ?? new Map<number, string>();
    for (const [step, hash] of acknowledged)
      if (steps[step - 1]?.['step_hash'] !== hash)
        this.#say(`step ${step} of ${id} was acknowledged and is not stored as it was`);
    const isWorking = WORKING.includes(run['state'] as string);
    // What is only read stays as the last program left it.
    if (isWorking && atWork !== null && !isOnlyRead && !atWork.has(id))
      this.#say(`${id} is "${run['state']}", and nobody is at work on it`);
    if (isSettled && run['state'] !== 'done') this.#say(`${id} is settled and "${run['state']}"`);
    if (run['state'] === 'done' && committed !== wanted)
      this.#say(`${id} is done with ${committed} of ${wanted} steps`);
    this.#files(db, join(lab, run['folder'] as string), id, committed, isSettled);
  }

  /** All of a step is there, as its event says and as the undisturbed run has it. */
  #step(db: Database, id: string, name: string, step: number, event: Row): void {
    const count = (table: string): number =>
      Number(all(db, `SELECT count(*) AS n FROM ${table} WHERE run_id = ? AND step = ?`, id, step)[0]?.['n']);
    if (event['step'] !== step) this.#say(`event ${step} of the steps of ${id} is of step ${event['step']}`);
    for (const table of ['rollouts', 'reviews', 'tasks'])
      if (count(table) !== event[table])
        this.#say(`step ${step} of ${id} has ${count(table)} ${table}, and ${event[table]} were committed`);
    // A run that was begun from a checkpoint of another one has no undisturbed twin.
    const undisturbed = this.#known.undisturbed.get(name);
    if (undisturbed !== undefined && stepDigest(db, id, step) !== undisturbed[step - 1])
      this.#say(`the records of step ${step} of ${id} ("${name}") are not those of the undisturbed run`);
  }

  #files(db: Database, folder: string, id: string, committed: number, isSettled: boolean): void {
    const kept = all(db, 'SELECT * FROM checkpoints WHERE run_id = ? AND removed_at IS NULL', id);
    for (const { step, folder: name, files } of kept)
      for (const { path, sha256: recorded } of JSON.parse(files as string) as {
        path: string;
        sha256: string;
      }[]) {
        const file = join(folder, 'checkpoints', name as string, path);
        if (this.#known.damaged.has(file)) continue;
        if (!realFiles.existsSync(file)) {
          if (!this.#known.emptied.has(id))
            this.#say(`${path} of the checkpoint of step ${step} of ${id} is not there`);
        } else if (sha256(realFiles.readFileSync(file)) !== recorded)
          this.#say(`${path} of the checkpoint of step ${step} of ${id} is not what was stored`);
      }
    for (const name of listing(join(folder, 'anchor'))) {
      const step = Number(/^step(\d+)_/.exec(name)?.[1] ?? 0);
      if (step > committed) this.#say(`${name} of ${id} is of a step that is not stored`);
    }
    if (isSettled) this.#strays(db, folder, id);
  }

  /** After a step is stored and cleared away after: the database knows every folder of a checkpoint of its run. */
  strays(lab: string, id: string): void {
    reading(join(lab, 'lab.sqlite'), (db) => {
      const [run] = all(db, 'SELECT folder FROM runs WHERE id = ?', id);
      if (run !== undefined) this.#strays(db, join(lab, run['folder'] as string), id);
    });
  }

  #strays(db: Database, folder: string, id: string): void {
    const kept = new Set(
      all(db, 'SELECT folder FROM checkpoints WHERE run_id = ? AND removed_at IS NULL', id).map(
        (row) => row['folder'],
      ),
    );
    for (const name of listing(join(folder, 'checkpoints')))
      if (!kept.has(name)) this.#say(`the checkpoint ${name} of ${id} is a stray: no stored step has it`);
  }

  #evaluations(db: Database, { isSettled }: Moment): void {
    const counted = `SELECT id, state, planned, (SELECT count(*) FROM evaluation_items WHERE evaluation_key = key) AS items
      FROM evaluations WHERE form = 2`;
    for (const { id, state, planned, items } of all(db, counted)) {
      if (state === 'running' && isSettled)
        this.#say(`evaluation ${id} is "running", and nobody is at work on it`);
      if (state === 'done' && items !== planned)
        this.#say(`evaluation ${id} is done with ${items} of ${planned} answers`);
    }
  }

  #lost(present: ReadonlySet<string>): void {
    const { acknowledged, begun, mayBeGone } = this.#known;
    for (const id of new Set([...begun.keys(), ...acknowledged.keys()]))
      if (!present.has(id) && !mayBeGone.has(id)) this.#say(`${id} was begun and is lost`);
  }

  #deleted(db: Database, lab: string, id: string): void {
    const tables = all(db, "SELECT name FROM sqlite_schema WHERE type = 'table'").map(
      ({ name }) => name as string,
    );
    for (const table of tables.filter((name) => !OUTLIVES.has(name) && !name.includes('_search'))) {
      const columns = all(db, `PRAGMA table_info("${table}")`).map(({ name }) => name);
      const column = table === 'runs' ? 'id' : 'run_id';
      if (
        columns.includes(column) &&
        all(db, `SELECT 1 FROM "${table}" WHERE ${column} = ? LIMIT 1`, id).length > 0
      )
        this.#say(`${id} was deleted, and "${table}" still has rows of it`);
    }
    if (realFiles.existsSync(join(lab, 'runs', id)))
      this.#say(`${id} was deleted, and its folder is still there`);
  }

  #writer(db: Database, { atWork, isOnlyRead, isSettled }: Moment): void {
    const [writer] = all(db, "SELECT value FROM settings WHERE name = 'writer'");
    const isOwned = writer !== undefined && writer['value'] !== 'null';
    if (atWork !== null && !isOnlyRead && !isOwned)
      this.#say('the lab is open, and the database names no writer');
    if (atWork === null && isSettled && isOwned)
      this.#say('the lab is closed, and the database names a writer');
  }
}

/** The hash of all records of a step that have to repeat. */
export function stepDigest(db: Database, runId: string, step: number): string {
  const hash = createHash('sha256');
  for (const [what, query] of Object.entries(OF_A_STEP))
    for (const row of all(db, query, runId, step))
      hash.update(`${what} ${JSON.stringify(Object.entries(row).filter(([name]) => !VARIES.has(name)))}\n`);
  return hash.digest('hex');
}

/** The digests of all stored steps of a run. */
export const digestsOf = (lab: string, runId: string): string[] =>
  reading(join(lab, 'lab.sqlite'), (db) =>
    all(db, 'SELECT step FROM steps WHERE run_id = ? ORDER BY step', runId).map(({ step }) =>
      stepDigest(db, runId, step as number),
    ),
  );

/** A connection of its own that cannot write; nothing of the log is carried over into the file by it. */
function reading<T>(file: string, use: (db: Database) => T): T {
  // A copy that somebody put in the place of the database has no log: the one beside it is of another.
  const isCopy = realFiles.existsSync(`${file}-wal`) && writeVersion(file) === 1;
  const read = isCopy ? `${file}.copy` : file;
  if (isCopy) realFiles.copyFileSync(file, read);
  const db = new SqliteDatabase(read, { readonly: true, fileMustExist: true });
  try {
    return use(db);
  } finally {
    db.close();
    if (isCopy) realFiles.rmSync(read);
  }
}

/** Whether SQLite writes to a database through a log (2) or not (1). */
function writeVersion(file: string): number {
  const [at, byte] = [18, Buffer.alloc(1)];
  const open = realFiles.openSync(file, 'r');
  try {
    realFiles.readSync(open, byte, 0, 1, at);
  } finally {
    realFiles.closeSync(open);
  }
  return byte[0] as number;
}

const all = (db: Database, query: string, ...values: (string | number)[]): Row[] =>
  db.prepare(query).all(...values) as Row[];

const listing = (folder: string): string[] =>
  realFiles.existsSync(folder) ? realFiles.readdirSync(folder) : [];
