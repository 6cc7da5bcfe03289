import { spawnSync } from 'node:child_process';
import files from 'node:fs/promises';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
  type PathLike,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { Engine } from '../../../electron/engine/index.ts';
import { copyInto, noteUnfinished, removeInTurn } from '../../../electron/library/index.ts';
import { holdFiles } from '../../../electron/machine/backup-files.ts';
import { openEngine } from '../../support/engine.ts';
import { longestSilence } from '../../support/stillness.ts';
import { fillRun } from '../store/support/in-lab.ts';

vi.setConfig({ testTimeout: 300_000 });

const base = mkdtempSync(join(tmpdir(), 'anchor-left-over-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

function fill(folder: string, count: number): void {
  mkdirSync(folder, { recursive: true });
  for (let n = 0; n < count; n += 1) writeFileSync(join(folder, `file-${n}`), 'x');
}

/** Files in each of five places. */
const [SOME, MANY] = [1000, 4000];

/** What programs leave that are killed in the middle of something, by the folder that it lies in. */
const LEFT = {
  models: '.mine.tmp',
  backups: '2026-01-01T00-00-00.000Z-asked.files',
  elsewhere: 'out.partial',
  'runs/a': 'parked',
  'runs/b': 'anchor',
};

/** An import, a backup, an export, a trainer that put weights aside, and the deletion of a run. */
async function leave(lab: string, count: number): Promise<void> {
  const engine = await openEngine(lab);
  fillRun(engine.store, 'b', 1, 4);
  engine.store.deleteRun('b');
  await engine.close();
  for (const [folder, name] of Object.entries(LEFT)) fill(join(lab, folder, name), count);
  noteUnfinished(lab, join(lab, 'elsewhere', LEFT.elsewhere));
}

/** Folders in which something lies still, under whatever name. */
const withRest = (lab: string): string[] =>
  Object.keys(LEFT).filter(
    (folder) => existsSync(join(lab, folder)) && readdirSync(join(lab, folder)).length > 0,
  );

/** Processor milliseconds for which a thread is held that removes as many files at once. */
async function atOnceMs(count: number): Promise<number> {
  const folder = join(base, 'at-once');
  for (const name of Object.keys(LEFT)) fill(join(folder, name), count);
  const { busyMs } = await longestSilence(async () => rmSync(folder, { recursive: true }));
  return busyMs;
}

describe('thousands of files that killed programs left', () => {
  it('are removed while the lab is opened and answers', async () => {
    const lab = join(base, 'lab');
    await leave(lab, MANY);
    let engine!: Engine;
    const full = await longestSilence(async () => {
      engine = await openEngine(lab);
      await vi.waitFor(() => expect(withRest(lab)).toEqual([]), { timeout: 200_000, interval: 100 });
    });
    await engine.close();
    const empty = await longestSilence(async () => (await openEngine(lab)).close());
    // It holds the thread hardly longer than opening a lab without them does, for which it would be held by removing them at once.
    expect((full.busyMs - empty.busyMs) / (await atOnceMs(MANY))).toBeLessThan(0.15);
    expect(existsSync(join(lab, 'unfinished'))).toBe(false);
  });

  it('go when the lab is opened again, where the program is killed that removes them', async () => {
    const lab = join(base, 'killed');
    await leave(lab, SOME);
    for (const folder of ['models', 'elsewhere']) {
      const script = join(import.meta.dirname, 'open-and-die.ts');
      expect(spawnSync(process.execPath, [script, lab, join(lab, folder)]).signal).toBe('SIGKILL');
      expect(withRest(lab)).toContain(folder);
    }
    const engine = await openEngine(lab);
    await vi.waitFor(() => expect(withRest(lab)).toEqual([]), { timeout: 200_000, interval: 100 });
    await vi.waitFor(() => expect(engine.store.runsBeingDeleted()).toEqual([]), { timeout: 60_000 });
    expect(engine.store.checkIntegrity()).toEqual([]);
    await engine.close();
    expect(existsSync(join(lab, 'unfinished'))).toBe(false);
  });
});

// A few milliseconds against a tenth of a second: beside the other files of `npm test` they say nothing.
describe('a copy that begins where a killed program left thousands of files', () => {
  it.each([
    ['of files', '.copy.tmp', (to: string, from: string) => copyInto(to, [{ from, name: 'a' }])],
    ['by second names', 'copy.tmp', (to: string, from: string) => holdFiles(to, [{ from, name: 'a' }])],
  ])('%s does not hold the thread for them', { tags: ['full'] }, async (_, name, copy) => {
    const place = mkdtempSync(join(base, 'copy-'));
    writeFileSync(join(place, 'a'), 'x');
    for (const part of Object.keys(LEFT)) fill(join(place, name, part), MANY);
    const { busyMs } = await longestSilence<unknown>(() => copy(join(place, 'copy'), join(place, 'a')));
    expect(busyMs / (await atOnceMs(MANY))).toBeLessThan(0.3);
    expect(readdirSync(place).toSorted()).toEqual(['a', 'copy']);
    expect(readdirSync(join(place, 'copy'))).toEqual(['a']);
  });
});

describe('a folder is removed', () => {
  it('file by file, until somebody has enough, and the rest the next time', async () => {
    const folder = join(base, 'folder');
    fill(join(folder, 'inner'), SOME);
    const enough = new AbortController();
    const removed = removeInTurn(folder, enough.signal);
    await vi.waitFor(() => expect(readdirSync(join(folder, 'inner')).length).toBeLessThan(SOME), {
      interval: 1,
    });
    enough.abort(new Error('enough'));
    await expect(removed).rejects.toThrow('enough');
    expect(readdirSync(join(folder, 'inner')).length).toBeGreaterThan(0);
    await removeInTurn(folder);
    expect(existsSync(folder)).toBe(false);
    await removeInTurn(folder);
  });

  it('as far as the system lets it, which is told', async () => {
    const folder = join(base, 'kept');
    for (const name of ['a', 'b', 'c']) {
      mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(join(folder, name, 'file'), 'x');
    }
    const { unlink, rm } = files;
    const held = (path: PathLike): boolean => String(path).startsWith(join(folder, 'b'));
    const refuse = (path: PathLike): Promise<void> => Promise.reject(new Error(`${path} is held`));
    vi.spyOn(files, 'unlink').mockImplementation((path) => (held(path) ? refuse : unlink)(path));
    vi.spyOn(files, 'rm').mockImplementation((path, options) =>
      held(path) ? refuse(path) : rm(path, options),
    );
    syncBuiltinESMExports();
    try {
      await expect(removeInTurn(folder)).rejects.toThrow(`${join(folder, 'b/file')} is held`);
    } finally {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    }
    expect(readdirSync(folder)).toEqual(['b']);
  });
});
