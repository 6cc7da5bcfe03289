import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { APP_VERSION, runConfigSchema } from '../../../electron/contract/index.ts';
import { thisProgram } from '../../../electron/core/index.ts';
import { noteUnfinished } from '../../../electron/library/index.ts';
import { whatIsRedone } from '../../../electron/engine/runs/run-queue.ts';
import { makeCommit, makeInitial } from '../store/support/make-records.ts';
import { makeLab, openEngine, type Lab } from './in-engine.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let lab: Lab;
const checkpoint = (step: number): string => lab.engine.lab.run('runs/a').checkpoint(step);
beforeAll(async () => {
  lab = await makeLab();
  const { store } = lab.engine;
  store.createRun({ id: 'a', config: runConfigSchema.parse({ name: 'kept run' }), folder: 'runs/a' });
  store.setRunState('a', 'setting-up', null);
  store.putInitial('a', makeInitial());
  store.setRunState('a', 'stepping', null);
  for (let step = 1; step <= 4; step += 1) store.commitStep('a', makeCommit(step));
  store.setRunState('a', 'paused', null);
  for (let step = 0; step <= 4; step += 1) {
    mkdirSync(checkpoint(step), { recursive: true });
    writeFileSync(join(checkpoint(step), 'model.safetensors'), Buffer.alloc(1000, step));
  }
  mkdirSync(join(lab.folder, 'runs/a/spool'), { recursive: true });
  writeFileSync(join(lab.folder, 'runs/a/spool/rest'), 'left over');
});
afterAll(() => lab.remove());

describe('a backup', () => {
  it('is made while the lab is open, listed, and found sound', async () => {
    expect(await lab.ended(await lab.verbs.lab.backUp())).toMatchObject({ state: 'done', unit: 'page' });
    const [file] = await lab.verbs.lab.backups();
    expect(file).toMatchObject({ why: 'asked' });
    const job = await lab.verbs.lab.checkBackup({ name: file?.name ?? '' });
    await lab.ended(job);
    expect(await lab.verbs.lab.backupReport({ jobId: job.id })).toMatchObject({
      runs: 1,
      steps: 4,
      name: file?.name,
    });
  });

  it('that was damaged is told so, and no path leads out of the backups folder', async () => {
    const [file] = await lab.verbs.lab.backups();
    const bytes = readFileSync(join(lab.folder, 'backups', file?.name ?? ''));
    bytes.fill(0xff, 8192, 16384);
    writeFileSync(join(lab.folder, 'backups/damaged.sqlite'), bytes);
    expect((await lab.ended(await lab.verbs.lab.checkBackup({ name: 'damaged.sqlite' }))).state).toBe(
      'failed',
    );
    await expect(lab.verbs.lab.checkBackup({ name: '../lab.sqlite' })).rejects.toThrow(/no backup/);
  });

  it('is made of a database that was deleted under the program, and is found sound', async () => {
    const own = await makeLab();
    rmSync(join(own.folder, 'lab.sqlite'));
    expect(await own.ended(await own.verbs.lab.backUp())).toMatchObject({ state: 'done', problem: null });
    const [file] = await own.verbs.lab.backups();
    expect(await own.ended(await own.verbs.lab.checkBackup({ name: file?.name ?? '' }))).toMatchObject({
      state: 'done',
    });
    await own.remove();
  });
});

describe('a restore', () => {
  const newest = async (): Promise<string> =>
    (await lab.verbs.lab.backups()).find(({ why }) => why === 'asked')?.name ?? '';

  it('makes a lab of its own that opens with everything, and the open one stays as it is', async () => {
    const to = join(lab.scratch, 'restored');
    const before = readdirSync(lab.folder).sort();
    const job = await lab.verbs.lab.restore({ from: await newest(), to, withRuns: true });
    expect(await lab.ended(job)).toMatchObject({ state: 'done', problem: null });
    expect(await lab.verbs.lab.restoreReport({ jobId: job.id })).toMatchObject({
      folder: to,
      runs: 1,
      steps: 4,
      runFiles: 5,
    });
    expect(readdirSync(lab.folder).sort()).toEqual(before);
    const restored = await openEngine(to);
    expect(restored.store.getRun('a')).toMatchObject({ state: 'paused', committedSteps: 4 });
    expect(restored.store.checkIntegrity()).toEqual([]);
    expect(readFileSync(join(restored.lab.run('runs/a').checkpoint(3), 'model.safetensors'))).toEqual(
      Buffer.alloc(1000, 3),
    );
    expect(existsSync(join(to, 'runs/a/spool'))).toBe(false);
    await restored.close();
  });

  it('refuses a place that holds something, the open lab, a file that is no lab, and a damaged backup, and leaves nothing', async () => {
    const from = await newest();
    mkdirSync(join(lab.scratch, 'full'));
    writeFileSync(join(lab.scratch, 'full/x'), '');
    await expect(
      lab.verbs.lab.restore({ from, to: join(lab.scratch, 'full'), withRuns: false }),
    ).rejects.toThrow(/not empty/);
    await expect(
      lab.verbs.lab.restore({ from, to: join(lab.folder, 'inside'), withRuns: false }),
    ).rejects.toThrow(/open lab/);
    writeFileSync(
      join(lab.scratch, 'text.sqlite'),
      'just text, no database, and long enough to have a header of a hundred bytes, which it does not really have at all',
    );
    const target = join(lab.scratch, 'never');
    for (const bad of [join(lab.scratch, 'text.sqlite'), join(lab.folder, 'backups/damaged.sqlite')]) {
      expect(
        (await lab.ended(await lab.verbs.lab.restore({ from: bad, to: target, withRuns: false }))).state,
      ).toBe('failed');
    }
    expect(readdirSync(lab.scratch).filter((name) => name.startsWith('never'))).toEqual([]);
  });

  it('that is cancelled leaves nothing', async () => {
    const target = join(lab.scratch, 'cancelled');
    const job = await lab.verbs.lab.restore({ from: await newest(), to: target, withRuns: true });
    await lab.verbs.jobs.cancel({ id: job.id });
    expect((await lab.ended(job)).state).toBe('cancelled');
    expect(readdirSync(lab.scratch).filter((name) => name.startsWith('cancelled'))).toEqual([]);
  });
});

