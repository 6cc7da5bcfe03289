import { describe, expect, it } from 'vitest';
import { chiSquaredTail, fisherExact, homogeneity, pooledExact } from '../../../../electron/core/index.ts';

describe('The tail of a chi-squared statistic', () => {
  // Quantiles of printed tables.
  it.each([
    [3.841459, 1, 0.05],
    [5.991465, 2, 0.05],
    [9.21034, 2, 0.01],
    [13.2767, 4, 0.01],
    [18.307038, 10, 0.05],
    [124.342113, 100, 0.05],
    [0.010025, 2, 0.995],
  ])('of %d with %i degrees of freedom is %d', (statistic, degrees, p) => {
    expect(chiSquaredTail(statistic, degrees)).toBeCloseTo(p, 5);
  });

  it('with two degrees of freedom is exp(-x / 2), near and far', () => {
    for (const x of [0, 0.001, 1, 2.9, 3.1, 20, 200])
      expect(chiSquaredTail(x, 2)).toBeCloseTo(Math.exp(-x / 2), 10);
  });

  it('is refused where it is not defined', () => {
    expect(() => chiSquaredTail(1, 0)).toThrow('not defined');
    expect(() => chiSquaredTail(-1, 2)).toThrow('not defined');
    expect(() => chiSquaredTail(Number.NaN, 2)).toThrow('not defined');
  });
});

describe("Pearson's statistic of equal shares", () => {
  it('is that of the two-by-two table', () => {
    // 20 of 50 against 30 of 50: 100 (20·20 − 30·30)² / 50⁴ = 4.
    expect(
      homogeneity([
        { n: 50, hits: 20 },
        { n: 50, hits: 30 },
      ]),
    ).toEqual({ chiSquared: expect.closeTo(4, 12) as number, degrees: 1 });
  });

  it('leaves out groups without trials, and is nothing where nothing can differ', () => {
    const groups = [
      { n: 10, hits: 4 },
      { n: 0, hits: 0 },
      { n: 10, hits: 6 },
    ];
    expect(homogeneity(groups).degrees).toBe(1);
    expect(
      homogeneity([
        { n: 8, hits: 8 },
        { n: 9, hits: 9 },
      ]),
    ).toEqual({ chiSquared: 0, degrees: 0 });
    expect(homogeneity([{ n: 8, hits: 3 }])).toEqual({ chiSquared: 0, degrees: 0 });
  });
});

describe("Fisher's exact test", () => {
  it('gives the chances of the tea-tasting table', () => {
    expect(fisherExact({ passed: 4, n: 4 }, { passed: 0, n: 4 })).toBeCloseTo(1 / 70, 12);
    expect(fisherExact({ passed: 3, n: 4 }, { passed: 1, n: 4 })).toBeCloseTo(17 / 70, 12);
    expect(fisherExact({ passed: 0, n: 4 }, { passed: 4, n: 4 })).toBe(1);
  });

  it('finds nothing between sides that are alike or empty', () => {
    expect(fisherExact({ passed: 6, n: 6 }, { passed: 6, n: 6 })).toBeCloseTo(1, 12);
    expect(fisherExact({ passed: 0, n: 0 }, { passed: 3, n: 6 })).toBeCloseTo(1, 12);
  });

  it('is refused for counts that are none', () => {
    expect(() => fisherExact({ passed: 5, n: 4 }, { passed: 0, n: 4 })).toThrow('not a proportion');
  });
});

describe("Fisher's test over several pairs of groups", () => {
  const [three, none] = [
    { passed: 3, n: 3 },
    { passed: 0, n: 3 },
  ];

  it('multiplies the chances of what is most extreme in each', () => {
    // 1 of C(6, 3) = 20 in each.
    expect(pooledExact([[three, none]])).toBeCloseTo(1 / 20, 12);
    expect(
      pooledExact([
        [three, none],
        [three, none],
      ]),
    ).toBeCloseTo(1 / 400, 12);
  });

  it('adds up what is as extreme, however it is spread', () => {
    // Five hits of three and three: the first of one pair has 3, of the other 2, either way round, or both have 3.
    const two = { passed: 2, n: 3 };
    const one = { passed: 1, n: 3 };
    expect(
      pooledExact([
        [three, none],
        [two, one],
      ]),
    ).toBeCloseTo((1 + 2 * 9) / 400, 12);
  });

  it('learns nothing from a pair without trials, or where everything is a hit', () => {
    const empty = { passed: 0, n: 0 };
    expect(
      pooledExact([
        [three, none],
        [empty, three],
        [three, three],
      ]),
    ).toBeCloseTo(1 / 20, 12);
    expect(pooledExact([])).toBe(1);
    expect(() => pooledExact([[{ passed: 2, n: 1 }, empty]])).toThrow('not a proportion');
  });
});
