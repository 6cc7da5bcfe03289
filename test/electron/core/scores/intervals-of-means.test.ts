import { describe, expect, it } from 'vitest';
import {
  differenceInterval,
  squareAndAdd,
  stratifiedBootstrap,
  uniform,
  wilsonInterval,
} from '../../../../electron/core/index.ts';
import { drawStream } from '../../../../electron/core/scores/bootstrap.ts';

describe('A stream of draws', () => {
  it('repeats for a seed and path, differs for another, and is even', () => {
    const first = drawStream(3, 'a');
    const again = drawStream(3, 'a');
    const other = drawStream(3, 'b');
    const counts = new Array<number>(10).fill(0);
    let same = 0;
    for (let index = 0; index < 100_000; index += 1) {
      const draw = first(10);
      expect(again(10)).toBe(draw);
      same += Number(other(10) === draw);
      counts[draw]! += 1;
    }
    expect(same).toBeGreaterThan(9_000);
    expect(same).toBeLessThan(11_000);
    // 9 degrees of freedom: a chi-square above 27.9 comes once in a thousand seeds
    expect(counts.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0)).toBeLessThan(27.9);
  });
});

describe('The mean of independent proportions', () => {
  it('of one is Wilson', () => {
    const { low, high } = wilsonInterval(7, 30);
    const combined = squareAndAdd([{ passed: 7, n: 30, weight: 1 }]);
    expect(combined.low).toBeCloseTo(low, 12);
    expect(combined.high).toBeCloseTo(high, 12);
  });

  it("of a rate and another's complement is Newcombe's difference", () => {
    // a − b = a + (1 − b) − 1, and Wilson's limits of a complement are mirrored
    const difference = differenceInterval({ passed: 56, n: 70 }, { passed: 48, n: 80 });
    const combined = squareAndAdd([
      { passed: 56, n: 70, weight: 1 },
      { passed: 32, n: 80, weight: 1 },
    ]);
    expect([combined.low - 1, combined.high - 1].map((each) => each.toFixed(10))).toEqual(
      [difference.low, difference.high].map((each) => each.toFixed(10)),
    );
  });

  it('covers the truth in about 95 of 100 cases, rare and frequent ones mixed', () => {
    const rates = [
      [0.02, 400],
      [0.2, 300],
      [0.4, 100],
    ] as const;
    const truth = (0.02 + 0.2 + 0.4) / 3;
    let covered = 0;
    for (let trial = 0; trial < 1000; trial += 1) {
      const shares = rates.map(([rate, n], part) => {
        const draw = drawStream(11, trial, part);
        return {
          passed: Array.from({ length: n }, () => draw(1000) < 1000 * rate).filter(Boolean).length,
          n,
          weight: 1 / 3,
        };
      });
      const { low, high } = squareAndAdd(shares);
      covered += Number(low <= truth && truth <= high);
    }
    expect(covered / 1000).toBeGreaterThan(0.925);
    expect(covered / 1000).toBeLessThan(0.975);
  });

  it('refuses nothing', () => {
    for (const shares of [[], [{ passed: 0, n: 0, weight: 1 }]])
      expect(() => squareAndAdd(shares)).toThrow(RangeError);
  });
});

describe('A stratified bootstrap', () => {
  it('covers the truth in about 95 of 100 cases where the strata differ', () => {
    let covered = 0;
    for (let trial = 0; trial < 300; trial += 1) {
      const low = Array.from({ length: 60 }, (_, item) => 0.4 * uniform(2, trial, 'low', item));
      const high = Array.from({ length: 120 }, (_, item) => 0.6 + 0.4 * uniform(2, trial, 'high', item));
      const result = stratifiedBootstrap(
        [
          { values: low, weight: 0.5, least: 0, most: 1 },
          { values: high, weight: 0.5, least: 0, most: 1 },
        ],
        400,
        trial,
        't',
      );
      covered += Number(result.low <= 0.5 && 0.5 <= result.high);
    }
    expect(covered / 300).toBeGreaterThan(0.9);
    expect(covered / 300).toBeLessThan(0.99);
  });

  it('is narrower than one that forgets which suite an item is of', () => {
    const [easy, hard] = [
      Array<number>(50)
        .fill(0.9)
        .map((value, at) => value + at / 1000),
      Array<number>(50)
        .fill(0.1)
        .map((value, at) => value + at / 1000),
    ];
    const stratified = stratifiedBootstrap(
      [
        { values: easy, weight: 0.5, least: 0, most: 1 },
        { values: hard, weight: 0.5, least: 0, most: 1 },
      ],
      500,
      1,
    );
    const pooled = stratifiedBootstrap(
      [{ values: [...easy, ...hard], weight: 1, least: 0, most: 1 }],
      500,
      1,
    );
    expect(stratified.mean).toBeCloseTo(pooled.mean, 12);
    expect(stratified.high - stratified.low).toBeLessThan((pooled.high - pooled.low) / 5);
  });

  it('resamples each suite with its weight', () => {
    const coins = Array.from({ length: 50 }, (_, at) => at % 2);
    const still = coins.map((coin) => 0.5 + (coin - 0.5) / 1000);
    const { mean, low, high } = stratifiedBootstrap(
      [
        { values: coins, weight: 0.9, least: 0, most: 1 },
        { values: still, weight: 0.1, least: 0, most: 1 },
      ],
      2000,
      1,
    );
    expect(mean).toBeCloseTo(0.5, 12);
    // 1.96 standard errors to either side, nearly all of them of the coins: 0.9 · 0.5 / √50.
    const expected = (2 * 1.96 * 0.9 * 0.5) / Math.sqrt(50);
    expect(Math.abs((high - low) / expected - 1)).toBeLessThan(0.1);
  });

  it('of twenty equal scores still allows for what twenty cannot show', () => {
    const { mean, low, high } = stratifiedBootstrap(
      [{ values: Array<number>(20).fill(1), weight: 1, least: 1, most: 5 }],
      100,
      1,
    );
    expect([mean, low]).toEqual([1, 1]);
    expect(high).toBeCloseTo(1 + 4 * wilsonInterval(0, 20).high, 12);
  });

  it('refuses an empty stratum and values outside its range', () => {
    expect(() => stratifiedBootstrap([{ values: [], weight: 1, least: 0, most: 1 }], 10, 1)).toThrow(
      RangeError,
    );
    expect(() => stratifiedBootstrap([{ values: [2], weight: 1, least: 0, most: 1 }], 10, 1)).toThrow(
      RangeError,
    );
    expect(() =>
      stratifiedBootstrap([{ values: [Number.NaN], weight: 1, least: 0, most: 1 }], 10, 1),
    ).toThrow(RangeError);
  });
});
