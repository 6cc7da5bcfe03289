import { describe, expect, it } from 'vitest';
import { fitOf } from '../../../electron/library/index.ts';

const GB = 1e9;
const policy = (parameters: number) => ({ kind: 'policy' as const, parameters, bytes: 2 * parameters });
const on = (total: number, gpu: number | null = null) => ({ total, gpu });

describe('whether a model fits', () => {
  it('is asked of full training first, which takes twenty bytes a parameter with what a row keeps, and what the trainer takes itself', () => {
    expect(fitOf(policy(0.5 * GB), null, on(16 * GB))).toEqual({
      verdict: 'fits',
      needBytes: 10.4 * GB,
      basis: 'estimated',
      haveBytes: 16 * GB,
      on: 'memory',
      lora: null,
    });
    expect(fitOf(policy(0.5 * GB), null, on(12 * GB))).toMatchObject({ verdict: 'tight', lora: null });
  });

  it('is asked of an adapter where full training is too large', () => {
    const needBytes = Math.round(1.25 * (4 + 16 * 0.08) * 3 * GB + 0.4 * GB);
    const of = (total: number, gpu?: number) => fitOf(policy(3 * GB), null, on(total, gpu));
    expect(of(32 * GB)).toMatchObject({
      verdict: 'too-large',
      needBytes: 60.4 * GB,
      lora: { verdict: 'fits', needBytes },
    });
    expect(of(24 * GB).lora).toEqual({ verdict: 'tight', needBytes });
    expect(of(64 * GB, 16 * GB)).toMatchObject({ verdict: 'too-large', on: 'gpu', lora: null });
  });

  it('is not asked of an adapter for a supervisor, nor of what does not say its size', () => {
    const supervisor = { kind: 'supervisor' as const, parameters: 7 * GB, bytes: 40 * GB };
    expect(fitOf(supervisor, null, on(32 * GB))).toMatchObject({ verdict: 'too-large', lora: null });
    const silent = { ...policy(GB), parameters: null };
    expect(fitOf(silent, null, on(32 * GB))).toMatchObject({ verdict: 'unknown', lora: null });
  });
});
