import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { integrityRepository } from '../../../electron/store/audit-log/integrity.ts';
import { DATABASE_FILE } from '../../../electron/store/index.ts';
import { makeWholeLab } from './support/whole-lab.ts';

/** Tables that hold nothing of their own, with the reason why no event speaks of them. */
const DERIVED_TABLES: Record<string, string> = {
  sqlite_sequence: 'the next free keys; SQLite takes the largest key where it is higher',
  sqlite_stat1: 'statistics for choosing an index, made anew by SQLite',
  sqlite_stat4: 'statistics for choosing an index, made anew by SQLite',
};
/** The full-text index is compared with the texts as a whole. */
const SEARCH = /^(rollout|review)_search/;

/**
 * Columns that no event speaks of, with the reason. Answers of an evaluation are attested when it stops or ends: while it is at work,
 * each comes in a transaction of its own, and an event for each would cost more than the answer.
 */
const UNATTESTED: Record<string, string> = {
  'settings.value of clean_exit': 'says how the lab is opened just now',
  'settings.value of writer': 'says which program has the lab open just now',
  'tasks.key': 'an order, which is checked; the number itself means nothing',
  'evaluations.key': 'an order, which is checked; the number itself means nothing',
};

/** `rules`: how the table was made, with the values that its checks name. */
type Column = { table: string; column: string; type: string; rules: string };
type Value = string | number | null;

let folder: string;
let db: Database;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'anchor-columns-'));
  await makeWholeLab(folder);
  db = new SqliteDatabase(join(folder, DATABASE_FILE));
  db.pragma('foreign_keys = OFF');
});
afterAll(() => {
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

const columns = (): Column[] =>
  db
    .prepare<[], Column>(
      `SELECT t.name AS "table", c.name AS "column", c.type, s.sql AS rules
       FROM pragma_table_list t JOIN pragma_table_info(t.name) c JOIN sqlite_schema s ON s.name = t.name
       WHERE t.schema = 'main' AND t.type = 'table' AND t.name <> 'sqlite_schema' ORDER BY t.name, c.cid`,
    )
    .all()
    .filter(({ table }) => !SEARCH.test(table) && !(table in DERIVED_TABLES));

/** The same JSON with its first number, text or truth value changed. */
function otherJson(text: string): string {
  let done = false;
  const changed = (value: unknown): unknown => {
    if (done) return value;
    if (Array.isArray(value)) return value.map(changed);
    if (value !== null && typeof value === 'object')
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, changed(item)]));
    if (value === null) return value;
    done = true;
    return typeof value === 'number' ? value + 1 : typeof value === 'boolean' ? !value : `${String(value)}x`;
  };
  const other = changed(JSON.parse(text));
  return JSON.stringify(done ? other : Array.isArray(other) ? ['x'] : { x: 1 });
}

