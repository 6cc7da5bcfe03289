// @module-tag full
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createRouter, type Engine } from '../../../electron/engine/index.ts';
import { openEngine } from '../../support/engine.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), 'anchor-demo-to-its-end-'));
let engine: Engine;
beforeAll(async () => {
  engine = await openEngine(folder);
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

it('a demo that the window starts trains both runs to their end and asks both the same questions there', async () => {
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
});
