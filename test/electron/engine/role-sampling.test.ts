import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  MISMATCH_OUTSIDE,
  MISMATCH_SIZES,
  mismatchMetric,
  runConfigSchema,
  type GenerationConfig,
} from '../../../electron/contract/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { makeLab, type Lab } from './in-engine.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';

useWarmTrainer();
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

let lab: Lab;
beforeAll(async () => {
  lab = await makeLab();
});
afterAll(() => lab.remove());

/** What one step of a run wrote, by who was asked, and its metrics. */
async function stepOf(name: string, generation: Partial<GenerationConfig>) {
  const { id } = lab.engine.startRun(
    runConfigSchema.parse({
      ...PRESETS.demo,
      name,
      steps: 1,
      framework: { name: 'azr', batchSize: 2, estimateSamples: 2, taskTypes: ['deduction'] },
      generation: { maxNewTokens: 64, ...generation },
      rewardedPrompts: { share: 0 },
      supervision: { reviewer: 'rubric' },
    }),
  );
  expect((await lab.engine.waitFor(id)).state).toBe('done');
  const rollouts = lab.engine.store.listRollouts(id, 1);
  const texts = (role: string): string[] =>
    rollouts.filter((one) => one.role === role && one.purpose !== 'estimate').map(({ text }) => text);
  return { texts, metrics: lab.engine.store.listSteps(id)[0]?.metrics ?? {} };
}

describe('roles that are sampled apart', () => {
  it('the solver writes as if the whole run had its settings, and the update takes each at its own temperature', async () => {
    const apart = await stepOf('apart', {
      roles: {
        proposer: { temperature: 0.4, topP: null },
        solver: { temperature: 1.6, topP: 0.9 },
        estimator: { temperature: null, topP: null },
      },
    });
    const hot = await stepOf('hot', { temperature: 1.6, topP: 0.9 });
    expect(apart.texts('solver')).toEqual(hot.texts('solver'));
    expect(apart.texts('proposer')).not.toEqual(hot.texts('proposer'));
    // One temperature for all would put these factors far off 1, as the weights have not moved yet.
    expect(apart.metrics['actor/ratio_max']).toBeCloseTo(1, 4);
    expect(apart.metrics['actor/logp_mismatch_max']).toBeLessThan(1e-4);
    const sizes = MISMATCH_SIZES.map((size) => apart.metrics[mismatchMetric(size)] ?? NaN);
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
    expect(sizes[0]).toBeGreaterThanOrEqual(0);
    expect(apart.metrics[MISMATCH_OUTSIDE]).toBe(0);
  });
});