describe('another version of the program', () => {
  it('is told by each step, and said before a run goes on', () => {
    const { store } = lab.engine;
    expect(store.programsOf('a')).toEqual([thisProgram()]);
    const run = store.requireRun('a');
    expect(whatIsRedone(run, store)).not.toContain('Anchor Lab');
    const earlier = { ...store, programsOf: () => [null, '0.0.9', APP_VERSION, thisProgram()] };
    expect(whatIsRedone(run, earlier)).toContain(
      `Steps of it were taken by another Anchor Lab (an earlier version, 0.0.9, ${APP_VERSION}; this is ${thisProgram()}), so its result may be that of neither.`,
    );
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'));
    expect(APP_VERSION).toBe(version);
  });
});

describe('storage', () => {
  it('tells what each run takes and what can go', async () => {
    mkdirSync(join(lab.folder, 'test-sets', 'one'), { recursive: true });
    writeFileSync(join(lab.folder, 'test-sets', 'one', 'rows.jsonl'), 'x'.repeat(700));
    expect((await lab.verbs.lab.storage()).sample).toBe(0);
    mkdirSync(join(lab.folder, 'sample', 'runs'), { recursive: true });
    writeFileSync(join(lab.folder, 'sample', 'lab.sqlite'), 'x'.repeat(300));
    writeFileSync(join(lab.folder, 'sample', 'runs', 'trace'), 'x'.repeat(20));
    const { runs, database, backups, free, testSets, sample } = await lab.verbs.lab.storage();
    rmSync(join(lab.folder, 'sample'), { recursive: true });
    expect([testSets, sample]).toEqual([700, 320]);
    expect(runs).toEqual([
      expect.objectContaining({
        id: 'a',
        checkpoints: { count: 5, bytes: 5000 },
        droppable: { count: 3, bytes: 3000 },
      }),
    ]);
    expect(database).toBeGreaterThan(0);
    const listed = await lab.verbs.lab.backups();
    expect(backups).toBe(listed.reduce((sum, { bytes }) => sum + bytes, 0));
    expect(backups).toBeGreaterThan(0);
    expect(free).toBeGreaterThan(0);
  });

  it('counts every byte of a lab somewhere, and what is unfinished once, inside of it or not', async () => {
    const before = await lab.verbs.lab.storage();
    const outside = join(lab.scratch, 'away/export.partial');
    const forget = noteUnfinished(lab.folder, outside, join(lab.folder, 'exports/b.partial'));
    const put = (path: string, bytes: number): void => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, 'x'.repeat(bytes));
    };
    put(join(outside, 'metrics.csv'), 1000);
    const { store } = lab.engine;
    store.createRun({ id: 'gone', config: store.requireRun('a').config, folder: 'runs/gone' });
    store.deleteRun('gone');
    const places = {
      'exports/a/metrics.csv': 1,
      'exports/b.partial/metrics.csv': 20,
      'evidence/one.json': 300,
      'audits/one.csv': 4000,
      'logs/grader-of-before.log': 50_000,
      'models/.mine.tmp/weights': 60_000,
      'test-sets/.import-1-0/rows': 700_000,
      'expected/answers.json': 800_000,
      'runs/nobody/trace': 90_000,
      'runs/gone/trace': 2_000_000,
    };
    for (const [place, bytes] of Object.entries(places)) put(join(lab.folder, place), bytes);
    const after = await lab.verbs.lab.storage();
    forget();
    await store.takeOutDeleted();
    for (const path of [outside, ...Object.keys(places).map((place) => join(lab.folder, place))])
      rmSync(path, { recursive: true });
    const grown = (part: 'exports' | 'evidence' | 'logs' | 'unfinished' | 'copies' | 'testSets' | 'other') =>
      after[part] - before[part];
    expect({
      exports: grown('exports'),
      evidence: grown('evidence'),
      logs: grown('logs'),
      unfinished: grown('unfinished'),
      copies: grown('copies'),
      testSets: grown('testSets'),
    }).toEqual({
      exports: 1,
      evidence: 4300,
      logs: 50_000,
      unfinished: 2_761_020,
      copies: 0,
      testSets: 0,
    });
    // And the note itself.
    expect(grown('other') - 890_000).toBeLessThan(1000);
    expect(grown('other')).toBeGreaterThanOrEqual(890_000);
  });

  it('lets checkpoints go but for the first, the newest and those a person asked to keep, and the database knows', async () => {
    lab.engine.store.appendEvent('a', 'checkpoint.kept', { step: 2 });
    expect(await lab.verbs.lab.dropCheckpoints({ runId: 'a' })).toBe(2);
    expect(lab.engine.store.listCheckpoints('a').map(({ step }) => step)).toEqual([0, 2, 4]);
    expect([0, 1, 2, 3, 4].filter((step) => existsSync(checkpoint(step)))).toEqual([0, 2, 4]);
    expect(lab.engine.store.checkIntegrity()).toEqual([]);
    // As after a crash between the word to the database and the deletion.
    mkdirSync(checkpoint(3));
    expect(await lab.verbs.lab.dropCheckpoints({ runId: 'a' })).toBe(0);
    expect(existsSync(checkpoint(3))).toBe(false);
  });
});

