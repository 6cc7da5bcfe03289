import { describe, expect, it } from 'vitest';
import {
  groupedAdvantages,
  groupNormalized,
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

  it('are 0 where a single token is all there is, whatever sequences without tokens are paid', () => {
    const batch = [
      { reward: 1, tokens: 1 },
      { reward: 0, tokens: 0 },
    ];
    expect(whitenedAdvantages(batch, 'token')).toEqual([0, 0]);
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

describe('group-normalised advantages', () => {
  const PAIRS = [
    { reward: 1, group: 'a', tokens: 3 },
    { reward: 0.5, group: 'b', tokens: 9 },
    { reward: 0, group: 'a', tokens: 1 },
    { reward: 0.5, group: 'b', tokens: 2 },
    { reward: 0, group: 'a', tokens: 4 },
    { reward: 7, group: 'c', tokens: 4 },
  ];

  it('within a group: mean 1/3, unbiased deviation √(1/3), 1e-6 added to it', () => {
    const deviation = Math.sqrt(1 / 3) + 1e-6;
    const [up, down] = [2 / 3 / deviation, -1 / 3 / deviation];
    const found = groupNormalized({ floor: 0, scope: 'group' })(PAIRS);
    const expected = [up, 0, down, 0, down, 0];
    for (const [index, value] of expected.entries()) expect(found[index]).toBeCloseTo(value, 12);
  });

  it('over the batch: groups and lengths do not matter', () => {
    const found = groupNormalized({ floor: 0, scope: 'batch' })(PAIRS);
    // Mean 1.5; squares 0.25 + 1 + 2.25 + 1 + 2.25 + 30.25 = 37, over 5.
    const deviation = Math.sqrt(37 / 5) + 1e-6;
    const expected = [-0.5, -1, -1.5, -1, -1.5, 5.5].map((difference) => difference / deviation);
    for (const [index, value] of expected.entries()) expect(found[index]).toBeCloseTo(value, 12);
  });

  it('a floor keeps rewards that differ by one part in 2,048 from becoming whole advantages', () => {
    const rewards = [0.5, 0.5, 0.5, 0.5 - 1 / 2048];
    const batch = rewards.map((reward) => ({ reward, group: 'same', tokens: 5 }));
    const bare = groupNormalized({ floor: 0, scope: 'group' })(batch);
    expect(bare[3]).toBeLessThan(-1.4); // the original's advantage of a reward that is as good as the others'
    const floored = groupNormalized({ floor: 0.05, scope: 'group' })(batch);
    expect(floored[3]).toBeCloseTo(-(3 / 4 / 2048) / (0.05 + 1e-6), 12);
    expect(Math.abs(floored[3]!)).toBeLessThan(0.01);
  });

  it('a floor below the deviation changes nothing', () => {
    for (const scope of ['group', 'batch'] as const)
      expect(groupNormalized({ floor: 0.2, scope })(PAIRS)).toEqual(
        groupNormalized({ floor: 0, scope })(PAIRS),
      );
  });

  it('have mean 0 in each group, never leave the order of rewards, and shrink as the floor rises', () => {
    for (let round = 0; round < 30; round += 1) {
      const batch = Array.from({ length: 2 + uniformIndex(20, 3, round) }, (_, index) => ({
        reward:
          Math.round(uniform(3, round, index) * 10) / 10 - uniformIndex(3, 3, 'off', round, index) / 2048,
        group: String(uniformIndex(4, 3, 'group', round, index)),
        tokens: 1,
      }));
      for (const scope of ['group', 'batch'] as const) {
        const [none, some, much] = [0, 0.05, 1].map((floor) => groupNormalized({ floor, scope })(batch));
        for (const members of Map.groupBy(batch.keys(), (at) =>
          scope === 'group' ? batch[at]!.group : '',
        ).values()) {
          expect(Math.abs(members.reduce((sum, at) => sum + some![at]!, 0))).toBeLessThan(1e-9);
          for (const at of members) {
            expect(Math.abs(some![at]!)).toBeLessThanOrEqual(Math.abs(none![at]!));
            expect(Math.abs(much![at]!)).toBeLessThanOrEqual(Math.abs(some![at]!));
            for (const other of members)
              if (batch[at]!.reward > batch[other]!.reward) expect(some![at]).toBeGreaterThan(some![other]!);
          }
        }
      }
    }
  });

  it('are 0 without anything to compare with, and refuse what is no reward or no floor', () => {
    const estimate = groupNormalized({ floor: 0.05, scope: 'group' });
    expect(estimate([])).toEqual([]);
    expect(estimate([{ reward: 3, group: 'a', tokens: 1 }])).toEqual([0]);
    expect(() => estimate([Number.NaN, 1].map((reward) => ({ reward, group: 'a', tokens: 1 })))).toThrow(
      'Reward 0 of the batch is NaN',
    );
    expect(() => groupNormalized({ floor: -1, scope: 'batch' })).toThrow('must be 0 or more');
  });
});
