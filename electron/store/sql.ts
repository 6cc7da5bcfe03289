import SqliteDatabase, { type Database, type RunResult, type Statement } from 'better-sqlite3';
import type { z } from 'zod';
import { Failure } from '../contract/index.ts';
import { asFailure } from './sqlite-failure.ts';

type SqlValue = string | number | bigint | null;

/** SQL text with `?` for every value. Only the `sql` tag makes one, so no value can ever become SQL. */
export class Query {
  readonly text: string;
  readonly values: readonly SqlValue[];
  constructor(text: string, values: readonly SqlValue[]) {
    this.text = text;
    this.values = values;
  }
}

const plainTexts = new WeakMap<TemplateStringsArray, string>();

/** Tag for one query. Interpolated values are bound; an interpolated Query is spliced in as a fragment with its values. */
export function sql(strings: TemplateStringsArray, ...parts: (SqlValue | Query)[]): Query {
  if (!parts.some((part) => part instanceof Query)) {
    // Bulk inserts come through here a hundred thousand times with the same template; its text is joined once.
    let text = plainTexts.get(strings);
    if (text === undefined) plainTexts.set(strings, (text = strings.join('?')));
    return new Query(text, parts as SqlValue[]);
  }
  let text = strings[0] ?? '';
  const values: SqlValue[] = [];
  parts.forEach((part, index) => {
    if (part instanceof Query) {
      text += part.text;
      values.push(...part.values);
    } else {
      text += '?';
      values.push(part);
    }
    text += strings[index + 1] ?? '';
  });
  return new Query(text, values);
}

/** Fragments joined by AND; `true` when there are none. */
export function allOf(conditions: readonly Query[]): Query {
  if (conditions.length === 0) return sql`true`;
  return new Query(
    conditions.map((each) => each.text).join(' AND '),
    conditions.flatMap((each) => each.values),
  );
}

/** Values in brackets, for IN. */
export const oneOf = (values: readonly SqlValue[]): Query =>
  new Query(`(${values.map(() => '?').join(', ')})`, values);

/** How a row becomes a record: columns are shaped, then the contract's schema decides whether it is one. */
export type Reader<T> = { what: string; read(row: unknown): T };

