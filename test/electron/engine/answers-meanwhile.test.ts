import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRouter, type Engine } from '../../../electron/engine/index.ts';
import { exported, openEngine } from '../../support/engine.ts';
import { longestSilence } from '../../support/stillness.ts';
import { fillRun } from '../store/support/in-lab.ts';
import { storeEvaluation } from '../store/support/stored-evaluation.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

/** Processor time in milliseconds for which the engine may answer nothing, whatever else the machine does. */
const STILL_MS = 100;
const ANSWERS = 4000;
const LONG = 'An answer of some length. '.repeat(200);

let base: string;
let folder: string;
let engine: Engine;
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'anchor-meanwhile-'));
  folder = join(base, 'lab');
  engine = await openEngine(folder);
  fillRun(engine.store, 'a', 12, 40);
  storeEvaluation(engine.store, {
    id: 'asked',
    runId: 'a',
    step: 1,
    passed: Array.from({ length: ANSWERS }, (_, n) => n % 3 === 0),
    texts: Array.from({ length: ANSWERS }, () => LONG),
  });
});
afterAll(async () => {
  await engine.close();
  rmSync(base, { recursive: true, force: true });
});

const verbs = () => createRouter(engine).createCaller({});
const begun = (target: string) => verbs().evaluations.exportItems({ id: 'asked', format: 'inspect', target });

describe('an engine answers other verbs while', () => {
  it('the answers of an evaluation are exported, and a run', async () => {
    const target = join(base, 'asked.json');
    const { busyMs, result } = await longestSilence(async () => {
      const { id } = await begun(target);
      expect((await exported(engine, 'a', join(base, 'run'), [])).steps).toBe(12);
      return engine.jobs.ended(id);
    });
    expect(result).toMatchObject({ state: 'done', unit: 'answer', done: ANSWERS, total: ANSWERS });
    expect(statSync(target).size).toBeGreaterThan(ANSWERS * LONG.length);
    expect(busyMs).toBeLessThan(STILL_MS);
  });

  it('an export is cancelled, which leaves nothing, and one is killed, whose half goes when the lab is opened', async () => {
    const cancelled = join(base, 'cancelled.json');
    const { id } = await begun(cancelled);
    await vi.waitFor(() => expect(existsSync(`${cancelled}.partial`)).toBe(true), {
      interval: 1,
      timeout: 60_000,
    });
    await expect(begun(cancelled)).rejects.toThrow('Another export is writing the file');
    engine.jobs.cancel(id);
    expect(await engine.jobs.ended(id)).toMatchObject({ state: 'cancelled' });
    expect([cancelled, `${cancelled}.partial`].filter((path) => existsSync(path))).toEqual([]);

    await engine.close();
    const killed = join(base, 'killed.csv');
    const script = join(import.meta.dirname, 'export-and-die.ts');
    expect(spawnSync(process.execPath, [script, folder, killed]).signal).toBe('SIGKILL');
    expect(existsSync(`${killed}.partial`)).toBe(true);
    engine = await openEngine(folder);
    expect([killed, `${killed}.partial`].filter((path) => existsSync(path))).toEqual([]);
    await vi.waitFor(() => expect(existsSync(join(folder, 'unfinished'))).toBe(false), { timeout: 60_000 });
  });

  it('a run is deleted, beside which it stores', async () => {
    const { busyMs } = await longestSilence(async () => {
      await verbs().runs.delete({ runId: 'a' });
      const { id } = engine.jobs.list().find(({ kind }) => kind === 'run-deletion')!;
      for (let n = 0; engine.jobs.list().some((job) => job.id === id && job.state === 'running'); n += 1) {
        engine.store.setSetting('app.x', n);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      expect(await engine.jobs.ended(id)).toMatchObject({ state: 'done', unit: 'record', problem: null });
    });
    expect(busyMs).toBeLessThan(STILL_MS);
    expect(engine.store.runsBeingDeleted()).toEqual([]);
    expect(engine.store.checkIntegrity()).toEqual([]);
  });
});
