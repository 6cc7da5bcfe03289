import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { runConfigSchema, type ProgressEvent, type RunConfig } from '../../../electron/contract/index.ts';
import type { Engine } from '../../../electron/engine/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { openEngine } from '../../support/engine.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';

useWarmTrainer();
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const lab = mkdtempSync(join(tmpdir(), 'anchor-own-seeds-'));
let engine: Engine;
beforeAll(async () => {
  engine = await openEngine(lab);
});
afterAll(async () => {
  await engine.close();
  rmSync(lab, { recursive: true, force: true });
});

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
  const straight = engine.startRun(config('straight'));
  expect((await engine.waitFor(straight.id)).state).toBe('done');
  const tasks = engine.store.tasksOfStep(straight.id, 0).filter(({ taskType }) => taskType === 'deduction');
  expect(tasks).toHaveLength(8);
  expect(new Set(tasks.map(({ origin }) => origin))).toEqual(new Set(['own-seed']));

  const { id } = engine.startRun(config('stopped'));
  const told: ProgressEvent[] = [];
  const stopListening = engine.onProgress((event) => {
    if (event.runId !== id || event.stage !== 'seeds') return;
    told.push(event);
    // After the first round is stored: in the middle of the second one.
    if (event.done > 1) engine.stop(id);
  });
  const stopped = await engine.waitFor(id);
  stopListening();
  expect(stopped).toMatchObject({
    state: 'interrupted',
    reason: 'Stopped while the policy wrote its first tasks; resuming goes on with those that are stored.',
  });
  expect(told[0]).toMatchObject({ done: 1, total: 8, unit: 'task' });
  const { asked } = engine.store.countSeedAttempts(id);
  expect(asked).toBeGreaterThan(0);
  const before = engine.store.listSeedAttempts(id);
  expect(engine.resume(id).redo).toContain(`after the ${asked} texts that are stored`);
  expect((await engine.waitFor(id)).state).toBe('done');

  expect(engine.store.listSeedAttempts(id).slice(0, asked)).toEqual(before);
  expect(engine.store.listSeedAttempts(id)).toEqual(engine.store.listSeedAttempts(straight.id));
  const hash = (run: string): string | undefined => engine.store.listSteps(run).at(-1)?.stepHash;
  expect(hash(id)).toBe(hash(straight.id));
});
