import { describe, expect, it } from 'vitest';
import {
  bootstrapMeanInterval,
  differenceInterval,
  estimateProgress,
  mcnemarTest,
  pairedCounts,
  pairedDifferenceInterval,
  uniform,
  wilsonInterval,
} from '../../../../electron/core/index.ts';

const to4 = (value: number): number => Math.round(value * 1e4) / 1e4;

describe('Wilson intervals', () => {
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
    [29, 29, 0.883, 1],
  ])('%s of %s: published limits %s to %s', (passed, n, low, high) => {
    const interval = wilsonInterval(passed, n);
    expect([to4(interval.low), to4(interval.high)]).toEqual([low, high]);
  });
  it('begin at 0 exactly where nothing passed, and end at 1 where all did', () => {
    for (let n = 1; n < 60; n += 1)
      expect([wilsonInterval(0, n).low, wilsonInterval(n, n).high]).toEqual([0, 1]);
  });
  it('know nothing without data and refuse impossible counts', () => {
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
    for (const [passed, n] of [
      [2, 1],
      [-1, 3],
      [0.5, 2],
    ])
      expect(() => wilsonInterval(passed!, n!)).toThrow(RangeError);
  });
});

describe('differences', () => {
  it.each([
    [56, 70, 48, 80, 0.2, 0.0524, 0.3339],
    [9, 10, 3, 10, 0.6, 0.1705, 0.809],
    [10, 10, 0, 10, 1, 0.6075, 1],
  ])('%s/%s − %s/%s: published %s, %s to %s', (a, n, b, m, difference, low, high) => {
    const result = differenceInterval({ passed: a, n }, { passed: b, n: m });
    expect([to4(result.difference), to4(result.low), to4(result.high)]).toEqual([difference, low, high]);
  });

  it('of paired answers cover the true change in 95 % of 2,000 simulated comparisons', () => {
    let covered = 0;
    for (let trial = 0; trial < 2000; trial += 1) {
      // First passes 60 %; a pass is kept with 0.9, a failure repaired with 0.3: second passes 66 %, change +6 points.
      const first = Array.from({ length: 60 }, (_, item) => uniform(5, 'first', trial, item) < 0.6);
      const second = first.map((passed, item) => uniform(5, 'second', trial, item) < (passed ? 0.9 : 0.3));
      const { low, high } = pairedDifferenceInterval(pairedCounts(first, second));
      covered += Number(low <= 0.06 && 0.06 <= high);
    }
    expect(covered / 2000).toBeGreaterThan(0.93);
    expect(covered / 2000).toBeLessThan(0.99);
  });

  it('of paired answers are tighter than if the items had been different ones', () => {
    const counts = { bothPassed: 55, onlyFirst: 3, onlySecond: 10, bothFailed: 32 };
    const paired = pairedDifferenceInterval(counts);
    const unpaired = differenceInterval({ passed: 65, n: 100 }, { passed: 58, n: 100 });
    expect(paired.difference).toBeCloseTo(0.07, 12);
    expect(paired.high - paired.low).toBeLessThan(unpaired.high - unpaired.low);
  });

  it("of paired answers are Newcombe's, with his correction for continuity where they agree", () => {
    // His formula, computed apart from this code.
    const agreeing = pairedDifferenceInterval({
      bothPassed: 20,
      onlyFirst: 3,
      onlySecond: 5,
      bothFailed: 12,
    });
    expect(agreeing.low).toBeCloseTo(-0.092_574_899_165_591_22, 12);
    expect(agreeing.high).toBeCloseTo(0.188_904_199_888_117_55, 12);
    const hardly = pairedDifferenceInterval({ bothPassed: 10, onlyFirst: 4, onlySecond: 6, bothFailed: 3 });
    expect(hardly.low).toBeCloseTo(-0.178_656_172_150_024_1, 12);
    expect(hardly.high).toBeCloseTo(0.336_620_328_427_919_9, 12);
  });

  it('swap sign with the order, and stay within [−1, 1]', () => {
    const forward = pairedDifferenceInterval({ bothPassed: 5, onlyFirst: 1, onlySecond: 9, bothFailed: 2 });
    const backward = pairedDifferenceInterval({ bothPassed: 5, onlyFirst: 9, onlySecond: 1, bothFailed: 2 });
    expect([backward.low, backward.high].map(to4)).toEqual([-forward.high, -forward.low].map(to4));
    expect(
      pairedDifferenceInterval({ bothPassed: 0, onlyFirst: 0, onlySecond: 10, bothFailed: 0 }).high,
    ).toBe(1);
    expect(() => pairedCounts([true], [])).toThrow(RangeError);
  });
});

