import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it, vi } from 'vitest';
import { runConfigSchema, type Failure } from '../../../electron/contract/index.ts';
import { createRouter } from '../../../electron/engine/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { DATABASE_FILE, openLab } from '../../../electron/store/index.ts';
import { openEngine } from '../../support/engine.ts';
import { callAnchor } from '../cli/call-anchor.ts';
import { longestSilence } from '../../support/stillness.ts';
import { damageIndex } from './support/damage-index.ts';
import { failureOf } from './support/failures.ts';
import { inTempFolder, makeConfig, seededRandom, steadyClock } from './support/make-records.ts';
import { makeWholeLab } from './support/whole-lab.ts';

vi.setConfig({ testTimeout: 120_000 });

const PAGE = 4096;
/** Stored twice, as the setting and in its event: together more than is checked before a lab is opened. */
const PADDING = 'x'.repeat(9_000_000);
const open = (folder: string) => openLab(folder, { now: steadyClock() });

/** A lab too large to be checked or compared at once. */
async function closedLargeLab(folder: string): Promise<string> {
  const lab = await open(folder);
  lab.createRun({ id: 'a', config: makeConfig('a'), folder: 'runs/a' });
  lab.setSetting('app.padding', PADDING);
  lab.setSetting('app.last', 1);
  lab.close();
  return join(folder, DATABASE_FILE);
}

/** The same as a program that was killed leaves it. */
async function uncleanLab(folder: string): Promise<string> {
  const file = await closedLargeLab(folder);
  const db = new SqliteDatabase(file);
  db.exec(`UPDATE settings SET value = 'false' WHERE name = 'clean_exit'`);
  db.close();
  rmSync(`${file}.sums`);
  return file;
}

/** Overwrites the beginning of an index that opening does not read. */
function damage(file: string): void {
  const db = new SqliteDatabase(file, { readonly: true });
  const { page } = db
    .prepare<[], { page: number }>(
      `SELECT rootpage AS page FROM sqlite_schema WHERE name = 'rollouts_by_place'`,
    )
    .get()!;
  db.close();
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(64, 0xff), 0, 64, (page - 1) * PAGE);
  closeSync(descriptor);
}

