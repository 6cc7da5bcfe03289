import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { runConfigSchema, type ProgressEvent, type RunConfig } from '../../../electron/contract/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { callAnchor } from '../cli/call-anchor.ts';
import { makeLab, type Lab } from './in-engine.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';

useWarmTrainer();
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

let lab: Lab;
beforeAll(async () => {
  lab = await makeLab();
});
afterAll(() => lab.remove());

const config = (name: string): RunConfig =>
  runConfigSchema.parse({
    ...PRESETS.demo,
    name,
    steps: 1,
    policy: { promptPack: 'compact', maxConcurrent: 4 },
    framework: {
      name: 'azr',
      batchSize: 1,
      estimateSamples: 1,
      taskTypes: ['deduction'],
      seeds: 'own',
      ownSeeds: { count: 8 },
    },
    generation: { maxNewTokens: 96 },
    rewardedPrompts: { share: 0 },
    supervision: { reviewer: 'rubric' },
  });

it('a run whose policy writes its first tasks goes on with them after a stop, to the hash of one that was not stopped', async () => {
  const straight = lab.engine.startRun(config('straight'));
  expect((await lab.engine.waitFor(straight.id)).state).toBe('done');
  const tasks = lab.engine.store
    .tasksOfStep(straight.id, 0)
    .filter(({ taskType }) => taskType === 'deduction');
  expect(tasks).toHaveLength(8);
  expect(new Set(tasks.map(({ origin }) => origin))).toEqual(new Set(['own-seed']));

  const { id } = lab.engine.startRun(config('stopped'));
  const told: ProgressEvent[] = [];
  const stopListening = lab.engine.onProgress((event) => {
    if (event.runId !== id || event.stage !== 'seeds') return;
    told.push(event);
    // After the first round is stored: in the middle of the second one.
    if (event.done > 1) lab.engine.stop(id);
  });
  const stopped = await lab.engine.waitFor(id);
  stopListening();
  expect(stopped).toMatchObject({
    state: 'interrupted',
    reason: 'Stopped while the policy wrote its first tasks; resuming goes on with those that are stored.',
  });
  expect(told[0]).toMatchObject({ done: 1, total: 8, unit: 'task' });
  const { asked } = lab.engine.store.countSeedAttempts(id);
  expect(asked).toBeGreaterThan(0);
  const before = lab.engine.store.listSeedAttempts(id);
  expect(lab.engine.resume(id).redo).toContain(`after the ${asked} texts that are stored`);
  expect((await lab.engine.waitFor(id)).state).toBe('done');

  expect(lab.engine.store.listSeedAttempts(id).slice(0, asked)).toEqual(before);
  expect(lab.engine.store.listSeedAttempts(id)).toEqual(lab.engine.store.listSeedAttempts(straight.id));
  const hash = (run: string): string | undefined => lab.engine.store.listSteps(run).at(-1)?.stepHash;
  expect(hash(id)).toBe(hash(straight.id));
});

it('a run whose policy writes no usable tasks says why on lines of their own, and a line break in what was typed is none', async () => {
  const file = join(lab.scratch, 'useless.json');
  // No program fits into so few tokens.
  writeFileSync(file, JSON.stringify({ ...config('useless'), generation: { maxNewTokens: 4 } }));
  const place = join(lab.scratch, 'another');
  const { code, stderr } = await callAnchor('--lab', place, 'run', '--config', file);
  expect(code).toBe(2);
  const lines = stderr.trimEnd().split('\n');
  const at = lines.findIndex((line) => line.startsWith('anchor: Of '));
  expect(lines.slice(at)).toEqual([
    expect.stringMatching(
      /^anchor: Of 3\d texts that the policy wrote .* in framework\.ownSeeds\.leastUsable\.$/,
    ),
    expect.stringMatching(/^Reasons: \d+ × /),
    expect.stringMatching(/^Examples: \(/),
    expect.stringMatching(/^What to change in a new run: policy\.promptPack, now compact; /),
  ]);
  const { stderr: refused } = await callAnchor('--lab', place, 'show', 'use\nless');
  expect(refused).toMatch(/^anchor: .*"use\\u\{a\}less"[^\n]*\n$/);
});