/** @param what the record's name in an error sentence, e.g. `rollout` */
export function reader<T, Row>(what: string, schema: z.ZodType<T>, shape: (row: Row) => unknown): Reader<T> {
  return {
    what,
    read(row) {
      const damaged = (why: string, cause: unknown): Failure =>
        new Failure(
          'corrupt',
          `A stored ${what} is damaged (${why}); ` +
            'check every part in Settings, or with "anchor doctor", and restore the newest file of its backups folder if the check fails.',
          1,
          { cause },
        );
      let shaped: unknown;
      try {
        shaped = shape(row as Row);
      } catch (error) {
        if (error instanceof SyntaxError) throw damaged('a column does not hold JSON', error);
        throw error;
      }
      const parsed = schema.safeParse(shaped);
      if (parsed.success) return parsed.data;
      const issue = parsed.error.issues[0];
      throw damaged(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unreadable'}`, parsed.error);
    },
  };
}

const caches = new WeakMap<Database, Map<string, Statement>>();

function prepared(db: Database, text: string): Statement {
  let cache = caches.get(db);
  if (cache === undefined) caches.set(db, (cache = new Map()));
  let statement = cache.get(text);
  if (statement === undefined) cache.set(text, (statement = db.prepare(text)));
  return statement;
}

const places = new WeakMap<Database, string>();

/** `db` is a copy of `file` that has no name of its own. */
export const nameFile = (db: Database, file: string): void => void places.set(db, file);

/** Which file a connection reads, for whoever opens it again or is told of it. */
export const fileOf = (db: Database): string => places.get(db) ?? db.name;

/** Runs `work`; whatever SQLite objects to leaves as a Failure with one sentence, and so does a lab that is closed, with kind `stopped`. */
export function guarded<T>(db: Database, work: () => T): T {
  try {
    return work();
  } catch (error) {
    // A verb that waited for something finds the lab closed when the program ends meanwhile.
    if (!db.open && error instanceof TypeError) throw closedLab(error);
    throw asFailure(error, fileOf(db));
  }
}

const closedLab = (cause: TypeError): Failure =>
  new Failure(
    'stopped',
    'The lab was closed meanwhile; what was stored before is kept. Open it again, and ask again.',
    1,
    { cause },
  );

export function readAll<T>(db: Database, as: Reader<T>, query: Query): T[] {
  return guarded(db, () => prepared(db, query.text).all(...query.values)).map((row) => as.read(row));
}

/** Rows one at a time, for walks over a whole run. Nothing else may use the connection until the walk ends. */
export function* readEach<T>(db: Database, as: Reader<T>, query: Query): Generator<T> {
  // A cached statement cannot be walked twice at once, so a walk prepares its own.
  const rows = guarded(db, () => db.prepare(query.text).iterate(...query.values));
  try {
    for (let next = guarded(db, () => rows.next()); next.done !== true; next = guarded(db, () => rows.next()))
      yield as.read(next.value);
  } finally {
    rows.return?.();
  }
}

export function readOne<T>(db: Database, as: Reader<T>, query: Query): T | null {
  const row = guarded(db, () => prepared(db, query.text).get(...query.values));
  return row === undefined ? null : as.read(row);
}

export function execute(db: Database, query: Query): RunResult {
  return guarded(db, () => prepared(db, query.text).run(...query.values));
}

/** 16 MiB of log. At SQLite's default of 4 MiB nearly every step would also rewrite the index pages in the database. */
export const LOG_PAGES = 4000;

const holding = new WeakSet<Database>();

/** What is committed stays in the log, so that the file is read as it was found, until `letLogGo`. */
export function holdLog(db: Database): void {
  holding.add(db);
  db.pragma('wal_autocheckpoint = 0');
}

export const isHoldingLog = (db: Database): boolean => holding.has(db);

export function letLogGo(db: Database): void {
  holding.delete(db);
  db.pragma(`wal_autocheckpoint = ${LOG_PAGES}`);
  settle(db);
}

/** Writes the log into the database, so that a small lab does not live in its log alone. What was committed is safe without it. */
export function settle(db: Database): void {
  if (holding.has(db)) return;
  try {
    db.pragma('wal_checkpoint(PASSIVE)');
  } catch (error) {
    if (!(error instanceof SqliteDatabase.SqliteError)) throw error;
  }
}

const checks = new WeakMap<Database, () => void>();

/** `check` is made before every transaction of this connection; where it throws, nothing is begun. */
export function checkBeforeWriting(db: Database, check: () => void): void {
  checks.set(db, check);
}

/** @throws where nothing may be written any more; for what another connection writes. */
export const requireWritable = (db: Database): void => guarded(db, () => checks.get(db)?.());

/** One BEGIN IMMEDIATE transaction: all of `work` is stored, or nothing. COMMIT has reached the disk when this returns. */
export function immediately<T>(db: Database, work: () => T): T {
  return guarded(db, () => {
    if (!db.inTransaction) checks.get(db)?.();
    return db.transaction(work).immediate();
  });
}

/** All of `read` sees the database as it is at one moment, whatever others write to it meanwhile. Temporary tables that it makes go with it. */
export function atOneMoment<T>(db: Database, read: () => T): T {
  if (db.inTransaction) return read();
  guarded(db, () => db.exec('BEGIN'));
  try {
    return read();
  } finally {
    // SQLite ends a transaction by itself where the disk fails.
    if (db.inTransaction) db.exec('ROLLBACK');
  }
}

/**
 * The same data with every lone surrogate replaced by U+FFFD. Model text cut in the middle of a character can hold one; SQLite
 * stores UTF-8, where none exists, so the hash taken before storing would differ from the hash of what is read back.
 * Returns the value itself when nothing had to change.
 */
export function wellFormed<T>(value: T): T {
  return isWellFormed(value) ? value : (mended(value) as T);
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (value === null || typeof value !== 'object') return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  return Object.keys(value).every(
    (key) => key.isWellFormed() && isWellFormed((value as Record<string, unknown>)[key]),
  );
}

function mended(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(mended);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), mended(item)]));
}

/** The record as the contract wants it, ready to be hashed and stored, or a Failure of kind `badRecord` that names the first field that is not. */
export function checkedRecord<T>(schema: z.ZodType<T>, value: T, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return wellFormed(parsed.data);
  const issue = parsed.error.issues[0];
  const field = issue === undefined || issue.path.length === 0 ? 'it' : issue.path.join('.');
  throw new Failure(
    'badRecord',
    `The ${what} cannot be stored: ${field}: ${issue?.message ?? 'invalid'}.`,
    1,
    { cause: parsed.error },
  );
}
