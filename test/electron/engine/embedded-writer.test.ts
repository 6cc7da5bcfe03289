import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { runConfigSchema, type RunConfig } from '../../../electron/contract/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { NOTHING_TO_COMPARE } from '../../../electron/supervision/index.ts';
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
    steps: 2,
    framework: { name: 'azr', batchSize: 2, estimateSamples: 1, taskTypes: ['deduction'] },
    generation: { maxNewTokens: 64 },
    supervision: {
      ...PRESETS.demo.supervision,
      phases: { task: 1, plan: 1, thought: 1, output: 1, exec: 1 },
      summaryScope: 'all',
      summary: 'model',
      merge: 'model',
    },
  });

it('the embedded supervisor words summaries and context by itself, stops in between and comes to the same hash', async () => {
  const { engine } = lab;
  const { store } = engine;
  const straight = engine.startRun(config('straight'));
  expect((await engine.waitFor(straight.id)).state).toBe('done');
  const wordings = store.listWordings(straight.id, 1);
  expect(wordings.length).toBeGreaterThan(0);
  expect(wordings.every(({ model }) => /^embedded-writer [0-9a-f]{12}$/.test(model))).toBe(true);
  // The second step stands under lines in the writer's words, each with the reviews it rests on.
  const [line] = store.getContext(straight.id, 2)?.lines ?? [];
  expect(line).toMatchObject({ worded: { wording: 'model' } });
  expect(line?.reviewIds.length).toBeGreaterThan(0);
  expect(store.getContext(straight.id, 2)?.text).toContain(line?.text);

  const { id } = engine.startRun(config('stopped'));
  const stopListening = engine.onProgress((event) => {
    if (event.runId === id && event.step === 1 && event.stage === 'summaries') engine.stop(id);
  });
  expect(await engine.waitFor(id)).toMatchObject({ state: 'interrupted', committedSteps: 0 });
  stopListening();
  engine.resume(id);
  expect((await engine.waitFor(id)).state).toBe('done');
  const hash = (run: string): string | undefined => store.listSteps(run).at(-1)?.stepHash;
  expect(hash(id)).toBe(hash(straight.id));
});

it('the embedded supervisor is asked of plans that have a program, and finds none unlike a program where there is none', async () => {
  const { engine } = lab;
  const { id } = engine.startRun({
    ...config('plans'),
    steps: 1,
    rewardedPrompts: { ...config('plans').rewardedPrompts, share: 0.6 },
  });
  expect((await engine.waitFor(id)).state).toBe('done');
  const plans = engine.store.listReviews(id, 1).filter(({ phase }) => phase === 'plan');
  const [rated, own] = [true, false].map((isRated) =>
    plans.filter(({ batch }) => /request|memory/.test(batch) === isRated),
  ) as [typeof plans, typeof plans];
  expect(rated.length).toBeGreaterThan(3);
  expect(rated.flatMap(({ issues }) => issues)).toEqual([]);
  expect(rated.map(({ decision, feedback }) => [decision, feedback])).toEqual(
    rated.map(() => [null, NOTHING_TO_COMPARE]),
  );
  expect(own.some(({ prompt }) => prompt !== '')).toBe(true);
});