describe('preferences', () => {
  it('are kept in the lab; what is not known falls back', async () => {
    expect(await lab.verbs.lab.preferences()).toMatchObject({ theme: 'auto', textSize: 'normal' });
    await lab.verbs.lab.setPreferences({
      theme: 'dark',
      textSize: 'large',
      motion: 'reduced',
      marks: 'strong',
      language: 'en',
    });
    expect(await lab.verbs.lab.preferences()).toMatchObject({ theme: 'dark', textSize: 'large' });
    // Two of one moment, as a window asks for them before it has read the first again: both count.
    await Promise.all([
      lab.verbs.lab.setPreferences({ theme: 'light' }),
      lab.verbs.lab.setPreferences({ marks: 'normal' }),
    ]);
    expect(await lab.verbs.lab.preferences()).toMatchObject({
      theme: 'light',
      textSize: 'large',
      marks: 'normal',
    });
    await Promise.all([
      lab.verbs.lab.setBackupSchedule({ everyHours: 168 }),
      lab.verbs.lab.setBackupSchedule({ keep: 5 }),
    ]);
    expect(await lab.verbs.lab.backupSchedule()).toEqual({ everyHours: 168, keep: 5 });
    lab.engine.store.setSetting('app.preferences', {
      theme: 'sepia',
      textSize: 'large',
      motion: 'system',
      marks: 'normal',
      language: 'tlh',
    });
    expect(await lab.verbs.lab.preferences()).toMatchObject({
      theme: 'auto',
      textSize: 'large',
      language: 'en',
    });
  });
});

describe('the choice of Python', () => {
  it('is kept only for an interpreter that answers, and is told with what is in use', async () => {
    const { inUse, chosen } = await lab.verbs.lab.python();
    expect(chosen).toBeNull();
    await expect(lab.verbs.lab.setPython({ path: '/nowhere/python' })).rejects.toThrow(
      /does not run \(ENOENT\)/,
    );
    await expect(lab.verbs.lab.setPython({ path: 'python3' })).rejects.toThrow(/full one/);
    await expect(lab.verbs.lab.setPython({ path: process.execPath })).rejects.toThrow(
      /cannot be used as Python/,
    );
    await lab.verbs.lab.setPython({ path: inUse });
    expect(await lab.verbs.lab.python()).toMatchObject({ inUse, chosen: inUse });
    await lab.verbs.lab.setPython({ path: null });
    expect((await lab.verbs.lab.python()).chosen).toBeNull();
  });
});

describe('the graphics cards', () => {
  it('are asked of the driver where no run is at work', async () => {
    const folder = join(lab.folder, 'driver');
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'nvidia-smi'),
      '#!/bin/sh\necho "0, GPU-11, Tesla K80, 5, 1, 11441, 40, 50, 149, N/A, 0x0"\n',
      {
        mode: 0o755,
      },
    );
    vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
    try {
      expect(await lab.verbs.lab.graphicsCards()).toMatchObject({
        cards: [{ index: 0, name: 'Tesla K80', memoryTotal: 11441 * 1024 * 1024 }],
        problem: null,
      });
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