describe("McNemar's test", () => {
  it('is the binomial test on flips', () => {
    expect(mcnemarTest(1, 9).exact).toBeCloseTo(22 / 1024, 12);
    expect(mcnemarTest(1, 9).mid).toBeCloseTo(12 / 1024, 12);
    expect(mcnemarTest(9, 1)).toEqual(mcnemarTest(1, 9));
    expect(mcnemarTest(0, 0)).toEqual({ exact: 1, mid: 1 });
    expect(mcnemarTest(2, 2).exact).toBe(1);
    expect(mcnemarTest(2, 2).mid).toBeCloseTo(1 - 3 / 16, 12);
  });
  it('stays finite for thousands of flips', () => {
    const { exact, mid } = mcnemarTest(4000, 4300);
    expect(exact).toBeGreaterThan(mid);
    expect(exact).toBeGreaterThan(0.0009);
    expect(exact).toBeLessThan(0.0012);
  });
});

it('a bootstrap interval repeats for a seed, holds the mean and shrinks with data', () => {
  const values = Array.from({ length: 200 }, (_, index) => uniform(8, index));
  const wide = bootstrapMeanInterval(values.slice(0, 20), 300, 1, 'b');
  const narrow = bootstrapMeanInterval(values, 300, 1, 'b');
  expect(bootstrapMeanInterval(values, 300, 1, 'b')).toEqual(narrow);
  expect(narrow.high - narrow.low).toBeLessThan(wide.high - wide.low);
  expect(narrow.low).toBeLessThan(0.5);
  expect(narrow.high).toBeGreaterThan(0.45);
});

it('a bootstrap interval of a mean is as wide as the normal one where there are many values', () => {
  const values = Array.from({ length: 60 }, (_, index) => uniform(9, index));
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(
    values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1),
  );
  const { low, high } = bootstrapMeanInterval(values, 1000, 1, 'width');
  expect((high - low) / ((2 * 1.96 * deviation) / Math.sqrt(values.length))).toBeGreaterThan(0.9);
  expect((high - low) / ((2 * 1.96 * deviation) / Math.sqrt(values.length))).toBeLessThan(1.1);
});

describe('rate and time left', () => {
  const steady = Array.from({ length: 20 }, (_, index) => ({ done: index * 2, seconds: index }));
  it('follow a steady pace', () =>
    expect(estimateProgress(steady, 100)).toEqual({ ratePerSecond: 2, etaSeconds: 31 }));
  it('are not moved by one stall or one jump of the clock', () => {
    const stalled = steady.map((point, index) =>
      index >= 15 ? { ...point, seconds: point.seconds + 30 } : point,
    );
    expect(estimateProgress(stalled, 100).ratePerSecond).toBeGreaterThan(1.3);
    const burst = steady.map((point, index) => (index === 10 ? { ...point, done: 1000 } : point));
    expect(estimateProgress(burst, 100).ratePerSecond).toBeCloseTo(2, 1);
  });
  it('say nothing before there is progress, and nothing is left at the end', () => {
    expect(estimateProgress([], 10)).toEqual({ ratePerSecond: null, etaSeconds: null });
    expect(
      estimateProgress(
        [
          { done: 0, seconds: 0 },
          { done: 0, seconds: 9 },
        ],
        10,
      ),
    ).toEqual({ ratePerSecond: null, etaSeconds: null });
    expect(estimateProgress(steady, 38).etaSeconds).toBe(0);
  });
});
