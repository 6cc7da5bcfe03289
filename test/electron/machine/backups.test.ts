import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Jobs } from '../../../electron/engine/jobs.ts';
import { Removals } from '../../../electron/library/index.ts';
import { Backups } from '../../../electron/machine/index.ts';
import { openLab, type Lab } from '../../../electron/store/index.ts';

const HOUR_MS = 3_600_000;
const root = mkdtempSync(join(tmpdir(), 'anchor-schedule-'));
const folder = join(root, 'backups');
let nowMs = Date.parse('2026-03-01T00:00:00Z');
const clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs };
let store: Lab;
let jobs: Jobs;
let backups: Backups;
let removals: Removals;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  store = await openLab(root, { now: clock.now });
  jobs = new Jobs(() => {}, clock);
  removals = new Removals();
  backups = new Backups({ store, lab: { root }, clock, jobs, emit: () => {}, removals }).start();
});
afterEach(() => {
  backups.stop();
  store.close();
  vi.useRealTimers();
  rmSync(root, { recursive: true, force: true });
});

/** Lets hours go by, as an open lab sees them, and waits for what was begun meanwhile. */
async function pass(hours: number): Promise<void> {
  nowMs += hours * HOUR_MS;
  vi.advanceTimersToNextTimer();
  await Promise.all(jobs.list().map(({ id }) => jobs.ended(id)));
}
const made = (): string[] => readdirSync(folder).sort();

it('backs the lab up when it is due and something was stored since, and keeps the newest', async () => {
  backups.setSchedule({ everyHours: 6, keep: 2 });
  store.appendEvent(null, 'test.first', {});
  await pass(5);
  expect(jobs.list()).toEqual([]);
  await pass(1);
  expect(made()).toEqual(['2026-03-01T06-00-00.000Z-scheduled.sqlite']);
  // Nothing new: another copy would say the same.
  await pass(7);
  expect(made()).toHaveLength(1);
  for (const number of [1, 2, 3]) {
    store.appendEvent(null, 'test.later', { number });
    await pass(6);
  }
  expect(made()).toEqual([
    '2026-03-02T01-00-00.000Z-scheduled.sqlite',
    '2026-03-02T07-00-00.000Z-scheduled.sqlite',
  ]);
  await backups.list().then((list) => expect(list.map(({ why }) => why)).toEqual(['scheduled', 'scheduled']));

  // What a person asked for is theirs, and counts as the newest.
  store.appendEvent(null, 'test.later', {});
  await jobs.ended(backups.make().id);
  await pass(1);
  expect(made()).toHaveLength(3);
  backups.setSchedule({ everyHours: null, keep: 2 });
  store.appendEvent(null, 'test.later', {});
  await pass(1000);
  expect(made()).toHaveLength(3);
});

it('ends nothing where it cannot be kept, and tries again an hour later', async () => {
  backups.setSchedule({ everyHours: 1, keep: 2 });
  store.appendEvent(null, 'test.first', {});
  vi.spyOn(store, 'backup').mockRejectedValueOnce(new Error('the disk failed'));
  await pass(1);
  expect(jobs.list().map(({ state }) => state)).toEqual(['failed']);
  await pass(0.5);
  expect(jobs.list()).toHaveLength(1);
  await pass(0.5);
  expect(made()).toHaveLength(1);
  store.setSetting('app.backups', 'nonsense');
  await pass(3);
  expect(made()).toHaveLength(1);
});

it('says why it cannot be kept where the folder is a link to a disk that is not there, and is kept once it is', async () => {
  const disk = `${root}-disk`;
  symlinkSync(disk, folder);
  backups.setSchedule({ everyHours: 1, keep: 2 });
  store.appendEvent(null, 'test.first', {});
  await pass(1);
  expect(jobs.list().map(({ title, problem }) => [title, problem])).toEqual([
    ['Back up the lab, by schedule', expect.stringContaining(`is a link to ${disk}, where no folder is now`)],
  ]);
  mkdirSync(disk);
  await pass(1);
  expect(readdirSync(disk)).toHaveLength(1);
  rmSync(disk, { recursive: true });
});

it('clears away at the start what a program left that ended while it made one', async () => {
  backups.stop();
  mkdirSync(join(folder, 'a.files.tmp/runs'), { recursive: true });
  mkdirSync(join(folder, 'gone.files/runs'), { recursive: true });
  mkdirSync(join(folder, 'kept.files/runs'), { recursive: true });
  for (const name of ['a.sqlite.tmp', 'a.sqlite.tmp-journal', 'kept.sqlite', 'note.txt'])
    writeFileSync(join(folder, name), '');
  backups.start();
  await removals.close();
  expect(made()).toEqual(['kept.files', 'kept.sqlite', 'note.txt']);
});
