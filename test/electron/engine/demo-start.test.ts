import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runConfigSchema } from '../../../electron/contract/index.ts';
import { createRouter, type Engine } from '../../../electron/engine/index.ts';
import { openEngine } from '../../support/engine.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';

useWarmTrainer();
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), 'anchor-demo-start-'));
let engine: Engine;
beforeAll(async () => {
  engine = await openEngine(folder);
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a demo that the window starts', () => {
  it('is two runs and the work that asks both the same questions at their end, which goes on when it was cut off', async () => {
    const { demo } = createRouter(engine).createCaller({});
    const { alone, supervised, job } = await demo.start({ steps: 1, items: 2 });
    const pair = { alone, supervised };
    expect(job).toMatchObject({
      state: 'running',
      title: expect.stringMatching(/the same questions to both$/),
    });
    expect(await demo.pairs()).toHaveLength(1);
    expect(await demo.story(pair)).toMatchObject({ isAsked: false, isAtWork: true });
    engine.jobs.cancel(job.id);
    await engine.jobs.ended(job.id);
    expect(await demo.story(pair)).toMatchObject({ isAsked: false, isAtWork: false });
    const again = await demo.goOn({ ...pair, items: 2 });
    expect(again.title).toBe(job.title);
    engine.jobs.cancel(again.id);
    await engine.jobs.ended(again.id);
  });

  it(
    'trains both runs to their end and asks both the same questions there',
    { tags: ['full'], timeout: 600_000 },
    async () => {
      const { demo } = createRouter(engine).createCaller({});
      const { alone, supervised, job } = await demo.start({ steps: 2, items: 2 });
      expect(await engine.jobs.ended(job.id)).toMatchObject({ state: 'done' });
      expect(await demo.story({ alone, supervised })).toMatchObject({ isAsked: true, isAtWork: false });
      const asked = (runId: string): string[] =>
        engine.store
          .listEvaluations({ runId })
          .filter(({ step }) => step === 2)
          .map(({ suite, n }) => `${suite} ${n}`)
          .sort();
      for (const runId of [alone, supervised]) expect(engine.store.getRun(runId)?.committedSteps).toBe(2);
      expect(asked(alone)).toContain('toy-refusal 2');
      // Under its context too, which the run alone has none of.
      expect(asked(supervised)).toEqual(expect.arrayContaining(asked(alone)));
    },
  );

  it('is nothing that runs of a framework without one have, in one sentence', async () => {
    const { demo } = createRouter(engine).createCaller({});
    const framework = { name: 'fixed-tasks' as const };
    const config = runConfigSchema.parse({ name: 'practised', framework });
    engine.store.createRun({ id: 'practised', config, folder: 'runs/practised' });
    const pair = { alone: 'practised', supervised: 'practised' };
    const sentence =
      'Run "practised" is of the framework fixed-tasks, which has no demo; choose two runs of azr or rzero.';
    await expect(demo.story(pair)).rejects.toThrow(sentence);
    await expect(demo.goOn(pair)).rejects.toThrow(sentence);
  });
});
