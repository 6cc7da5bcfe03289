import { describe, expect, it } from 'vitest';
import {
  groupedAdvantages,
  uniform,
  uniformIndex,
  whitenedAdvantages,
} from '../../../electron/core/index.ts';

const rounded = (values: number[]): number[] => values.map((value) => Math.round(value * 1e4) / 1e4);
const THREE = [
  { reward: 1, tokens: 2 },
  { reward: -0.5, tokens: 4 },
  { reward: -1, tokens: 4 },
];

describe('TRR++ advantages', () => {
  it('weighted by tokens: mean −0.4, unbiased variance 0.6', () => {
    expect(rounded(whitenedAdvantages(THREE, 'token'))).toEqual([1.8074, -0.1291, -0.7746]);
  });

  it('weighted by sequences: lengths do not matter', () => {
    const expected = [1, -0.5, -1].map((reward) => (reward + 1 / 6) / Math.sqrt(13 / 12 + 1e-8));
    expect(rounded(whitenedAdvantages(THREE, 'sequence'))).toEqual(rounded(expected));
    expect(
      whitenedAdvantages(
        THREE.map(({ reward }) => ({ reward, tokens: 9 })),
        'sequence',
      ),
    ).toEqual(whitenedAdvantages(THREE, 'sequence'));
  });

  it('are exactly 0 when all rewards are equal, or when there is nothing to compare with', () => {
    expect(
      whitenedAdvantages(
        [0.1, 0.1, 0.1].map((reward) => ({ reward, tokens: 3 })),
        'token',
      ),
    ).toEqual([0, 0, 0]);
    expect(whitenedAdvantages([{ reward: 1, tokens: 1 }], 'token')).toEqual([0]);
    expect(whitenedAdvantages([{ reward: 1, tokens: 50 }], 'sequence')).toEqual([0]);
    expect(whitenedAdvantages([], 'token')).toEqual([]);
  });

  it('have weighted mean 0 and unbiased weighted variance 1, and keep the order of rewards', () => {
    for (let batch = 0; batch < 100; batch += 1) {
      const sequences = Array.from({ length: 2 + uniformIndex(30, 1, batch) }, (_, index) => ({
        reward: index < 2 ? index : Math.round(uniform(1, batch, index) * 8) / 8 - 0.5,
        tokens: 1 + uniformIndex(200, 2, batch, index),
      }));
      for (const weighting of ['token', 'sequence'] as const) {
        const advantages = whitenedAdvantages(sequences, weighting);
        const weights = sequences.map(({ tokens }) => (weighting === 'token' ? tokens : 1));
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        const sum = (power: number): number =>
          advantages.reduce((acc, advantage, index) => acc + weights[index]! * advantage ** power, 0);
        expect(Math.abs(sum(1) / total)).toBeLessThan(1e-9);
        expect(sum(2) / (total - 1)).toBeCloseTo(1, 5);
        for (const [index, { reward }] of sequences.entries()) {
          if (reward > sequences[0]!.reward) expect(advantages[index]).toBeGreaterThan(advantages[0]!);
        }
      }
    }
  });

  it('refuse impossible input instead of spreading NaN into the weights', () => {
    expect(() =>
      whitenedAdvantages(
        [
          { reward: Number.NaN, tokens: 1 },
          { reward: 1, tokens: 1 },
        ],
        'token',
      ),
    ).toThrow(RangeError);
    expect(() => whitenedAdvantages([{ reward: 1, tokens: -1 }], 'token')).toThrow(RangeError);
  });
});

describe('the per-prompt baseline', () => {
  it('compares a sample with samples of its own prompt only', () => {
    const samples = [
      { reward: 1, group: 'a' },
      { reward: 0, group: 'b' },
      { reward: 0, group: 'a' },
      { reward: 0, group: 'b' },
      { reward: 1, group: 'c' },
    ];
    const half = 0.5 / Math.sqrt(0.5 + 1e-8);
    expect(groupedAdvantages(samples)).toEqual([half, 0, -half, 0, 0]);
  });

  it('gives a uniformly refused prompt no push, where a batch baseline pushes its refusals down', () => {
    const samples = [...Array(4)]
      .map(() => ({ reward: 0, group: 'refused', tokens: 5 }))
      .concat([...Array(4)].map(() => ({ reward: 1, group: 'harmless', tokens: 5 })));
    expect(groupedAdvantages(samples)).toEqual(samples.map(() => 0));
    expect(whitenedAdvantages(samples, 'sequence')[0]).toBeLessThan(-0.5);
  });
});
