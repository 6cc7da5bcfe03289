import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, expect, it, vi } from 'vitest';
import { DATABASE_FILE } from '../../electron/store/index.ts';
import { damageIndex } from '../electron/store/support/damage-index.ts';
import { openEngine } from '../support/engine.ts';
import { copyPreparedLab } from '../support/prepared-lab.ts';
import { useWarmTrainer } from '../support/warm-trainer.ts';
import { anchor, query } from './anchor-cli.ts';

vi.setConfig({ testTimeout: 300_000 });

const scratch = mkdtempSync(join(tmpdir(), 'anchor-salvaged-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** One letter of an answer of the step, as a failing disk changes it. */
function rot(file: string, runId: string, step: number): void {
  const db = new SqliteDatabase(file);
  db.prepare(
    `UPDATE rollout_texts SET text = text || '?' WHERE key = (SELECT max(key) FROM rollouts WHERE run_id = ? AND step = ?)`,
  ).run(runId, step);
  db.close();
}

it('a run of a damaged lab is taken over up to the damage, goes on, and ends in the hashes it had', async () => {
  const made = await copyPreparedLab(join(scratch, 'lab'));
  const file = join(made.folder, DATABASE_FILE);
  const hashesOf = (lab: string): string[] =>
    query<{ hash: string }>(
      lab,
      'SELECT step_hash AS hash FROM steps WHERE run_id = ? ORDER BY step',
      made.supervised,
    ).map(({ hash }) => hash);
  const undisturbed = hashesOf(made.folder);
  rot(file, made.supervised, 2);
  damageIndex(file);
  const salvaged = join(scratch, 'salvaged');

  const plain = anchor(join(scratch, 'other'), ['restore', made.folder, '--to', salvaged]);
  expect(plain.code).toBe(1);
  expect(plain.stderr).toContain('is damaged');
  const { code, stdout } = anchor(made.folder, ['restore', made.folder, '--to', salvaged, '--salvage']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Salvaged 3 runs with \d+ steps/);
  expect(stdout).toContain(
    `Run "${made.supervised}": step 2 could not be taken over from the damaged lab, so it stands at step 1.`,
  );
  expect(stdout).toContain(`${made.supervised} "supervised, small", 1 of 2 steps: can go on.`);
  expect(hashesOf(salvaged)).toEqual(undisturbed.slice(0, 1));

  useWarmTrainer();
  const engine = await openEngine(salvaged, 1);
  try {
    expect(engine.store.checkIntegrity()).toEqual([]);
    expect(engine.store.requireRun(made.supervised)).toMatchObject({
      state: 'interrupted',
      committedSteps: 1,
    });
    engine.resume(made.supervised);
    expect((await engine.waitFor(made.supervised)).state).toBe('done');
    expect(engine.store.checkIntegrity()).toEqual([]);
  } finally {
    await engine.close();
  }
  expect(hashesOf(salvaged)).toEqual(undisturbed);
});
