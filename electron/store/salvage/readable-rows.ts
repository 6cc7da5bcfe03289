import { statSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { Failure, type StoredEvent } from '../../contract/index.ts';
import { CHAIN_START, asEvent, eventHash, insertEvent } from '../audit-log/events.ts';
import { requirePlainFiles } from '../opening/database-file.ts';
import type { Watch } from '../opening/pages.ts';

/** What could be taken of a damaged database: nothing of a table is missing where `isWhole`. */
export type Copied = { table: string; rows: number; isWhole: boolean };

/** Told of each row that was read, and of each place where some could not be. */
type Told = { onRow: (row: readonly unknown[]) => void; onGap: () => void };

type Table = { name: string; columns: string[]; hasRowid: boolean; key: string[] };

/** Codes that speak of what the file holds, or of a disk that gives a part of it no more; a full disk, say, is something else. */
const DAMAGE = /^SQLITE_(CORRUPT|NOTADB|IOERR_READ|IOERR_SHORT_READ|IOERR_CORRUPTFS|ERROR$)/;
const isDamage = (error: unknown): boolean =>
  error instanceof SqliteDatabase.SqliteError && DAMAGE.test(error.code);

/**
 * Opens a database of which parts may be damaged or cut off, for reading. SQLite refuses a file that is shorter than its header says, and one
 * with an entry of the schema that it cannot read, unless the schema counts as writable; nothing is written.
 */
export function openDamaged(file: string): Database {
  requirePlainFiles(file);
  const db = new SqliteDatabase(file, { readonly: true, fileMustExist: true });
  db.unsafeMode(true);
  db.pragma('writable_schema = ON');
  db.pragma('trusted_schema = OFF');
  db.pragma('cell_size_check = ON');
  return db;
}

/** Ordinary tables in the order in which they were made, so that rows come before those that point to them. */
function tablesOf(db: Database): Table[] {
  const names = db
    .prepare<[], { name: string; wr: number }>(
      `SELECT t.name, t.wr FROM pragma_table_list AS t JOIN sqlite_schema AS s ON s.name = t.name
       WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY s.rowid`,
    )
    .all();
  return names.map(({ name, wr }) => {
    const columns = db
      .prepare<[string], { name: string; pk: number }>('SELECT name, pk FROM pragma_table_info(?)')
      .all(name);
    const key = columns.filter(({ pk }) => pk > 0).toSorted((one, other) => one.pk - other.pk);
    return {
      name,
      columns: columns.map((column) => column.name),
      hasRowid: wr === 0,
      key: key.map((column) => column.name),
    };
  });
}

/** So many numbers are tried one by one before whole stretches are skipped: rows of one damaged page are neighbours. */
const NEAR = 4000;

/** The least row number above `place` from which rows can be read again; null where there is none. */
function firstReadable(readFrom: (place: number) => unknown, place: number): number | null {
  const isReadable = (at: number): boolean => {
    try {
      readFrom(at);
      return true;
    } catch (error) {
      if (isDamage(error)) return false;
      throw error;
    }
  };
  for (let at = place + 1; at <= place + NEAR; at += 1) if (isReadable(at)) return at;
  let bad = place + NEAR;
  let stride = NEAR;
  while (!isReadable(bad + stride)) {
    bad += stride;
    stride *= 2;
    if (bad > Number.MAX_SAFE_INTEGER / 4) return null;
  }
  let good = bad + stride;
  while (good - bad > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isReadable(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

/** Rows of a table with row numbers; what cannot be read is stepped over. No index is used: those may be damaged too. */
function* rowsByNumber(db: Database, { name, columns }: Table, onGap: () => void): Generator<unknown[]> {
  const rows = db
    .prepare<[number], unknown[]>(
      `SELECT rowid, ${columns.join(', ')} FROM ${name} NOT INDEXED WHERE rowid >= ? ORDER BY rowid`,
    )
    .raw();
  let place: number | null = 0;
  while (place !== null) {
    try {
      for (const [rowid, ...row] of rows.iterate(place)) {
        yield row;
        place = Number(rowid) + 1;
      }
      return;
    } catch (error) {
      if (!isDamage(error)) throw error;
      onGap();
      place = firstReadable((from) => rows.get(from), place);
    }
  }
}

/** Rows of a table without row numbers: from its beginning up to the first damage, then from its end down to the last. */
function* rowsFromBothEnds(
  db: Database,
  { name, columns, key }: Table,
  onGap: () => void,
): Generator<unknown[]> {
  for (const direction of ['ASC', 'DESC']) {
    const order = key.map((column) => `${column} ${direction}`).join(', ');
    try {
      yield* db
        .prepare<[], unknown[]>(`SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${order}`)
        .raw()
        .iterate();
      return;
    } catch (error) {
      if (!isDamage(error)) throw error;
      onGap();
    }
  }
}

function* readableRows(db: Database, table: Table, onGap: () => void): Generator<unknown[]> {
  try {
    yield* table.hasRowid ? rowsByNumber(db, table, onGap) : rowsFromBothEnds(db, table, onGap);
  } catch (error) {
    // The table itself is not to be had.
    if (!isDamage(error)) throw error;
    onGap();
  }
}

/**
 * Events whose content is what their own hash says, chained anew where one before them is missing.
 */
function copyEvents(from: Database, to: Database, table: Table, { onRow, onGap }: Told): { rows: number } {
  let last = { seq: 0, hash: CHAIN_START };
  for (const row of readableRows(from, table, onGap)) {
    onRow(row);
    const event = eventOf(table, row);
    if (event === null || eventHash(event) !== event.hash) {
      onGap();
      continue;
    }
    if (event.seq !== last.seq + 1 || event.prev !== last.hash) onGap();
    const chained = { ...event, seq: last.seq + 1, prev: last.hash };
    last = { ...chained, hash: eventHash(chained) };
    insertEvent(to, { ...chained, hash: last.hash });
  }
  return { rows: last.seq };
}

function eventOf({ columns }: Table, row: readonly unknown[]): StoredEvent | null {
  try {
    return asEvent.read(Object.fromEntries(columns.map((column, place) => [column, row[place]])));
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

/** Rows that the tables of `to` refuse were damaged. */
function copyRows(from: Database, to: Database, table: Table, { onRow, onGap }: Told): { rows: number } {
  const { name, columns } = table;
  const insert = to.prepare(
    `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  let rows = 0;
  for (const row of readableRows(from, table, onGap)) {
    onRow(row);
    try {
      insert.run(...row);
      rows += 1;
    } catch (error) {
      if (!(error instanceof SqliteDatabase.SqliteError) || !error.code.startsWith('SQLITE_CONSTRAINT'))
        throw error;
      onGap();
    }
  }
  return { rows };
}

/** Rows that point to missing ones go, and then those that pointed to them. */
function removeOrphans(db: Database, tables: readonly Table[]): void {
  const removals = tables.flatMap(({ name }) => {
    const links = db
      .prepare<[string], { id: number; parent: string; child: string; column: string }>(
        'SELECT id, "table" AS parent, "from" AS child, "to" AS column FROM pragma_foreign_key_list(?)',
      )
      .all(name);
    return [...Map.groupBy(links, ({ id }) => id).values()].map((link) => {
      const isSet = link.map(({ child }) => `c.${child} IS NOT NULL`).join(' AND ');
      const fits = link.map(({ child, column }) => `p.${column} = c.${child}`).join(' AND ');
      return db.prepare(
        `DELETE FROM ${name} AS c WHERE ${isSet} AND NOT EXISTS (SELECT 1 FROM ${link[0]?.parent} AS p WHERE ${fits})`,
      );
    });
  });
  while (removals.some((removal) => removal.run().changes > 0));
}

/**
 * Copies every row that can be read into a new database with the same tables, whose indexes and full-text indexes are made anew, so that
 * damage to those costs nothing. @param to with tables of the same schema, empty
 */
export function copyReadable(from: Database, to: Database, watch: Watch): Copied[] {
  const tables = tablesOf(to);
  const bytes = statSync(from.name).size;
  let done = 0;
  to.pragma('foreign_keys = OFF');
  const copied = to.transaction(() =>
    tables.map((table): Copied => {
      let isWhole = true;
      const copy = table.name === 'events' ? copyEvents : copyRows;
      const { rows } = copy(from, to, table, {
        onGap: () => void (isWhole = false),
        onRow(row) {
          for (const value of row) done += typeof value === 'string' ? value.length : 1;
          watch(Math.min(1, done / bytes));
        },
      });
      return { table: table.name, rows, isWhole };
    }),
  )();
  removeOrphans(to, tables);
  to.pragma('foreign_keys = ON');
  return copied;
}
