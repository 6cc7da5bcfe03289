import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { MEMORY_PLANNED, runConfigSchema, type RunConfig } from '../../electron/contract/index.ts';
import { PRESETS } from '../../electron/evolution/index.ts';
import { mergeConfigs } from '../../electron/plan/index.ts';
import { useWarmTrainer } from '../support/warm-trainer.ts';
import { anchor, labsOfThisFile, query, saidBy, startAnchor } from './anchor-cli.ts';

useWarmTrainer();
vi.setConfig({ testTimeout: 600_000 });

const STEPS = 6;
/** One iteration of the embedded models: C, C, G, L, S, S. */
const runWith = (offload: RunConfig['policy']['offload']): RunConfig =>
  runConfigSchema.parse(
    mergeConfigs(PRESETS['rzero-demo'], {
      name: 'offload',
      steps: STEPS,
      policy: { offload },
      framework: {
        name: 'rzero',
        challenge: { steps: 2, prompts: 2, samples: 4 },
        vote: { samples: 3 },
        pose: { questions: 16, perStep: 16 },
        label: { samples: 4, window: [0.2, 0.9], widenTimes: 3 },
        solve: { steps: 2, prompts: 4, samples: 3 },
      },
      supervision: { phases: { task: 0, plan: 0, thought: 0, output: 0, exec: 0 }, merge: 'guidance' },
      checkpoints: { keepEvery: 1 },
    }),
  );

const lab = labsOfThisFile();
const fileOf = (folder: string, offload: RunConfig['policy']['offload']): string => {
  const file = join(folder, 'run.json');
  writeFileSync(file, JSON.stringify(runWith(offload)));
  return file;
};
const taken = new Map<string, string>();
/** The lab of a whole run, taken once. */
function whole(offload: 'always' | 'never'): string {
  const known = taken.get(offload);
  if (known !== undefined) return known;
  const folder = lab();
  const { code, stderr } = anchor(folder, ['run', '--config', fileOf(folder, offload)]);
  expect(code, stderr).toBe(0);
  taken.set(offload, folder);
  return folder;
}
const hashesOf = (folder: string): { stage: string; weights: string | null; hash: string }[] =>
  query(folder, 'SELECT stage, weights_sha256 AS weights, step_hash AS hash FROM steps ORDER BY step');
const secondsOf = (folder: string, name: string): number[] =>
  query<{ step: number; value: number }>(
    folder,
    "SELECT step, value FROM metrics WHERE kind = 'timing' AND name = ? ORDER BY step",
    name,
  ).map(({ value }) => value);
const runFolder = (folder: string): string => {
  const runs = join(folder, 'runs');
  return join(runs, readdirSync(runs)[0] as string);
};

describe('roles that take turns in memory', () => {
  it('take the very steps of roles that stay, and what moving them takes is stored with each step', () => {
    const [apart, together] = [whole('always'), whole('never')];
    expect(hashesOf(apart)).toHaveLength(STEPS);
    expect(hashesOf(apart)).toEqual(hashesOf(together));
    expect(secondsOf(together, 'move_weights')).toEqual([]);
    // C asks both roles. G has the challenger in memory from its last update, and S the solver from L.
    const moved = query<{ step: number; stage: string; n: number }>(
      apart,
      `SELECT s.step, s.stage, count(m.step) AS n FROM steps s
         LEFT JOIN metrics m ON m.run_id = s.run_id AND m.step = s.step AND m.kind = 'timing' AND m.name = 'move_weights'
       GROUP BY s.step, s.stage ORDER BY s.step`,
    );
    expect(moved.map(({ stage, n }) => [stage, n])).toEqual([
      ['challenge', 1],
      ['challenge', 1],
      ['pose', 0],
      ['label', 1],
      // Its first update takes the moments and the reference, which no answer needed.
      ['solve', 1],
      ['solve', 0],
    ]);
    const seconds = secondsOf(apart, 'move_weights');
    const [first] = secondsOf(apart, 'step') as [number];
    expect(seconds[0]).toBeGreaterThan(0);
    expect(seconds[0]).toBeLessThan(first);
    const planned = (folder: string): boolean[] =>
      query<{ body: string }>(folder, 'SELECT body FROM events WHERE kind = ?', MEMORY_PLANNED).map(
        ({ body }) => JSON.parse(body).offloads,
      );
    expect(planned(apart)).toEqual([true, true]);
    expect(planned(together)).toEqual([false, false]);
    expect(existsSync(join(runFolder(apart), 'parked'))).toBe(false);
    const { stdout } = anchor(apart, [
      'show',
      query<{ id: string }>(apart, 'SELECT id FROM runs')[0]!.id,
      '--step',
      '1',
    ]);
    expect(stdout).toMatch(
      /Roles took turns in memory: [\d.]+ s of the step \([\d.]+ %\) went by moving them\./,
    );
  });

  it(
    'end in the same hashes after kill -9 while one of them is parked, and leave nothing behind',
    { tags: ['full'] },
    async () => {
      const folder = lab();
      const child = startAnchor(folder, ['run', '--config', fileOf(folder, 'always')]);
      const ended = new Promise((resolve) => child.once('close', resolve));
      await vi.waitFor(() => expect(hashesOf(folder).length, saidBy(folder)).toBeGreaterThanOrEqual(4), {
        timeout: 400_000,
        interval: 20,
      });
      const parked = join(runFolder(folder), 'parked');
      // Looked at before: a trainer that outlives its engine for a moment clears the folder as it ends.
      expect(readdirSync(parked)).toContain('challenger-moments.safetensors');
      child.kill('SIGKILL');
      await ended;
      const left = hashesOf(folder).length;
      expect(left).toBeLessThan(STEPS);
      const id = query<{ id: string }>(folder, 'SELECT id FROM runs')[0]!.id;
      const { code, stderr } = anchor(folder, ['resume', id]);
      expect(code, stderr).toBe(0);
      expect(hashesOf(folder)).toEqual(hashesOf(whole('never')));
      expect(existsSync(parked)).toBe(false);
    },
  );
});
