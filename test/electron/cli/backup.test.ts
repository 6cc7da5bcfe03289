import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StepCommit } from '../../../electron/contract/index.ts';
import { filesOfRun } from '../../../electron/library/index.ts';
import { DATABASE_FILE, openLab } from '../../../electron/store/index.ts';
import { makeCommit, makeConfig, makeInitial, steadyClock } from '../store/support/make-records.ts';
import { callAnchor } from './call-anchor.ts';

const scratch = mkdtempSync(join(tmpdir(), 'anchor-backup-'));
const lab = join(scratch, 'lab');
const weightsOf = (step: number): string =>
  join(filesOfRun(join(lab, 'runs/a')).checkpoint(step), 'model.safetensors');

/** Writes a checkpoint's weights and tells them as a step does. */
function weights(step: number) {
  const bytes = Buffer.alloc(1000, step);
  mkdirSync(join(weightsOf(step), '..'), { recursive: true });
  writeFileSync(weightsOf(step), bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { weightsSha256: sha256, bytes: 1000, files: [{ path: 'model.safetensors', bytes: 1000, sha256 }] };
}

beforeAll(async () => {
  const store = await openLab(lab, { now: steadyClock() });
  store.createRun({ id: 'a', config: { ...makeConfig('first'), steps: 5 }, folder: 'runs/a' });
  const initial = makeInitial();
  store.putInitial('a', {
    ...initial,
    checkpoints: initial.checkpoints.map((one) => ({ ...one, ...weights(0) })),
  });
  for (const number of [1, 2]) {
    const commit = makeCommit(number);
    const made = weights(number);
    const step = { ...commit.step, weightsSha256: made.weightsSha256 };
    const stored: StepCommit = { ...commit, step, checkpoint: { ...commit.checkpoint!, ...made } };
    store.commitStep('a', stored);
  }
  for (const state of ['setting-up', 'stepping', 'paused'] as const) store.setRunState('a', state, null);
  store.close();
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const anchor = (...args: string[]) => callAnchor(...args, '--lab', lab);
const backups = (): string[] => readdirSync(join(lab, 'backups')).sort();

describe('anchor backup', () => {
  it('makes a copy with what unfinished runs go on from, as second names of the same files', async () => {
    const { code, stdout } = await anchor('backup');
    expect(code).toBe(0);
    const [files, database] = backups() as [string, string];
    expect(stdout).toContain(`Made the backup ${database} (`);
    expect(database.replace('.sqlite', '.files')).toBe(files);
    for (const step of [0, 2])
      expect(statSync(weightsOf(step)).ino).toBe(
        statSync(join(lab, 'backups', files, weightsOf(step).slice(lab.length))).ino,
      );
    expect(existsSync(join(lab, 'backups', files, weightsOf(1).slice(lab.length)))).toBe(false);
    const rescued = join(lab, 'backups', '2026-01-01T00-00-00.000Z-rescued.sqlite');
    writeFileSync(rescued, '');
    const listed = (await anchor('backup', '--list')).stdout;
    expect(listed).toContain(database);
    expect(listed).toMatch(/-rescued\.sqlite .* saved when the database was taken away/);
    rmSync(rescued);
    expect((await anchor('check', database)).stdout).toMatch(/is sound.* 2 files[^]*2 of 5 steps: can go on/);
  });

  it('brings a whole lab elsewhere, which opens there and is sound', async () => {
    const whole = join(scratch, 'whole');
    const { stdout } = await anchor('backup', '--to', whole);
    expect(stdout).toMatch(
      /^Copied 1 run with 2 steps and 3 files to .*\n {2}a "first", 2 of 5 steps: can go on\./,
    );
    expect((await callAnchor('check', '--lab', whole)).stdout).toMatch(/is sound.* 3 files/);
    expect(await callAnchor('runs', '--lab', whole)).toMatchObject({ code: 0 });
    // A copy of the copy, although the lab it came from is elsewhere.
    const again = await anchor('restore', whole, '--to', join(scratch, 'again'), '--needed-only');
    expect(again.stdout).toMatch(/^Restored 1 run with 2 steps and 2 files/);
    expect(await anchor('backup', '--to', whole)).toMatchObject({ code: 2, stdout: '' });
    expect(backups()).toHaveLength(2);
  });

  it('is restored although the lab let go of the files; without them it says what is missing', async () => {
    const [, name] = backups() as [string, string];
    const kept = readFileSync(weightsOf(2));
    rmSync(weightsOf(2));
    expect((await anchor('check')).stdout).toMatch(
      /is damaged:\n {2}files: .*step-00002\/model.safetensors is missing/,
    );
    const restored = await anchor('restore', name, '--to', join(scratch, 'restored'));
    expect(restored.stdout).toContain('can go on');
    rmSync(join(lab, 'backups', name.replace('.sqlite', '.files')), { recursive: true });
    const stuck = await anchor('restore', name, '--to', join(scratch, 'stuck'));
    expect(stuck).toMatchObject({ code: 0 });
    expect(stuck.stdout).toMatch(
      /cannot go on, since runs\/a\/checkpoints\/step-00002\/model.safetensors is missing or not as it was stored/,
    );
    writeFileSync(weightsOf(2), kept);
  });

  it('keeps a schedule and removes what it is told to', async () => {
    expect((await anchor('backup', '--every', '12', '--keep', '4')).stdout).toMatch(
      /every 12 h .* 4 of these/,
    );
    expect((await anchor('backup', '--keep', '2')).stdout).toMatch(/every 12 h .* 2 of these/);
    expect((await anchor('backup', '--every', 'never')).stdout).toMatch(/only when asked for/);
    expect(await anchor('backup', '--every', '1.5')).toMatchObject({ code: 2 });
    expect(await anchor('backup', '--list', '--keep', '2')).toMatchObject({ code: 2, stdout: '' });
    expect(await anchor('backup', '--remove', '../lab.sqlite')).toMatchObject({ code: 2 });
    expect(await anchor('backup', '--remove', backups()[0]!)).toMatchObject({ code: 0 });
    expect(backups()).toEqual([]);
  });
});

describe('anchor check', () => {
  it('tells a flipped bit in a checkpoint, in a record and in a page, and changes nothing', async () => {
    const flip = (path: string, at: number): void => {
      const bytes = readFileSync(path);
      bytes[at]! ^= 1;
      writeFileSync(path, bytes);
    };
    flip(weightsOf(1), 77);
    const file = await anchor('check');
    expect(file).toMatchObject({ code: 1 });
    expect(file.stdout).toMatch(
      /step-00001\/model.safetensors is not as it was stored\.\n {2}a "first".*can go on/,
    );
    flip(weightsOf(1), 77);
    expect(await anchor('check')).toMatchObject({ code: 0 });

    const database = join(lab, DATABASE_FILE);
    const sound = readFileSync(database);
    const at = sound.indexOf('"skipped-trace"');
    flip(database, at > 0 ? at + 3 : 5000);
    const record = await anchor('check');
    expect(record).toMatchObject({ code: 1 });
    expect(record.stdout).toMatch(/is damaged:/);
    writeFileSync(
      database,
      Buffer.concat([sound.subarray(0, 8192), Buffer.alloc(4096, 0xff), sound.subarray(12288)]),
    );
    const page = await anchor('check');
    expect(page).toMatchObject({ code: 1 });
    expect(page.stdout + page.stderr).toMatch(/damaged|malformed/);
    writeFileSync(database, sound);
    expect(await anchor('check')).toMatchObject({ code: 0 });
  });

  it('of nothing says that there is nothing', async () => {
    const missing = await anchor('check', '/nowhere');
    expect(missing).toMatchObject({ code: 2, stdout: '' });
    expect(missing.stderr).toBe('anchor: There is no lab or backup at /nowhere; name its folder or file.\n');
  });

  it('misses nothing of a run whose deletion was cut off', async () => {
    const store = await openLab(lab, { now: steadyClock() });
    store.deleteRun('a');
    store.close();
    rmSync(join(lab, 'runs/a'), { recursive: true });
    expect(await anchor('check')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is sound') as unknown,
    });
  });
});
