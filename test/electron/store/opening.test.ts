import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { DATABASE_FILE, labHolder, openLab } from '../../../electron/store/index.ts';
import { SCHEMA_VERSION } from '../../../electron/store/migrations/index.ts';
import { applyPragmas } from '../../../electron/store/opening/database-file.ts';
import { execute, readEach, sql } from '../../../electron/store/sql.ts';
import { startChild } from './support/children.ts';
import { failureOf } from './support/failures.ts';
import { inTempFolder, makeCommit, makeConfig, makeInitial, steadyClock } from './support/make-records.ts';

const open = (folder: string, readonly = false) => openLab(folder, { now: steadyClock(), readonly });

/** Root may write everywhere, so only a mount can refuse it. */
const IS_ROOT = process.getuid?.() === 0;

function changeBytes(file: string, at: number, bytes: number[]): void {
  const content = readFileSync(file);
  Buffer.from(bytes).copy(content, at);
  writeFileSync(file, content);
}

describe('opening a lab', () => {
  it('makes the folder and the database, and finds them again', () =>
    inTempFolder(async (root) => {
      const folder = join(root, 'a b', 'läb');
      const first = await open(folder);
      first.createRun({ id: 'a', config: makeConfig(), folder: 'runs/a' });
      first.close();
      const second = await open(folder);
      expect(second.opened).toEqual({
        uncleanExit: false,
        interruptedRuns: [],
        unknownRuns: [],
        lostSteps: [],
        strangeLog: null,
      });
      expect(second.getRun('a')?.config).toEqual(makeConfig());
      second.close();
    }));

  it('sets every pragma that makes a stored step safe', () =>
    inTempFolder((folder) => {
      const db = new SqliteDatabase(join(folder, 'x.sqlite'));
      applyPragmas(db, false);
      const read = (name: string): unknown => db.pragma(name, { simple: true });
      expect(
        [
          'journal_mode',
          'synchronous',
          'foreign_keys',
          'trusted_schema',
          'cell_size_check',
          'recursive_triggers',
          'busy_timeout',
          'journal_size_limit',
          'temp_store',
        ].map(read),
      ).toEqual(['wal', 2, 1, 0, 1, 1, 5000, 67108864, 2]);
      db.close();
    }));

  it('refuses storage on which a pragma does not hold', () => {
    const db = new SqliteDatabase(':memory:');
    expect(() => applyPragmas(db, false)).toThrow(
      /^SQLite keeps \w+ at \w+ instead of \w+ for :memory:, so steps would not be safe there/,
    );
    db.close();
  });

  it('refuses a second writer with one sentence that names the process', () =>
    inTempFolder(async (folder) => {
      const child = startChild('open-and-hold.ts', [folder]);
      await child.line(/^open$/);
      const failure = await failureOf(() => open(folder));
      expect(failure.kind).toBe('labLocked');
      expect(failure.message).toMatch(
        new RegExp(
          `^Process ${child.process.pid} \\(since .*\\) has the lab .* open; close it, or choose another lab folder\\.$`,
        ),
      );
      expect(labHolder(folder)?.pid).toBe(child.process.pid);
      child.process.kill('SIGKILL');
      await child.ended;
    }));

  it('refuses a second writer in the same process', () =>
    inTempFolder(async (folder) => {
      const lab = await open(folder);
      const failure = await failureOf(() => open(folder));
      expect(failure.message).toContain(`Process ${process.pid} `);
      lab.close();
      expect(labHolder(folder)).toBeNull();
    }));

  it('takes over the lock of a program that was killed', () =>
    inTempFolder(async (folder) => {
      const child = startChild('open-and-hold.ts', [folder]);
      await child.line(/^open$/);
      child.process.kill('SIGKILL');
      await child.ended;
      expect(labHolder(folder)).toBeNull();
      const lab = await open(folder);
      expect(lab.opened.uncleanExit).toBe(true);
      lab.close();
    }));

  it('lets exactly one of several programs that start together have the lab', () =>
    inTempFolder(async (folder) => {
      (await open(folder)).close();
      const children = Array.from({ length: 4 }, () => startChild('commit-steps.ts', [folder, '400']));
      await Promise.all(children.map((child) => child.line(/^(ack 1|failed .*)$/)));
      const first = children.map((child) => child.lines[0]);
      for (const child of children) child.process.kill('SIGKILL');
      await Promise.all(children.map((child) => child.ended));
      expect(first.filter((line) => line === 'ack 1')).toHaveLength(1);
      expect(first.filter((line) => line === 'failed labLocked')).toHaveLength(3);
    }));

  it('marks runs that were at work when their program ended as interrupted, and says what resuming repeats', () =>
    inTempFolder(async (folder) => {
      const lab = await open(folder);
      for (const id of ['stepping', 'waiting']) lab.createRun({ id, config: makeConfig(), folder: id });
      lab.setRunState('stepping', 'setting-up', null);
      lab.setRunState('stepping', 'stepping', null);
      lab.close();
      const again = await open(folder);
      expect(again.opened.interruptedRuns).toEqual(['stepping']);
      expect(again.getRun('stepping')).toMatchObject({
        state: 'interrupted',
        reason: 'The program ended during step 1; resuming repeats that step.',
      });
      expect(again.getRun('waiting')?.state).toBe('queued');
      again.close();
    }));

  it('reads beside a writer and sees what it stores', () =>
    inTempFolder(async (folder) => {
      const writer = await open(folder);
      const reader = await open(folder, true);
      expect(reader.getRun('a')).toBeNull();
      writer.createRun({ id: 'a', config: makeConfig(), folder: 'runs/a' });
      writer.putInitial('a', makeInitial());
      writer.commitStep('a', makeCommit(1));
      expect(reader.getRun('a')?.committedSteps).toBe(1);
      expect((await failureOf(() => reader.setRunState('a', 'failed', null))).kind).toBe('readOnly');
      reader.close();
      writer.close();
    }));

  it('says to a verb that is still under way when the lab is closed that it was closed', () =>
    inTempFolder(async (folder) => {
      const lab = await open(folder);
      lab.createRun({ id: 'a', config: makeConfig(), folder: 'runs/a' });
      lab.putInitial('a', makeInitial());
      lab.getRun('a');
      lab.close();
      const db = new SqliteDatabase(':memory:');
      db.close();
      for (const late of [
        () => lab.getRun('a'),
        () => lab.programsOf('a'),
        () => lab.setSetting('app.x', '1'),
        () => lab.commitStep('a', makeCommit(1)),
        () => execute(db, sql`DELETE FROM steps`),
        () => [...readEach(db, { what: 'number', read: Number }, sql`SELECT 1`)],
      ]) {
        const failure = await failureOf(late);
        expect(failure.kind).toBe('stopped');
        expect(failure.message).toBe(
          'The lab was closed meanwhile; what was stored before is kept. Open it again, and ask again.',
        );
      }
    }));

  it('says that there is no lab to read', () =>
    inTempFolder(async (folder) => {
      expect(await failureOf(() => open(folder, true))).toMatchObject({ kind: 'noLab', exitCode: 2 });
    }));

  it('refuses a lab of a later version and leaves every byte as it was', () =>
    inTempFolder(async (folder) => {
      const lab = await open(folder);
      lab.close();
      const file = join(folder, DATABASE_FILE);
      changeBytes(file, 60, [0, 0, 0, 99]);
      const before = { bytes: readFileSync(file), time: statSync(file).mtimeMs };
      for (const readonly of [false, true]) {
        const failure = await failureOf(() => open(folder, readonly));
        expect(failure).toMatchObject({ kind: 'newerSchema' });
        expect(failure.message).toContain(`schema 99, this one knows ${SCHEMA_VERSION}`);
      }
      expect(readFileSync(file).equals(before.bytes)).toBe(true);
      expect(statSync(file).mtimeMs).toBe(before.time);
    }));

  it('notices a later version also when it lies only in the write-ahead log', () =>
    inTempFolder(async (folder) => {
      const file = join(folder, DATABASE_FILE);
      const child = startChild('open-and-hold.ts', [folder]);
      await child.line(/^open$/);
      const other = new SqliteDatabase(file);
      other.pragma('user_version = 77');
      child.process.kill('SIGKILL');
      await child.ended;
      // Two files as a crash would leave them: copied while the log is still needed.
      const crashed = join(folder, 'crashed');
      mkdirSync(crashed);
      for (const suffix of ['', '-wal'])
        writeFileSync(join(crashed, `${DATABASE_FILE}${suffix}`), readFileSync(`${file}${suffix}`));
      other.close();
      const before = readFileSync(join(crashed, DATABASE_FILE));
      expect(before.readInt32BE(60)).not.toBe(77);
      expect((await failureOf(() => open(crashed))).kind).toBe('newerSchema');
      expect(readFileSync(join(crashed, DATABASE_FILE)).equals(before)).toBe(true);
    }));

  it.each([
    ['text', 'hello, this is not a database at all', 'notALab'],
    ["another program's database", null, 'notALab'],
  ])('refuses %s in place of the database and leaves it alone', (_what, content, kind) =>
    inTempFolder(async (folder) => {
      const file = join(folder, DATABASE_FILE);
      if (content === null) {
        const db = new SqliteDatabase(file);
        db.exec('CREATE TABLE theirs (a)');
        db.close();
      } else writeFileSync(file, content);
      const before = readFileSync(file);
      const failure = await failureOf(() => open(folder));
      expect(failure.kind).toBe(kind);
      expect(failure.message).toMatch(/move it away, or choose another lab folder\.$/);
      expect(readFileSync(file).equals(before)).toBe(true);
    }),
  );

  it('completes a lab whose making was cut off', () =>
    inTempFolder(async (folder) => {
      writeFileSync(join(folder, DATABASE_FILE), '');
      (await open(folder)).close();
      const cutOff = join(folder, 'second');
      mkdirSync(cutOff);
      const db = new SqliteDatabase(join(cutOff, DATABASE_FILE));
      db.pragma('journal_mode = WAL');
      db.close();
      const lab = await open(cutOff);
      expect(lab.checkIntegrity()).toEqual([]);
      lab.close();
    }));

  it('refuses tables altered by another tool', () =>
    inTempFolder(async (folder) => {
      (await open(folder)).close();
      const db = new SqliteDatabase(join(folder, DATABASE_FILE));
      db.exec('DROP TRIGGER events_are_never_deleted');
      db.close();
      expect((await failureOf(() => open(folder))).kind).toBe('alteredSchema');
    }));

  it('refuses a lock file it did not write', () =>
    inTempFolder(async (folder) => {
      writeFileSync(
        join(folder, 'anchor.lock'),
        'somebody else wrote this file, and it is long enough to be looked at'.repeat(20),
      );
      expect((await failureOf(() => open(folder))).kind).toBe('notALab');
    }));

  it('says that the lab folder is a file', () =>
    inTempFolder(async (folder) => {
      writeFileSync(join(folder, 'file'), '');
      expect((await failureOf(() => open(join(folder, 'file')))).kind).toBe('cannotOpen');
    }));

  it('says that a folder is read-only', () =>
    inTempFolder(async (folder) => {
      const target = join(folder, 'fixed');
      mkdirSync(target);
      if (IS_ROOT) execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro,size=1m', 'tmpfs', target]);
      else chmodSync(target, 0o555);
      try {
        const failure = await failureOf(() => open(target));
        expect(failure.kind).toBe('readOnly');
        expect(failure.message).toMatch(/make it writable or choose another one\.$/);
      } finally {
        if (IS_ROOT) execFileSync('umount', [target]);
        else chmodSync(target, 0o755);
      }
    }));
});
