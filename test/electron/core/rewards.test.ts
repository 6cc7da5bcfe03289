import { describe, expect, it } from 'vitest';
import { azrConfigSchema, type AzrConfig } from '../../../electron/contract/index.ts';
import {
  combineIntrinsic,
  learnability,
  proposerReward,
  solverReward,
} from '../../../electron/core/index.ts';

const azr = (changes: object = {}): AzrConfig => azrConfigSchema.parse({ name: 'azr', ...changes });
const NONE = {
  complexity: null,
  editDistance: null,
  halstead: null,
  answerDiversity: null,
  inputDiversity: null,
  outputDiversity: null,
};
const proposal = (solveRate: number, changes: object = {}, outcome: object = {}): number =>
  proposerReward({ formatOk: true, valid: true, solveRate, intrinsic: NONE, ...outcome }, azr(changes));

describe('solver rewards', () => {
  it.each([
    [false, 1, -1],
    [false, 0, -1],
    [true, 0, -0.5],
    [true, 1, 1],
    [true, 0.6, 0.6],
  ])('format %s, accuracy %s -> %s', (formatOk, accuracy, reward) => {
    expect(solverReward({ formatOk, accuracy })).toBe(reward);
  });
});

describe('proposer rewards', () => {
  it('pay hard but solvable tasks most: eight estimates give the table of the original', () => {
    expect(Array.from({ length: 9 }, (_, solved) => proposal(solved / 8))).toEqual([
      -0.5, 0.875, 0.75, 0.625, 0.5, 0.375, 0.25, 0.125, -0.5,
    ]);
  });

  it("give the paper's 0 instead of the repository's −0.5 where nothing can be learned", () => {
    expect([proposal(0, { zeroLearnability: 'paper' }), proposal(1, { zeroLearnability: 'paper' })]).toEqual([
      0, 0,
    ]);
  });

  it('under inverse also pay a task nobody solves', () => {
    expect([proposal(0, { learnability: 'inverse' }), proposal(1, { learnability: 'inverse' })]).toEqual([
      1, -0.5,
    ]);
    expect(learnability(0.25, 'inverse')).toBe(0.75);
  });

  it('cost 1 for a broken format or an invalid task, whatever was estimated', () => {
    expect(proposal(0.5, {}, { formatOk: false })).toBe(-1);
    expect(proposal(0.5, {}, { valid: false, solveRate: null })).toBe(-1);
    expect(() => proposal(0.5, {}, { solveRate: null })).toThrow(RangeError);
  });
});

describe('intrinsic rewards', () => {
  const values = { ...NONE, complexity: 0.5, editDistance: 0.4, answerDiversity: 1 };
  const on = { complexity: { coefficient: 1, max: 0.3 }, editDistance: { coefficient: 0.5, max: 1 } };

  it.each([
    ['sum', 0.5 + 0.5],
    ['multiply', 0.5 * 0.06],
    ['sum-multiply', 0.5 + 0.06],
    ['multiply-sum', 0.5 * 0.5],
  ] as const)('%s', (combine, reward) => {
    expect(combineIntrinsic(0.5, values, azr({ intrinsic: { ...on, combine } }).intrinsic)).toBeCloseTo(
      reward,
      12,
    );
  });

  it('are cut at their limit after the coefficient', () => {
    const intrinsic = azr({ intrinsic: { complexity: { coefficient: 0.5, max: 1 } } }).intrinsic;
    expect(combineIntrinsic(0.5, { ...values, complexity: 1.6 }, intrinsic)).toBeCloseTo(0.5 + 0.8, 12);
    expect(combineIntrinsic(0.5, { ...values, complexity: 4 }, intrinsic)).toBe(1.5);
  });

  it('change nothing when none is switched on, even under multiply', () => {
    for (const combine of ['sum', 'multiply', 'sum-multiply', 'multiply-sum'] as const)
      expect(combineIntrinsic(0.5, values, azr({ intrinsic: { combine } }).intrinsic)).toBe(0.5);
  });

  it('are never paid on a task that teaches nothing', () => {
    expect(proposal(1, { intrinsic: on }, { intrinsic: values })).toBe(-0.5);
    expect(proposal(0.5, { intrinsic: on }, { intrinsic: values })).toBe(1);
  });
});
