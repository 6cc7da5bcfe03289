import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { createRouter } from '../../../electron/engine/index.ts';
import { serveLab } from '../../../electron/hosts/index.ts';
import { openEngine } from '../../support/engine.ts';
import { callAnchor } from '../cli/call-anchor.ts';
import { failureOf } from '../store/support/failures.ts';
import { fillUp, smallDisk } from '../store/support/full-disk.ts';
import { fillRun } from '../store/support/in-lab.ts';
import { inTempFolder } from '../store/support/make-records.ts';

const IS_ROOT = process.getuid?.() === 0;

describe('an engine on a full disk', () => {
  it.skipIf(!IS_ROOT)(
    'lets a run be deleted, whose files make the room that its records need to go (needs root to mount a small disk)',
    () =>
      inTempFolder(async (root) => {
        const disk = smallDisk(root, '64m');
        const engine = await openEngine(join(disk, 'lab'));
        try {
          for (const id of ['a', 'b']) fillRun(engine.store, id, 6, 40);
          const weights = join(engine.lab.run('runs/a').root, 'checkpoints/step-6/model.safetensors');
          mkdirSync(dirname(weights), { recursive: true });
          writeFileSync(weights, Buffer.alloc(6 * 2 ** 20));
          fillUp(join(disk, 'ballast'));
          // Without files of its own it makes no room.
          expect((await failureOf(() => engine.deleteRun('b'))).message).toMatch(
            /^The files of run "run b" are deleted, but there is still no room to take its records out; free some space on the disk that holds .* and delete it again\.$/,
          );
          await engine.deleteRun('a');
          expect(existsSync(weights)).toBe(false);
          expect(engine.store.allRuns().map(({ id }) => id)).toEqual(['b']);
          await engine.deleteRun('b');
          const [deletion] = engine.jobs.list();
          expect(await engine.jobs.ended(deletion!.id)).toMatchObject({ state: 'done' });
          expect(engine.store.runsBeingDeleted()).toEqual([]);
          expect(engine.store.checkIntegrity()).toEqual([]);
        } finally {
          await engine.close();
          execFileSync('umount', [disk]);
        }
      }),
    60_000,
  );

  it.skipIf(!IS_ROOT)(
    'keeps nobody from opening the window: lists are answered, writing is refused, and a run that goes makes the room (needs root to mount a small disk)',
    () =>
      inTempFolder(async (root) => {
        const disk = smallDisk(root, '64m');
        const folder = join(disk, 'lab');
        try {
          const before = await openEngine(folder);
          for (const id of ['a', 'b']) fillRun(before.store, id, 2);
          // Its program ended in a step.
          for (const state of ['setting-up', 'stepping'] as const) before.store.setRunState('b', state, null);
          const weights = join(before.lab.run('runs/a').root, 'checkpoints/step-2/model.safetensors');
          await before.close();
          mkdirSync(dirname(weights), { recursive: true });
          writeFileSync(weights, Buffer.alloc(6 * 2 ** 20));
          // The lock names who held it last, another program than this.
          const lock = new SqliteDatabase(join(folder, 'anchor.lock'));
          lock.exec('UPDATE holder SET start_ticks = 1');
          lock.close();
          fillUp(join(disk, 'ballast'));

          const said = `The disk that holds ${folder} is full, so the lab can be read, and runs deleted, but nothing is stored. Free some space and open it again.`;
          for (const line of ['dataset list', 'backup --list']) {
            const listed = await callAnchor(...line.split(' '), '--lab', folder);
            expect(listed).toMatchObject({ code: 0, stderr: `${said}\n` });
            expect(listed.stdout).not.toBe('');
          }
          const engine = await openEngine(folder);
          const host = await serveLab(engine, { port: 0, bundle: null });
          try {
            expect(engine.store.allRuns().map(({ id }) => id)).toEqual(['b', 'a']);
            const cutOff = {
              state: 'interrupted',
              reason: 'The program ended during step 3; resuming repeats that step.',
            };
            expect(engine.store.getRun('b')).toMatchObject(cutOff);
            expect(engine.store.getRunRow('b')).toMatchObject({ state: 'interrupted' });
            expect(engine.store.listRuns({ states: ['stepping'] }).rows).toEqual([]);
            expect((await engine.store.examine()).damage).toEqual([]);
            const { damage } = await createRouter(engine).createCaller({}).lab.status();
            expect(damage).toBe(said);
            expect(() => engine.store.setSetting('app.x', 1)).toThrow(said);
            expect((await failureOf(() => openEngine(folder))).message).toMatch(
              /^Another program has the lab .* open;/,
            );
            expect(await callAnchor('runs', '--lab', folder)).toMatchObject({ code: 0, stderr: '' });
            expect((await failureOf(() => engine.deleteRun('a'))).message).toBe(
              `The files of run "run a" are deleted, which made room. Open the lab ${folder} again and delete the run once more, so that its records go too.`,
            );
            expect(existsSync(weights)).toBe(false);
          } finally {
            await host.close();
            await engine.close();
          }
          const shown = await callAnchor('runs', '--lab', folder, '--json');
          expect(JSON.parse(shown.stdout)).toEqual(
            expect.arrayContaining([expect.objectContaining({ id: 'b', state: 'interrupted' })]),
          );
          const after = await openEngine(folder);
          expect(after.store.damage()).toBeNull();
          await after.deleteRun('a');
          expect(after.store.allRuns().map(({ id }) => id)).toEqual(['b']);
          await after.close();
        } finally {
          execFileSync('umount', [disk]);
        }
      }),
    120_000,
  );
});
