import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DATABASE_FILE, openLab } from '../../../electron/store/index.ts';
import { openEngine } from '../../support/engine.ts';
import { longestSilence } from '../../support/stillness.ts';
import { fillLab } from './support/big-lab.ts';
import { startChild } from './support/children.ts';
import { failureOf } from './support/failures.ts';
import { inTempFolder, makeConfig, steadyClock } from './support/make-records.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Of processor time; what a person notices begins far above. */
const HELD_MS = 50;

let made: string;
beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'anchor-deletion-'));
  await fillLab(made, ['a', 'b'], 4);
});
afterAll(() => rmSync(made, { recursive: true, force: true }));

const inCopy = (use: (folder: string) => Promise<void>): Promise<void> =>
  inTempFolder(async (folder) => {
    cpSync(made, folder, { recursive: true });
    await use(folder);
  });

/** Rows of each table that are a run's, those with any. */
function rowsOf(folder: string, run: string): Record<string, number> {
  const db = new SqliteDatabase(join(folder, DATABASE_FILE), { readonly: true });
  try {
    const tables = db
      .prepare<[], { name: string }>(
        `SELECT t.name FROM pragma_table_list t, pragma_table_info(t.name) c WHERE t.type = 'table' AND c.name = 'run_id' AND t.name <> 'events'`,
      )
      .all();
    return Object.fromEntries(
      tables
        .map(({ name }): [string, number] => [
          name,
          db.prepare<[string], { n: number }>(`SELECT count(*) AS n FROM ${name} WHERE run_id = ?`).get(run)
            ?.n ?? 0,
        ])
        .filter(([, n]) => n > 0),
    );
  } finally {
    db.close();
  }
}

describe('the deletion of a run', () => {
  it('goes beside the lab, whose thread it holds for less than 50 ms at once, and nothing of the run is shown meanwhile', () =>
    inCopy(async (folder) => {
      const lab = await openLab(folder, { now: steadyClock() });
      const told: { done: number; total: number }[] = [];
      const { busyMs } = await longestSilence(async () => {
        lab.deleteRun('a');
        const gone = lab.takeOutDeleted({ onProgress: (progress) => told.push(progress) });
        await vi.waitFor(() => expect(told.length).toBeGreaterThan(3), { interval: 1, timeout: 60_000 });
        expect(rowsOf(folder, 'a')).not.toEqual({});
        expect(lab.getRun('a')).toBeNull();
        expect(lab.allRuns().map(({ id }) => id)).toEqual(['b']);
        expect(lab.getRunRow('a')).toBeNull();
        expect(lab.searchRecords(null, 'value').rollouts.every(({ runId }) => runId === 'b')).toBe(true);
        expect(await failureOf(() => lab.deleteRun('a'))).toMatchObject({ kind: 'unknownRun' });
        const again = { id: 'a', config: makeConfig('a'), folder: 'runs/a' };
        expect(await failureOf(() => lab.createRun(again))).toMatchObject({ kind: 'runExists' });
        lab.setSetting('app.x', 1);
        await gone;
      });
      expect(told.length).toBeGreaterThan(10);
      expect(told.at(-1)).toEqual({ done: told[0]?.total, total: told[0]?.total });
      expect(told.every(({ done, total }) => done <= total)).toBe(true);
      expect(busyMs).toBeLessThan(HELD_MS);
      expect(rowsOf(folder, 'a')).toEqual({});
      expect(lab.listEvents('a').filter(({ kind }) => kind === 'run.deleted')).toHaveLength(1);
      expect(lab.checkIntegrity()).toEqual([]);
      lab.close();
    }));

  it('stops when it is cancelled, and where nothing may be written any more, and the rest goes the next time', () =>
    inCopy(async (folder) => {
      const lab = await openLab(folder, { now: steadyClock() });
      lab.deleteRun('a');
      const stop = new AbortController();
      const stopped = lab.takeOutDeleted({
        signal: stop.signal,
        onProgress: ({ done }) => done > 0 && stop.abort(new Error('enough')),
      });
      await expect(stopped).rejects.toThrow('enough');
      expect(lab.runsBeingDeleted()).toHaveLength(1);
      const file = join(folder, DATABASE_FILE);
      const replaced = lab.takeOutDeleted({
        onProgress: ({ done }) => done > 0 && existsSync(file) && renameSync(file, `${file}.away`),
      });
      await expect(replaced).rejects.toThrow('was deleted or replaced while it was in use');
      expect(lab.runsBeingDeleted()).toHaveLength(1);
      lab.close();
      renameSync(`${file}.away`, file);
      const again = await openLab(folder, { now: steadyClock() });
      await again.takeOutDeleted();
      expect(again.checkIntegrity()).toEqual([]);
      again.close();
      expect(rowsOf(folder, 'a')).toEqual({});
    }));

  it('waits for a backup that is just made, which would have to begin anew', () =>
    inCopy(async (folder) => {
      const lab = await openLab(folder, { now: steadyClock() });
      lab.deleteRun('a');
      const copied: number[] = [];
      const backup = lab.backup(join(folder, 'copy.sqlite'), {
        onPages: (done) => (copied.push(done), 50),
      });
      await lab.takeOutDeleted({ onProgress: ({ done }) => done > 0 && copied.push(Infinity) });
      await backup;
      expect(copied).toEqual(copied.toSorted((a, b) => a - b));
      lab.close();
    }));

  it('that was cut off by kill -9 at any piece is sound, stays a deletion, and is finished by the next engine', () =>
    inCopy(async (folder) => {
      const child = startChild('delete-run.ts', [folder]);
      await child.line(/^piece 4$/);
      child.process.kill('SIGKILL');
      await child.ended;
      const lab = await openLab(folder, { now: steadyClock() });
      expect(lab.runsBeingDeleted()).toEqual([{ id: 'a', folder: 'runs/a' }]);
      expect(lab.getRun('a')).toBeNull();
      expect(lab.checkIntegrity()).toEqual([]);
      lab.close();
      const engine = await openEngine(folder);
      const job = engine.jobs.list().find(({ kind }) => kind === 'run-deletion');
      expect(await engine.jobs.ended(job!.id)).toMatchObject({ state: 'done' });
      expect(rowsOf(folder, 'a')).toEqual({});
      expect(engine.store.checkIntegrity()).toEqual([]);
      await setImmediate();
      await engine.close();
    }));
});