describe('a large lab whose program ended unexpectedly', () => {
  it('is open at once, and counts as unclean until it was checked', () =>
    inTempFolder(async (folder) => {
      await uncleanLab(folder);
      for (const time of ['first', 'second']) {
        const lab = await open(folder);
        expect([lab.opened.uncleanExit, lab.checkDue()], time).toEqual([true, 'unclosed']);
        lab.close();
      }
      const lab = await open(folder);
      await lab.makeDueCheck();
      expect([lab.checkDue(), lab.damage()]).toEqual([null, null]);
      lab.close();
      const again = await open(folder);
      expect([again.opened.uncleanExit, again.checkDue()]).toEqual([false, null]);
      again.close();
    }));

  it('and is damaged takes nothing more once that was found, and is only read from then on', () =>
    inTempFolder(async (folder) => {
      const file = await uncleanLab(folder);
      damage(file);
      const lab = await open(folder);
      lab.setRunState('a', 'queued', 'Before it was found.');
      const failure = await failureOf(() => lab.makeDueCheck());
      expect(failure).toMatchObject({ kind: 'corrupt' });
      expect(failure.message).toMatch(
        /^The lab .*lab\.sqlite was damaged when its program ended unexpectedly \(.+\), so it can be read at most; make a new lab of what can be read in Settings, or with "anchor restore .* --salvage"\.$/,
      );
      expect(lab.damage()).toBe(failure);
      expect(await failureOf(() => lab.setRunState('a', 'queued', 'After.'))).toBe(failure);
      expect(lab.getRun('a')?.reason).toBe('Before it was found.');
      lab.close();
      const before = readFileSync(file);
      const again = await open(folder);
      expect(again.damage()?.message).toMatch(/was damaged .*--salvage"\.$/);
      expect(again.getRun('a')?.reason).toBe('Before it was found.');
      expect((await failureOf(() => again.setRunState('a', 'queued', 'After.'))).kind).toBe('corrupt');
      again.close();
      expect(readFileSync(file).equals(before)).toBe(true);
      expect(existsSync(`${file}-wal`) && readFileSync(`${file}-wal`).length > 0).toBe(false);
    }));

  it('is only read from the start where its newest events are damaged', () =>
    inTempFolder(async (folder) => {
      const file = await uncleanLab(folder);
      const db = new SqliteDatabase(file);
      const { sql } = db
        .prepare<[], { sql: string }>(
          `SELECT group_concat(sql, ';') AS sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'events'`,
        )
        .get()!;
      for (const name of sql.matchAll(/CREATE TRIGGER (\w+)/g)) db.exec(`DROP TRIGGER ${name[1]}`);
      db.exec(`UPDATE events SET at = '2001-01-01T00:00:00.000Z' WHERE seq = (SELECT max(seq) FROM events)`);
      db.exec(sql);
      db.close();
      const lab = await open(folder);
      expect(lab.damage()?.message).toMatch(/event \d+: its content was changed/);
      expect((await failureOf(() => lab.setRunState('a', 'queued', 'After.'))).kind).toBe('corrupt');
      lab.close();
    }));
});

describe('a lab whose file was changed while it was closed', () => {
  /** Turns one bit of the closed database over; every byte of a small lab can be tried. */
  const flip = (file: string, at: number): void => {
    const bytes = readFileSync(file);
    bytes[at] = (bytes[at] as number) ^ 4;
    writeFileSync(file, bytes);
  };

  it('says so for a changed letter, once it was checked, and works on', () =>
    inTempFolder(async (folder) => {
      await makeWholeLab(folder);
      const file = join(folder, DATABASE_FILE);
      flip(file, readFileSync(file).indexOf('the disk was full'));
      // Closed before the check is through, it is to be checked again.
      for (const time of ['first', 'second']) {
        const lab = await open(folder);
        expect([lab.checkDue(), lab.damage()], time).toEqual(['changed', null]);
        lab.close();
      }
      const lab = await open(folder);
      expect((await failureOf(() => lab.makeDueCheck())).message).toMatch(
        /was damaged while it was closed \(What was stored of run "b" was changed afterwards\)/,
      );
      expect([lab.damage(), lab.finding()?.kind]).toEqual([null, 'corrupt']);
      lab.setSetting('app.theme', 'light');
      lab.close();
      const again = await open(folder);
      expect(again.checkDue()).toBeNull();
      again.close();
    }));

  it('tells damaged records in window and terminal', () =>
    inTempFolder(async (folder) => {
      await makeWholeLab(folder);
      const file = join(folder, DATABASE_FILE);
      const at = readFileSync(file).indexOf('the disk was full');
      flip(file, at);
      const engine = await openEngine(folder);
      const [job] = engine.jobs.list();
      expect(job).toMatchObject({ title: 'Check the lab: its file was changed while it was closed' });
      expect(await engine.jobs.ended(job!.id)).toMatchObject({ state: 'failed' });
      const { damage: said } = await createRouter(engine).createCaller({}).lab.status();
      expect(said).toMatch(
        /\(What was stored of run "b" was changed afterwards\); in a terminal "anchor check" names/,
      );
      await engine.close();
      flip(file, at + 1);
      const { code, stderr } = await callAnchor('--lab', folder, 'doctor');
      expect(stderr).toContain('its file was changed while it was closed; you can work meanwhile.');
      expect(stderr).toContain('was damaged while it was closed');
      expect(code).toBe(1);
    }));

  it('is only read where its pages are damaged, and is as before where a tool has rebuilt it', () =>
    inTempFolder(async (folder) => {
      await makeWholeLab(folder);
      const file = join(folder, DATABASE_FILE);
      const tool = new SqliteDatabase(file);
      tool.exec('VACUUM');
      tool.close();
      const rebuilt = await open(folder);
      expect(rebuilt.checkDue()).toBe('changed');
      await rebuilt.makeDueCheck();
      expect([rebuilt.checkDue(), rebuilt.damage()]).toEqual([null, null]);
      rebuilt.close();
      damage(file);
      const lab = await open(folder);
      expect(lab.damage()?.message).toMatch(/was damaged while it was closed .* can be read at most/);
      lab.close();
    }));

  it('is open at once where it is large, and nothing is written to the file before it was compared', () =>
    inTempFolder(async (folder) => {
      const file = await closedLargeLab(folder);
      const closed = readFileSync(file);
      for (const isFlipped of [false, true]) {
        writeFileSync(file, closed);
        rmSync(`${file}.sums`, { force: true });
        (await open(folder)).close();
        if (isFlipped) flip(file, readFileSync(file).indexOf('xxxx'));
        const found = readFileSync(file);
        const lab = await open(folder);
        lab.setRunState('a', 'queued', 'Before it was compared.');
        lab.setSetting('app.more', PADDING); // a longer log than is put into the file otherwise
        expect(readFileSync(file).equals(found)).toBe(true);
        expect([lab.checkDue(), await lab.compareWithNote(), lab.checkDue()]).toEqual(
          isFlipped ? [null, true, 'changed'] : [null, false, null],
        );
        expect(readFileSync(file).equals(found)).toBe(false);
        lab.close();
        const again = await open(folder);
        expect([await again.compareWithNote(), again.checkDue(), again.getRun('a')?.reason]).toEqual([
          false,
          isFlipped ? 'changed' : null,
          'Before it was compared.',
        ]);
        again.close();
      }
    }));

  it('is compared as it is closed where there was no time for it', () =>
    inTempFolder(async (folder) => {
      const file = await closedLargeLab(folder);
      for (const isFlipped of [false, true]) {
        if (isFlipped) flip(file, readFileSync(file).indexOf('xxxx'));
        const lab = await open(folder);
        const compared = lab.compareWithNote();
        lab.close();
        expect(await compared).toBe(false);
        const again = await open(folder);
        await again.compareWithNote();
        expect(again.checkDue()).toBe(isFlipped ? 'changed' : null);
        again.close();
      }
    }));

  it('is checked as a job of the engine once that was found', () =>
    inTempFolder(async (folder) => {
      const file = await closedLargeLab(folder);
      flip(file, readFileSync(file).indexOf('xxxx'));
      const engine = await openEngine(folder);
      expect(engine.jobs.list()).toEqual([]);
      await vi.waitFor(() => expect(engine.jobs.list()).toHaveLength(1), 10_000);
      const [job] = engine.jobs.list();
      expect(job).toMatchObject({ title: 'Check the lab: its file was changed while it was closed' });
      expect(await engine.jobs.ended(job!.id)).toMatchObject({ state: 'failed' });
      await engine.close();
    }));

  it('is noticed at the next opening, whichever bit it was', () =>
    inTempFolder(async (root) => {
      await makeWholeLab(root);
      const bytes = readFileSync(join(root, DATABASE_FILE));
      const note = readFileSync(join(root, `${DATABASE_FILE}.sums`));
      const random = seededRandom(7);
      for (let tried = 0; tried < 40; tried += 1) {
        const folder = join(root, `flip-${tried}`);
        mkdirSync(folder);
        writeFileSync(join(folder, DATABASE_FILE), bytes);
        writeFileSync(join(folder, `${DATABASE_FILE}.sums`), note);
        // Behind the header, which has its own sentences.
        const at = 100 + Math.floor(random() * (bytes.length - 100));
        flip(join(folder, DATABASE_FILE), at);
        const said = await open(folder).then(
          (lab) => {
            const found = lab.damage()?.message ?? lab.checkDue();
            lab.close();
            return found;
          },
          (error: unknown) => (error as Failure).message,
        );
        expect([at, said]).not.toEqual([at, null]);
        rmSync(folder, { recursive: true });
      }
    }));
});

describe('the engine after a crash', () => {
  it('answers while it checks the lab, as a job', () =>
    inTempFolder(async (folder) => {
      await uncleanLab(folder);
      const { busyMs, result: engine } = await longestSilence(async () => {
        const opened = await openEngine(folder);
        const [job] = opened.jobs.list();
        expect(job).toMatchObject({ kind: 'due-check', state: 'running' });
        expect(opened.jobs.isAsked()).toBe(false);
        expect(await opened.jobs.ended(job!.id)).toMatchObject({ state: 'done', problem: null });
        return opened;
      });
      expect(busyMs).toBeLessThan(1000);
      expect(engine.store.checkDue()).toBeNull();
      await engine.close();
    }));

  it('stops its runs before they store anything once damage is found, and says so everywhere', () =>
    inTempFolder(async (folder) => {
      damage(await uncleanLab(folder));
      const engine = await openEngine(folder);
      const verbs = createRouter(engine).createCaller({});
      expect((await verbs.lab.status()).damage).toBeNull();
      const run = engine.startRun(
        runConfigSchema.parse({
          ...PRESETS.demo,
          steps: 2,
          supervision: { ...PRESETS.demo.supervision, reviewer: 'rubric' },
        }),
      );
      const said = /was damaged when its program ended unexpectedly/;
      const [job] = engine.jobs.list();
      const [ended] = await Promise.all([
        engine.jobs.ended(job!.id),
        expect(engine.waitFor(run.id)).rejects.toThrow(said),
      ]);
      expect(ended).toMatchObject({ state: 'failed', problem: expect.stringMatching(said) });
      expect(engine.store.getRun(run.id)).toMatchObject({ committedSteps: 0 });
      expect((await verbs.lab.status()).damage).toMatch(said);
      expect(engine.activity().atWork).toEqual([]);
      await expect(verbs.runs.start(run.config)).rejects.toThrow(said);
      await engine.close();
    }));

  it('opens a small lab that is damaged for reading: window and terminal show what there is and say so, nothing is written', () =>
    inTempFolder(async (folder) => {
      const first = await open(folder);
      first.createRun({ id: 'a', config: makeConfig('small'), folder: 'runs/a' });
      first.close();
      const file = join(folder, DATABASE_FILE);
      const bytes = damageIndex(file);
      const said = /was damaged when its program ended unexpectedly .* so it can be read at most/;

      const engine = await openEngine(folder);
      const verbs = createRouter(engine).createCaller({});
      expect((await verbs.lab.status()).damage).toMatch(said);
      expect((await verbs.runs.list({})).rows.map(({ id }) => id)).toEqual(['a']);
      await expect(verbs.runs.start({ ...PRESETS.demo })).rejects.toThrow(said);
      await engine.close();
      const { code, stdout, stderr } = await callAnchor('runs', '--lab', folder);
      expect([code, stdout.includes('small')]).toEqual([1, true]);
      expect(stderr).toMatch(said);
      const refused = await callAnchor('run', '--lab', folder, '--set', 'steps=1');
      expect([refused.code, refused.stderr.match(/^anchor: /gm)?.length]).toEqual([1, 1]);
      expect(readFileSync(file).equals(bytes)).toBe(true);
    }));
});
