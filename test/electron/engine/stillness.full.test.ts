// @module-tag full
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRouter, type Engine } from '../../../electron/engine/index.ts';
import { DATABASE_FILE } from '../../../electron/store/index.ts';
import { exported, findingsOf, openEngine } from '../../support/engine.ts';
import { longestSilence } from '../../support/stillness.ts';
import { fillLab } from '../store/support/big-lab.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

/** Processor time in milliseconds for which the engine may answer nothing; beyond it a window feels stuck. */
const STILL_MS = 250;
/** About 70 MB. */
const STEPS = 100;

let base: string;
let engine: Engine;
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'anchor-stillness-'));
  await fillLab(join(base, 'lab'), ['a'], STEPS);
  // As a program leaves it that was killed.
  const db = new SqliteDatabase(join(base, 'lab', DATABASE_FILE));
  db.exec(`UPDATE settings SET value = 'false' WHERE name = 'clean_exit'`);
  db.close();
  rmSync(join(base, 'lab', `${DATABASE_FILE}.sums`));
  cpSync(join(base, 'lab'), join(base, 'first'), { recursive: true });
  // What is loaded and compiled once is not what is measured.
  await (await openEngine(join(base, 'first'))).close();
});
afterAll(async () => {
  await engine.close();
  rmSync(base, { recursive: true, force: true });
});

describe('the engine of a lab of 20,000 records answers while', () => {
  const still = async (work: () => Promise<unknown>): Promise<void> => {
    const { busyMs } = await longestSilence(work);
    expect(busyMs).toBeLessThan(STILL_MS);
  };
  const verbs = () => createRouter(engine).createCaller({});
  const ended = async ({ id }: { id: string }): Promise<void> =>
    expect(await engine.jobs.ended(id)).toMatchObject({ state: 'done', problem: null });

  it('it is opened and checked after a crash', () =>
    still(async () => {
      engine = await openEngine(join(base, 'lab'));
      const check = engine.jobs.list().find(({ kind }) => kind === 'due-check');
      await ended(check!);
    }));

  it('the doctor compares every record', () =>
    still(async () =>
      expect((await findingsOf(engine)).at(-1)).toMatchObject({ part: 'database', ok: true }),
    ));

  it('a backup is made, verified and checked again', () =>
    still(async () => {
      await ended(await verbs().lab.backUp());
      const [backup] = await verbs().lab.backups();
      await ended(await verbs().lab.checkBackup({ name: backup!.name }));
    }));

  it('a run is exported', () =>
    still(async () => {
      const target = join(base, 'export');
      expect((await exported(engine, 'a', target, [])).steps).toBe(STEPS);
    }));

  it('a run is deleted', () =>
    still(async () => {
      await verbs().runs.delete({ runId: 'a' });
      await ended(engine.jobs.list().find(({ kind }) => kind === 'run-deletion')!);
      expect(engine.store.runsBeingDeleted()).toEqual([]);
    }));
});
