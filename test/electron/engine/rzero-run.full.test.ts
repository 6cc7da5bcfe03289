// @module-tag full
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RunConfig } from '../../../electron/contract/index.ts';
import { useScriptedPolicy } from '../../support/scripted-policy/index.ts';
import { questionsRun } from '../../support/scripted-policy/questions-run.ts';
import { anchor, makeLab, query, removeLab, saidBy, startAnchor } from '../../e2e/anchor-cli.ts';
import { makeLab as openLab, type Lab } from './in-engine.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

let lab: Lab;
const restore = useScriptedPolicy();
beforeAll(async () => {
  lab = await openLab();
});
afterAll(async () => {
  await lab.remove();
  restore();
});
const taken = async (one: RunConfig) => {
  const { id } = lab.engine.startRun(one);
  const { state, reason } = await lab.engine.waitFor(id);
  return { id, state, reason, steps: lab.engine.store.listSteps(id) };
};

describe('a run of challenger and solver', () => {
  it('goes through its stages with weights of each role that move in its own, and repeats to the bit', async () => {
    const first = await taken(questionsRun('first'));
    expect(first.reason).toBeNull();
    expect(first.steps.map(({ stage, role }) => [stage, role])).toEqual([
      ['challenge', 'challenger'],
      ['pose', null],
      ['label', null],
      ['solve', 'solver'],
      ['solve', 'solver'],
    ]);
    const checkpoints = lab.engine.store.listCheckpoints(first.id);
    expect(checkpoints.map(({ step, role, version }) => [step, role, version])).toEqual([
      [0, 'challenger', 0],
      [0, 'solver', 0],
      [1, 'challenger', 1],
      [4, 'solver', 1],
      [5, 'solver', 2],
    ]);
    expect(new Set(checkpoints.map(({ weightsSha256 }) => weightsSha256)).size).toBe(4);
    const again = await taken(questionsRun('again'));
    expect(again.steps.map(({ stepHash }) => stepHash)).toEqual(first.steps.map(({ stepHash }) => stepHash));
  });
});

/** Committed steps, by place; none while the lab is being made. */
function hashesOf(folder: string): unknown[] {
  try {
    return query(folder, 'SELECT step, stage, step_hash AS hash FROM steps ORDER BY step');
  } catch {
    return [];
  }
}

describe('a run of challenger and solver that is killed', () => {
  it('ends in the undisturbed hashes wherever it was struck, and takes no step twice', async () => {
    const [folder, straight] = [makeLab(), makeLab()] as const;
    try {
      const settings = questionsRun('struck');
      const file = join(straight, 'run.json');
      writeFileSync(file, JSON.stringify(settings));
      const whole = anchor(straight, ['run', '--config', file]);
      expect(whole.code, whole.stderr).toBe(0);
      const struckIn: number[] = [];
      // After each of the first four steps, at a moment of the next one: of G, L and S, and of C before the first.
      for (const after of [0, 1, 2, 3, 4]) {
        const [run] = after === 0 ? [] : query<{ id: string }>(folder, 'SELECT id FROM runs');
        const child = startAnchor(folder, run === undefined ? ['run', '--config', file] : ['resume', run.id]);
        const ended = new Promise((resolve) => child.once('close', resolve));
        const isWriting = (): boolean =>
          query<{ n: number }>(folder, "SELECT count(*) AS n FROM events WHERE kind = 'trainer.memory'")[0]!
            .n > 0;
        await vi.waitFor(
          () => {
            expect(hashesOf(folder).length, saidBy(folder)).toBeGreaterThanOrEqual(after);
            if (after === 0) expect(isWriting()).toBe(true);
          },
          { timeout: 250_000, interval: 10 },
        );
        const moment = Math.random() * 900;
        await new Promise((resolve) => {
          setTimeout(resolve, moment);
        });
        child.kill('SIGKILL');
        await ended;
        struckIn.push(hashesOf(folder).length + 1);
        if (hashesOf(folder).length === settings.steps) break;
      }
      const [{ id }] = query<{ id: string }>(folder, 'SELECT id FROM runs') as [{ id: string }];
      const { code, stderr } = anchor(folder, ['resume', id]);
      expect(code === 0 || stderr.includes('is done'), stderr).toBe(true);
      expect(hashesOf(folder), `struck in steps ${struckIn.join(', ')}`).toEqual(hashesOf(straight));
    } finally {
      [folder, straight].forEach(removeLab);
    }
  });
});
