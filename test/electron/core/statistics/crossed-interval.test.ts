import { describe, expect, it } from 'vitest';
import {
  crossedMeanInterval,
  studentQuantile,
  uniform,
  wilsonInterval,
  Z_95,
} from '../../../../electron/core/index.ts';

describe("Student's quantile", () => {
  it.each([
    [1, 0.95, 12.7062],
    [2, 0.95, 4.3027],
    [4, 0.95, 2.7764],
    [9, 0.95, 2.2622],
    [30, 0.95, 2.0423],
    [120, 0.95, 1.9799],
    [4, 0.99, 4.6041],
    [10, 0.9, 1.8125],
  ])('of %s degrees of freedom at %s is the published %s', (df, level, published) => {
    expect(studentQuantile(df, level)).toBeCloseTo(published, 4);
  });

  it('lies between its neighbours for broken degrees of freedom and tends to the normal one', () => {
    expect(studentQuantile(4.5)).toBeLessThan(studentQuantile(4));
    expect(studentQuantile(4.5)).toBeGreaterThan(studentQuantile(5));
    expect(studentQuantile(1e7)).toBeCloseTo(Z_95, 5);
    expect(() => studentQuantile(0)).toThrow(RangeError);
  });
});

/** Standard normal from two uniform draws (Box and Muller 1958). */
const normal = (...path: (string | number)[]): number =>
  Math.sqrt(-2 * Math.log(1 - uniform(5, ...path, 'radius'))) *
  Math.cos(2 * Math.PI * uniform(5, ...path, 'angle'));

describe('The mean over runs and items', () => {
  it.each([
    ['runs differ', 0.15, 0, 0.3],
    ['items differ', 0, 0.3, 0.3],
    ['both differ', 0.1, 0.2, 0.4],
    ['only chance', 0, 0, 0.5],
  ])('has an interval that covers the truth in about 95 of 100 cases when %s', (_, ofRuns, ofItems, rest) => {
    const trials = 300;
    let covered = 0;
    for (let trial = 0; trial < trials; trial += 1) {
      const items = Array.from({ length: 30 }, (__, item) => ofItems * normal(trial, 'item', item));
      const values = Array.from({ length: 5 }, (__, run) => {
        const shift = ofRuns * normal(trial, 'run', run);
        return items.map((item, index) => 0.2 + shift + item + rest * normal(trial, 'rest', run, index));
      });
      const { low, high } = crossedMeanInterval(values);
      if (low <= 0.2 && 0.2 <= high) covered += 1;
    }
    expect(covered / trials).toBeGreaterThan(0.92);
    expect(covered / trials).toBeLessThan(0.995);
  });

  it('names a smallest difference that about 80 of 100 such tables find', () => {
    const table = (trial: number, truth: number): number[][] => {
      const items = Array.from({ length: 30 }, (_, item) => 0.2 * normal(trial, 'item', item));
      return Array.from({ length: 5 }, (_, run) => {
        const shift = truth + 0.1 * normal(trial, 'run', run);
        return items.map((item, index) => shift + item + 0.4 * normal(trial, 'rest', run, index));
      });
    };
    const trials = 400;
    const tables = Array.from({ length: trials }, (_, trial) => crossedMeanInterval(table(trial, 0)));
    const typical = tables.map(({ detectable }) => detectable ?? NaN).toSorted((a, b) => a - b)[trials / 2]!;
    const found = Array.from({ length: trials }, (_, trial) =>
      Number(crossedMeanInterval(table(trial, typical)).low > 0),
    ).reduce((sum, one) => sum + one, 0);
    expect(found / trials).toBeGreaterThan(0.74);
    expect(found / trials).toBeLessThan(0.88);
    expect(crossedMeanInterval([[1, 1, 1]]).detectable).toBeNull();
  });

  it('is that of Satterthwaite for a small table, whose figures were computed with SciPy', () => {
    const { mean, low, high, detectable } = crossedMeanInterval([
      [3, 5, 2, 6],
      [4, 7, 3, 9],
      [1, 4, 2, 5],
    ]);
    expect(mean).toBe(4.25);
    expect(low).toBeCloseTo(0.895_251_588_784_146_8, 9);
    expect(high).toBeCloseTo(7.604_748_411_215_853, 9);
    expect(detectable).toBeCloseTo(4.554_366_852_459_938, 9);
  });

  it('is wider than one that takes the runs for given', () => {
    const values = [0.1, 0.5, 0.9].map((share, run) =>
      Array.from({ length: 40 }, (_, item) => (uniform(3, run, item) < share ? 1 : 0)),
    );
    const crossed = crossedMeanInterval(values);
    const single = crossedMeanInterval([values.flat()]);
    expect(crossed.mean).toBeCloseTo(single.mean, 12);
    expect(crossed.high - crossed.low).toBeGreaterThan(2 * (single.high - single.low));
    expect([crossed.runs, crossed.items]).toEqual([3, 40]);
  });

  it('of one run is the interval over its items', () => {
    const values = [1, 1, 0, 1, 0, 0, 1, 1];
    const { mean, low, high } = crossedMeanInterval([values]);
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 7 / 8);
    expect([low, high]).toEqual([
      mean - studentQuantile(7) * deviation,
      mean + studentQuantile(7) * deviation,
    ]);
  });

  it('where nothing ever differed still allows for what so few items cannot show', () => {
    const { mean, high, low } = crossedMeanInterval([
      [0, 0, 0, 0],
      [0, 0, 0, 0],
    ]);
    expect([mean, high, low]).toEqual([0, wilsonInterval(0, 4).high, -wilsonInterval(0, 4).high]);
  });

  it('refuses nothing and ragged rows', () => {
    for (const values of [[], [[]], [[1, 2], [1]]])
      expect(() => crossedMeanInterval(values)).toThrow(RangeError);
  });
});
