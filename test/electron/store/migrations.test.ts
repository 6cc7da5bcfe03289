import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { DATABASE_FILE, openLab } from '../../../electron/store/index.ts';
import { MIGRATIONS, SCHEMA_VERSION } from '../../../electron/store/migrations/index.ts';
import { runMigration, SCHEMA_SHA256, schemaSha256 } from '../../../electron/store/opening/migrate.ts';
import { failureOf } from './support/failures.ts';
import { placeFixture } from './support/in-lab.ts';
import {
  inTempFolder,
  makeCheckpoint,
  makeCommit,
  makeInitial,
  steadyClock,
} from './support/make-records.ts';

const open = (folder: string, readonly = false) =>
  openLab(folder, { now: steadyClock(Date.UTC(2026, 5, 1)), readonly });

/** The runs of a fixture; from schema 7 on there is one of fixed tasks. */
const runsOf = (version: number): string[] => (version < 7 ? ['old'] : ['old', 'old-fixed']);

/** One of each age is asked everything by `npm test`, the others by `npm run test:full`. */
const FEW = [1, 6, SCHEMA_VERSION - 1];
const tierOf = (version: number) => (FEW.includes(version) ? {} : { tags: ['full'] });
const OLDER = Array.from({ length: SCHEMA_VERSION - 1 }, (_, index) => index + 1);