/** Values that somebody might put in the place of this one; the first that the table's rules allow is taken. */
function others(value: Value, { type, rules }: Column, alike: Value[]): Value[] {
  const named = [...rules.matchAll(/'([\w-]+)'/g)].map(([, word]) => word ?? '');
  const words = [...alike, `${value}x`, 'x', ...named];
  const numbers = [1, -1, 50, 0.25].map((by) => (typeof value === 'number' ? value + by : by));
  const candidates =
    value === null
      ? type === 'TEXT'
        ? ['x', 'a'.repeat(64), '[]', '{}', ...words]
        : [1, 0, ...alike]
      : typeof value === 'number'
        ? [...numbers, 1 - value, ...alike]
        : /^[0-9a-f]{64}$/.test(value)
          ? [(value.startsWith('0') ? '1' : '0') + value.slice(1)]
          : /^[[{]/.test(value)
            ? [otherJson(value)]
            : /^\d{4}-\d\d-\d\dT/.test(value)
              ? [value.replace(/^\d{4}/, '2031')]
              : words;
  return candidates.filter((each) => each !== value);
}

/** The row's primary key as a condition: not every table has a rowid. */
function conditionOf(table: string, row: Record<string, Value>): string {
  const keys = db
    .prepare<[], { name: string }>(`SELECT name FROM pragma_table_info('${table}') WHERE pk > 0`)
    .all();
  return keys
    .map(({ name }) => `"${name}" = ${typeof row[name] === 'number' ? row[name] : `'${String(row[name])}'`}`)
    .join(' AND ');
}

/** Puts one of the values in place of the row's; nothing when the rules of the table refuse all. Guards against our own mistakes are passed by. */
function change({ table, column }: Column, condition: string, values: Value[]): Value | undefined {
  const triggers = db
    .prepare<[string], { name: string; sql: string }>(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?`,
    )
    .all(table);
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  const put = db.prepare(`UPDATE "${table}" SET "${column}" = ? WHERE ${condition}`);
  const taken = values.find((value) => {
    try {
      return put.run(value).changes === 1;
    } catch (error) {
      if (error instanceof SqliteDatabase.SqliteError) return false;
      throw error;
    }
  });
  for (const { sql } of triggers) db.exec(sql);
  return taken;
}

/** Changes one value, asks the check, and takes the change back. */
function tried(
  column: Column,
  row: Record<string, Value>,
  alike: Value[],
): { outcome: 'named' | 'silent' | 'refused'; what: string } {
  const before = row[column.column] as Value;
  const condition = conditionOf(column.table, row);
  db.exec('BEGIN');
  try {
    const value = change(column, condition, others(before, column, alike));
    const what = `${column.table}.${column.column} of ${condition}: ${String(before)} to ${String(value)}`;
    if (value === undefined) return { outcome: 'refused', what };
    return { outcome: integrityRepository(db).checkIntegrity().length > 0 ? 'named' : 'silent', what };
  } finally {
    db.exec('ROLLBACK');
  }
}

const KINDS = ['form', 'state', 'status', 'rater', 'kind', 'name'];

/** Rows that differ in kind: of each table one for every form, state, status and choice of empty columns, and always the first and the last. */
function rowsOf(table: string): Record<string, Value>[] {
  const rows = db.prepare<[], Record<string, Value>>(`SELECT * FROM "${table}"`).all();
  const empty = (row: Record<string, Value>): string =>
    Object.values(row)
      .map((value) => value === null)
      .join();
  const kinds = new Map(rows.map((row) => [`${KINDS.map((name) => row[name]).join()} ${empty(row)}`, row]));
  return [...new Set([...rows.slice(0, 1), ...kinds.values(), ...rows.slice(-1)])];
}

/** Changes these columns one by one, in rows of every kind, and expects each change to be named. Returns how many columns could be changed. */
function namedOf(asked: Column[]): number {
  const silent: string[] = [];
  const refused = new Set<string>();
  const named = new Set<string>();
  for (const column of asked) {
    const rows = rowsOf(column.table);
    const alike = rows.map((row) => row[column.column] as Value);
    for (const row of rows) {
      const of = column.table === 'settings' && column.column === 'value' ? ` of ${String(row['name'])}` : '';
      const where = `${column.table}.${column.column}${of}`;
      if (where in UNATTESTED) continue;
      const { outcome, what } = tried(column, row, alike);
      if (outcome === 'silent') silent.push(what);
      else (outcome === 'named' ? named : refused).add(where);
    }
  }
  expect(silent).toEqual([]);
  // What the rules of a table refuse in every row cannot be changed alone.
  expect([...refused].filter((where) => !named.has(where))).toEqual([]);
  return named.size;
}

describe('a value that somebody changed in the database', () => {
  it('is looked for in a lab whose tables all hold rows and that is sound', () => {
    const tables = [...new Set(columns().map(({ table }) => table))];
    expect(
      tables.filter((table) => db.prepare(`SELECT 1 FROM "${table}" LIMIT 1`).get() === undefined),
    ).toEqual([]);
    expect(integrityRepository(db).checkIntegrity()).toEqual([]);
  });

  it('is named by the check of the lab, in every sixth column of all tables', () => {
    expect(namedOf(columns().filter((_, index) => index % 6 === 0))).toBeGreaterThan(30);
  }, 300_000);

  it(
    'is named by the check of the lab, whichever column of whichever table it is in',
    { timeout: 600_000, tags: ['full'] },
    () => {
      expect(namedOf(columns())).toBeGreaterThan(180);
    },
  );

  it.each([
    [
      'a task of step 0 behind those of later steps',
      `UPDATE tasks SET key = 999 WHERE key = 1`,
      'Tasks of run "a"',
    ],
    [
      'an evaluation before those that it followed',
      `UPDATE evaluations SET key = 0 WHERE id = 'begun'`,
      'the order of evaluations',
    ],
    [
      'the end of a source of a line that no context reads yet',
      `UPDATE context_line_sources SET until_step = 99 WHERE until_step IS NULL`,
      'Sources of line "2.0" of run "a"',
    ],
    [
      'a setting of the program under another name',
      `UPDATE settings SET name = 'unclean' WHERE name = 'clean_exit'`,
      'where setting "unclean" comes from',
    ],
  ])('is named where it puts %s', (_what, statement, finding) => {
    db.exec('BEGIN');
    try {
      db.exec(statement);
      const said = integrityRepository(db).checkIntegrity();
      expect(said.map((each) => each.finding).join('\n')).toContain(finding);
    } finally {
      db.exec('ROLLBACK');
    }
  });
});
