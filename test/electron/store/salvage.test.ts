import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Failure } from '../../../electron/contract/index.ts';
import type { Salvaged } from '../../../electron/store/opening/check-thread.ts';
import { salvage } from '../../../electron/store/salvage/salvage.ts';
import { SCHEMA_VERSION } from '../../../electron/store/migrations/index.ts';
import { DATABASE_FILE, openLab, salvageDatabase } from '../../../electron/store/index.ts';
import { failureOf } from './support/failures.ts';
import { placeFixture } from './support/in-lab.ts';
import { seededRandom, steadyClock } from './support/make-records.ts';
import { makeWholeLab } from './support/whole-lab.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const PAGE = 4096;
const SEED = 17;
const ROUNDS = 30;
const now = steadyClock();
const folder = mkdtempSync(join(tmpdir(), 'anchor-salvage-'));
const file = join(folder, DATABASE_FILE);
beforeAll(() => makeWholeLab(folder));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Tree = { name: string; page: number; kind: string };

/** Every page but the first, with the tree that it belongs to. */
function pages(): Tree[] {
  const db = new SqliteDatabase(file, { readonly: true });
  try {
    return db
      .prepare<[], Tree>(
        'SELECT name, pageno AS page, pagetype AS kind FROM dbstat WHERE pageno > 1 ORDER BY pageno',
      )
      .all();
  } finally {
    db.close();
  }
}

/** Every row of a database but for what says how it is opened, as text by table. */
function contents(path: string): Map<string, string[]> {
  const db = new SqliteDatabase(path, { readonly: true });
  try {
    const tables = db
      .prepare<[], { name: string }>(
        `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'`,
      )
      .all();
    return new Map(
      tables.map(({ name }) => {
        const where =
          name === 'settings'
            ? `WHERE name LIKE 'app.%'`
            : name === 'events'
              ? `WHERE kind <> 'lab.salvaged'`
              : '';
        return [
          name,
          db
            .prepare(`SELECT * FROM ${name} ${where}`)
            .all()
            .map((row) => JSON.stringify(row)),
        ];
      }),
    );
  } finally {
    db.close();
  }
}

/** Names of tables whose rows are not the same ones. */
const tablesThatDiffer = (one: Map<string, string[]>, other: Map<string, string[]>): string[] =>
  [...one]
    .filter(([table, rows]) => rows.join('\n') !== other.get(table)?.join('\n'))
    .map(([table]) => table);

const places = { damaged: join(folder, 'damaged.sqlite'), made: join(folder, 'made.sqlite') };

/** The lab with these bytes in place of a page, and what is taken over of it. */
function salvaged(harm: (path: string) => void): Salvaged {
  copyFileSync(file, places.damaged);
  rmSync(places.made, { force: true });
  harm(places.damaged);
  const before = readFileSync(places.damaged);
  const result = salvage(places.damaged, places.made, now, () => {});
  expect(readFileSync(places.damaged).equals(before)).toBe(true);
  return result;
}

function damageTree(path: string, tree: string): void {
  const db = new SqliteDatabase(path, { readonly: true });
  const { page } = db
    .prepare<[string], { page: number }>('SELECT rootpage AS page FROM sqlite_schema WHERE name = ?')
    .get(tree)!;
  db.close();
  overwrite(path, page, Buffer.alloc(PAGE, 0xff));
}

function overwrite(path: string, page: number, bytes: Buffer): void {
  const whole = readFileSync(path);
  bytes.copy(whole, (page - 1) * PAGE);
  writeFileSync(path, whole);
}

it('takes everything over of a sound lab, with the same events and rows', () => {
  expect(salvaged(() => {})).toEqual({ runs: { whole: 2, cut: 0 }, lost: [] });
  expect(tablesThatDiffer(contents(places.made), contents(file))).toEqual([]);
});

/** Rows that a salvage may write itself: where a run stands, and what happened to the lab. */
const RESTATED = new Set(['runs', 'events', 'context_line_sources']);

/** What is there was there before, and whatever is not is spoken of. */
function expectNothingSilent(about: string, { lost }: Salvaged): void {
  const [before, rest] = [contents(file), contents(places.made)];
  for (const [table, rows] of rest) {
    const known = new Set(before.get(table));
    const made = RESTATED.has(table) ? [] : rows.filter((row) => !known.has(row));
    expect([about, table, made]).toEqual([about, table, []]);
  }
  if (tablesThatDiffer(rest, before).length > 0) expect([about, lost]).not.toEqual([about, []]);
}

it('loses nothing but what hung on one damaged page, whichever it is, and makes a sound lab of the rest', () => {
  const tables = new Set(contents(file).keys());
  const refused: string[] = [];
  let harmless = 0;
  for (const { name, page, kind } of pages()) {
    const about = `${kind} page ${page} of ${name}`;
    try {
      const result = salvaged((path) => overwrite(path, page, Buffer.alloc(PAGE, 0x5a)));
      expectNothingSilent(about, result);
      if (tables.has(name) || name === 'sqlite_schema') continue;
      // Indexes and full-text indexes are made anew.
      expect([about, result]).toEqual([about, { runs: { whole: 2, cut: 0 }, lost: [] }]);
      harmless += 1;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      refused.push(`${kind} ${name}`);
    }
  }
  expect(harmless).toBeGreaterThan(20);
  // Below these lies the whole of the schema, or of the events that tell the rest from damage.
  expect([...new Set(refused)].sort()).toEqual(['internal events', 'leaf sqlite_schema']);
});

