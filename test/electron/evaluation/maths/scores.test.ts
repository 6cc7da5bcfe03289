import { describe, expect, it } from 'vitest';
import { MATHS_SUITES, type MathsSuite } from '../../../../electron/evaluation/maths/suites.ts';
import { scoreMaths, type MathsResult } from '../../../../electron/evaluation/maths/grade.ts';

const results = (suite: MathsSuite, passed: number, n: number): MathsResult[] =>
  Array.from({ length: n }, (_, index) => ({
    suite,
    passed: index < passed,
    method: index < passed ? 'exact' : 'math-verify',
  }));
const PASSED: Record<MathsSuite, number> = {
  aime24: 4,
  aime25: 2,
  amc23: 21,
  math500: 373,
  olympiadbench: 253,
  minerva_math: 96,
};
const whole = MATHS_SUITES.flatMap(({ name, size }) => results(name, PASSED[name], size));

describe('scores', () => {
  it('of a suite are a share with its Wilson interval and the methods that decided', () => {
    const [score] = scoreMaths(results('aime24', 4, 30)).suites;
    expect(score).toMatchObject({
      suite: 'aime24',
      n: 30,
      passed: 4,
      printed: 13.3,
      complete: true,
      methods: { exact: 4, 'math-verify': 26 },
    });
    expect(score!.accuracy).toBeCloseTo(13.3333, 3);
    expect([score!.interval.low, score!.interval.high].map((limit) => limit.toFixed(2))).toEqual([
      '5.31',
      '29.68',
    ]);
  });
  it('of all six have a mean of what tables print and a pooled accuracy', () => {
    const { sixWayMean, sixWayMeanUnrounded, pooled, complete } = scoreMaths(whole);
    expect(sixWayMean).toBeCloseTo((13.3 + 6.7 + 52.5 + 74.6 + 37.5 + 35.3) / 6, 10);
    expect(sixWayMeanUnrounded).toBeCloseTo(
      (100 * (4 / 30 + 2 / 30 + 21 / 40 + 373 / 500 + 253 / 675 + 96 / 272)) / 6,
      10,
    );
    expect(pooled).toMatchObject({ n: 1547, passed: 749 });
    expect(pooled!.accuracy).toBeCloseTo(48.416, 3);
    expect(complete).toBe(true);
  });
  it('of fewer than six have no mean, and an unfinished suite is no complete one', () => {
    expect(scoreMaths(results('amc23', 20, 40))).toMatchObject({
      sixWayMean: null,
      sixWayMeanUnrounded: null,
      complete: false,
      pooled: { n: 40, passed: 20 },
    });
    expect(scoreMaths([...whole].slice(1)).complete).toBe(false);
    expect(scoreMaths([])).toEqual({
      suites: [],
      sixWayMean: null,
      sixWayMeanUnrounded: null,
      pooled: null,
      complete: false,
    });
  });
  it('are printed with halves to the even neighbour', () => {
    expect([1, 3, 5, 7].map((passed) => scoreMaths(results('amc23', passed, 80)).suites[0]!.printed)).toEqual(
      [1.2, 3.8, 6.2, 8.8],
    );
  });
  it('stand in the order of the published tables', () => {
    expect(scoreMaths([...whole].toReversed()).suites.map(({ suite }) => suite)).toEqual(
      MATHS_SUITES.map(({ name }) => name),
    );
  });
});