describe('migrations', () => {
  it('are numbered without a gap and make the schema the program expects', () => {
    expect(MIGRATIONS.map((migration) => migration.version)).toEqual([...OLDER, SCHEMA_VERSION]);
    const db = new SqliteDatabase(':memory:');
    for (const migration of MIGRATIONS) runMigration(db, migration);
    expect(schemaSha256(db)).toBe(SCHEMA_SHA256);
    db.close();
  });

  it('have a fixture of every older version', () => {
    for (const version of OLDER)
      expect(existsSync(join(import.meta.dirname, 'fixtures', `schema-${version}.sql`))).toBe(true);
  });

  it.each(OLDER)('bring a lab of schema %i up to date with everything in it', (version) =>
    inTempFolder(async (folder) => {
      placeFixture(folder, version);
      const lab = await open(folder);
      expect(lab.checkIntegrity()).toEqual([]);
      expect(lab.getRun('old')?.config.name).toBe('from an older lab');
      expect(lab.listModels().map((model) => model.name)).toEqual(['embedded-policy']);
      expect(lab.listEvents(null).some((event) => event.kind === 'note')).toBe(true);
      if (version >= 2) {
        expect(lab.listRollouts('old', 2)).toEqual(makeCommit(2, 6).rollouts);
        expect(lab.searchRecords('old', '"step 2 of item 3"').rollouts.map((hit) => hit.rolloutId)).toEqual([
          '2/pred_code_i/3',
        ]);
        expect(lab.commitStep('old', makeCommit(3)).applied).toBe(true);
      } else expect(lab.putInitial('old', makeInitial()).applied).toBe(true);
      lab.close();
    }),
  );

  for (const version of OLDER)
    it(
      `of a lab of schema ${version} leave one verified backup, of the version before`,
      tierOf(version),
      () =>
        inTempFolder(async (folder) => {
          placeFixture(folder, version);
          (await open(folder)).close();
          const backups = readdirSync(join(folder, 'backups')).sort();
          expect(backups.map((name) => /schema-(\d+)\.sqlite$/.exec(name)?.[1])).toEqual([String(version)]);
          const first = new SqliteDatabase(join(folder, 'backups', backups[0] ?? ''), { readonly: true });
          expect(first.pragma('user_version', { simple: true })).toBe(version);
          expect(first.prepare<[], { id: string }>('SELECT id FROM runs ORDER BY id').all()).toEqual(
            runsOf(version).map((id) => ({ id })),
          );
          first.close();
        }),
    );

  for (const version of OLDER.filter((each) => each >= 2))
    it(
      `let a lab of schema ${version} store batches, roles, stages, task types and reviewers that it did not know`,
      tierOf(version),
      () =>
        inTempFolder(async (folder) => {
          placeFixture(folder, version);
          const lab = await open(folder);
          const commit = makeCommit(3);
          const rollouts = commit.rollouts.map((rollout) => ({
            ...rollout,
            taskType: 'error' as const,
            batch: 'label-2',
            purpose: 'vote',
            role: 'challenger',
          }));
          const reviews = commit.reviews.map((review) => ({
            ...review,
            reviewer: 'checklist' as const,
            batch: 'label-2',
          }));
          const tasks = commit.tasks.map((task) => ({ ...task, origin: 'vote' }));
          const step = { ...commit.step, stage: 'label', iteration: 2, role: null, weightsSha256: null };
          expect(
            lab.commitStep('old', { ...commit, step, tasks, rollouts, reviews, checkpoint: null }).applied,
          ).toBe(true);
          expect(lab.listRollouts('old', 3)).toEqual(rollouts);
          expect(lab.getStep('old', 3)).toEqual(step);
          expect(lab.checkIntegrity()).toEqual([]);
          lab.close();
          const db = new SqliteDatabase(join(folder, DATABASE_FILE));
          for (const change of [
            `UPDATE rollouts SET batch = 'Code e'`,
            `UPDATE rollouts SET purpose = ''`,
            `UPDATE rollouts SET role = '1st'`,
            `UPDATE reviews SET batch = 'gen/'`,
            `UPDATE tasks SET origin = 'a${'b'.repeat(40)}'`,
            `UPDATE steps SET stage = 'Label'`,
            `UPDATE steps SET iteration = 0`,
            `UPDATE steps SET role = ''`,
            `UPDATE checkpoints SET role = 'po licy'`,
            `UPDATE tasks SET task_type = ''`,
            `UPDATE reviews SET reviewer = ''`,
          ]) {
            expect(() => db.exec(change), change).toThrow('CHECK constraint failed');
          }
          db.close();
        }),
    );

  it('give the steps of an older lab the one stage of their framework and the one role, which nobody changes unnoticed', () =>
    inTempFolder(async (folder) => {
      placeFixture(folder, 7);
      const lab = await open(folder);
      const placeOf = (runId: string) =>
        lab.listSteps(runId).map(({ stage, iteration, role }) => [stage, iteration, role]);
      expect(placeOf('old')).toEqual([
        ['self-play', 1, 'policy'],
        ['self-play', 1, 'policy'],
      ]);
      expect(placeOf('old-fixed')).toEqual([['practice', 1, 'policy']]);
      expect(lab.listCheckpoints('old').map(({ step, role }) => [step, role])).toEqual([
        [0, 'policy'],
        [2, 'policy'],
      ]);
      expect(lab.getCheckpoint('old', 1)).toEqual(makeCheckpoint(1));
      // A run cut off by the version before repeats its start and its last step without a conflict, and goes on.
      expect(lab.putInitial('old-fixed', makeInitial()).applied).toBe(false);
      expect(lab.commitStep('old-fixed', makeCommit(1, 6)).applied).toBe(false);
      const next = makeCommit(2, 6);
      lab.commitStep('old-fixed', { ...next, step: { ...next.step, stage: 'practice' } });
      expect(lab.checkIntegrity()).toEqual([]);
      lab.close();
      for (const [change, about] of [
        [
          `UPDATE steps SET stage = 'self-play' WHERE run_id = 'old-fixed' AND step = 1`,
          'step 1 of run "old-fixed"',
        ],
        [`UPDATE steps SET iteration = 2 WHERE run_id = 'old' AND step = 2`, 'step 2 of run "old"'],
        [`UPDATE checkpoints SET role = 'other' WHERE run_id = 'old' AND step = 0`, 'step 0 of run "old"'],
      ] as const) {
        const db = new SqliteDatabase(join(folder, DATABASE_FILE));
        db.exec(`BEGIN; ${change}`);
        db.exec('COMMIT');
        db.close();
        const changed = await open(folder, true);
        expect(
          changed.checkIntegrity().map(({ finding }) => finding),
          change,
        ).toContain(`What was stored of ${about} was changed afterwards.`);
        changed.close();
      }
    }));

  it('show texts behind a zero character in excerpts, and leave every stored text as it was', () =>
    inTempFolder(async (folder) => {
      placeFixture(folder, 14);
      const lab = await open(folder);
      const { rollouts, reviews } = lab.searchRecords('old-fixed', 'vowels letters');
      expect([rollouts.map(({ excerpt }) => excerpt), reviews]).toEqual([
        ['The count␀of "‹vowels›" \\u0000 and \\\\ of é€𝄞␀␀ ‹letters›.'],
        [],
      ]);
      expect(lab.searchRecords('old-fixed', 'before').rollouts[0]?.excerpt).toBe('Ask␀‹before›.');
      expect(lab.searchRecords('old-fixed', 'counted').reviews[0]?.excerpt).toBe('Nothing␀was ‹counted›.');
      expect(lab.listRollouts('old-fixed', 2)[1]).toMatchObject({
        user: 'Ask\0before.',
        text: 'The count\0of "vowels" \\u0000 and \\\\ of é€𝄞\0\0 letters.',
      });
      expect(lab.checkIntegrity()).toEqual([]);
      lab.deleteRun('old-fixed');
      await lab.takeOutDeleted();
      expect(lab.searchRecords(null, 'vowels')).toEqual({ rollouts: [], reviews: [] });
      expect(lab.checkIntegrity()).toEqual([]);
      lab.close();
    }));

  it('make no backup of a new lab', () =>
    inTempFolder(async (folder) => {
      (await open(folder)).close();
      expect(existsSync(join(folder, 'backups'))).toBe(false);
    }));

  it('that fail leave the lab as it was', () =>
    inTempFolder(async (folder) => {
      placeFixture(folder, 2);
      const file = join(folder, DATABASE_FILE);
      const db = new SqliteDatabase(file);
      db.pragma('foreign_keys = OFF');
      db.exec('DELETE FROM steps WHERE step = 2');
      db.close();
      const failure = await failureOf(() => open(folder));
      expect(failure.kind).toBe('migration');
      const after = new SqliteDatabase(file, { readonly: true });
      expect(after.pragma('user_version', { simple: true })).toBe(2);
      expect(after.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'evaluations'`).get()).toBeUndefined();
      after.close();
    }));

  it('are not made by a program that only reads', () =>
    inTempFolder(async (folder) => {
      placeFixture(folder, 1);
      const before = readFileSync(join(folder, DATABASE_FILE));
      expect((await failureOf(() => open(folder, true))).kind).toBe('olderSchema');
      expect(readFileSync(join(folder, DATABASE_FILE)).equals(before)).toBe(true);
    }));
});