it(`makes no unsound lab and changes nothing, whatever is damaged (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  const below = (end: number): number => Math.floor(random() * end);
  let made = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const harm = (path: string): void => {
      const bytes = readFileSync(path);
      if (round % 5 === 0) return truncateSync(path, PAGE * (1 + below(bytes.length / PAGE - 1)));
      // The first page holds the beginning of the schema.
      for (let flips = 0; flips < 12; flips += 1) {
        const place = PAGE + below(bytes.length - PAGE);
        bytes[place] = (bytes[place] as number) ^ (1 << below(8));
      }
      writeFileSync(path, bytes);
    };
    try {
      expectNothingSilent(`round ${round}`, salvaged(harm));
      made += 1;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      expect(error.message).toMatch(/\.$/);
    }
  }
  expect(made).toBeGreaterThan(ROUNDS / 3);
});

it('says what it loses, run by run and thing by thing', () => {
  const without = (tree: string): string[] =>
    salvaged((path) => {
      for (const { name, page } of pages()) if (name === tree) overwrite(path, page, Buffer.alloc(PAGE));
    }).lost;
  const isLost = 'is missing or not as it was stored.';
  const noBeginning = (id: string): string =>
    `Run "${id}" is missing: what it began with cannot be read as it was stored.`;
  expect(without('models')).toEqual([`Model "tiny" ${isLost}`]);
  expect(without('settings')).toEqual([`Setting "app.theme" ${isLost}`]);
  expect(without('evaluation_overrides')).toEqual([
    `Override of answer 1 of evaluation "finished" ${isLost}`,
  ]);
  expect(without('audit_labels')).toEqual(['closed', 'open'].map((id) => `Audit "${id}" ${isLost}`));
  expect(without('judge_probe_answers')).toEqual([
    expect.stringMatching(/^Judge probe "probe-8\w+" is missing/),
    expect.stringMatching(/^Judge probe "probe-e\w+" is missing/),
  ]);
  expect(without('seed_attempts')).toEqual([`Round 1 of the own tasks of run "b" ${isLost}`]);
  expect(without('steps')).toEqual([
    'Run "a": steps 1 to 2 could not be taken over from the damaged lab, so it stands at step 0.',
    'Run "b": steps 1 to 3 could not be taken over from the damaged lab, so it stands at step 0.',
  ]);
  expect(without('tasks')).toEqual([noBeginning('a'), noBeginning('b')]);
  // These say again what events or other tables say.
  expect(without('run_annotations')).toEqual([]);
  expect(without('review_issues')).toEqual([]);
});

it.each([1, 7, SCHEMA_VERSION - 1])(
  'takes over a damaged lab of schema %i, which becomes one of today',
  async (version) => {
    const [older, plain] = [
      mkdtempSync(join(tmpdir(), 'anchor-older-')),
      mkdtempSync(join(tmpdir(), 'anchor-older-')),
    ];
    for (const place of [older, plain]) placeFixture(place, version);
    (await openLab(plain, { now })).close();
    const result = salvaged((path) => {
      copyFileSync(join(older, DATABASE_FILE), path);
      damageTree(path, 'sqlite_autoindex_runs_1');
      damageTree(path, 'events_by_run');
    });
    expect(result.lost).toEqual([]);
    expect(result.runs.whole).toBeGreaterThan(0);
    expect(tablesThatDiffer(contents(places.made), contents(join(plain, DATABASE_FILE)))).toEqual([]);
    for (const place of [older, plain]) rmSync(place, { recursive: true });
  },
);

it('refuses what is no lab, and a file of which nothing can be read', async () => {
  writeFileSync(places.damaged, 'not a database');
  rmSync(places.made, { force: true });
  expect(() => salvage(places.damaged, places.made, now, () => {})).toThrow(/is damaged/);
  const other = new SqliteDatabase(join(folder, 'other.sqlite'));
  other.exec('CREATE TABLE t (x)');
  other.close();
  expect(await failureOf(() => salvageDatabase(join(folder, 'other.sqlite'), places.made, {}))).toMatchObject(
    {
      kind: 'notALab',
      exitCode: 2,
    },
  );
});

it('opens, checks and works on', async () => {
  salvaged((path) =>
    overwrite(path, pages().find(({ name }) => name === 'reviews')!.page, Buffer.alloc(PAGE)),
  );
  const place = mkdtempSync(join(tmpdir(), 'anchor-salvaged-'));
  copyFileSync(places.made, join(place, DATABASE_FILE));
  const lab = await openLab(place, { now });
  expect(lab.checkIntegrity()).toEqual([]);
  lab.close();
  rmSync(place, { recursive: true });
});
