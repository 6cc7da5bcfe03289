import { describe, expect, it } from 'vitest';
import { aggregateRules, aggregateScore, type MemberResult } from '../../../../electron/core/index.ts';
import { MATHS_SUITES, type MathsSuite } from '../../../../electron/evaluation/maths/suites.ts';
import type { GradeRow } from '../../../../electron/evaluation/suites/graded-suite.ts';
import { MATHEMATICS } from '../../../../electron/evaluation/suites/imported/mathematics.ts';
import { gradeRow } from '../grade-row.ts';

const rows = (passed: number, n: number): GradeRow[] =>
  Array.from({ length: n }, (_, index) => gradeRow(index, index < passed ? 'passed' : 'failed'));
const PASSED: Record<MathsSuite, number> = {
  aime24: 4,
  aime25: 2,
  amc23: 21,
  math500: 373,
  olympiadbench: 253,
  minerva_math: 96,
};
const rule = aggregateRules().find(({ name }) => name === 'math')!;
const membersOf = (
  suites: readonly { name: MathsSuite; passed: number; n: number }[],
): Record<string, MemberResult> =>
  Object.assign(
    {},
    ...suites.map(({ name, passed, n }) => {
      const { size } = MATHS_SUITES.find((suite) => suite.name === name)!;
      return MATHEMATICS.find((suite) => suite.name === name)!.members!(rows(passed, n), size);
    }),
  ) as Record<string, MemberResult>;
const whole = MATHS_SUITES.map(({ name, size }) => ({ name, passed: PASSED[name], n: size }));

describe('scores', () => {
  it('of a suite are a share with its Wilson interval', () => {
    const [accuracy] = MATHEMATICS[0]!.scores(rows(4, 30), 1);
    expect(accuracy).toMatchObject({ name: 'accuracy', n: 30, value: 4 / 30, interval: 'wilson' });
    expect([accuracy!.low, accuracy!.high].map((limit) => (100 * limit!).toFixed(2))).toEqual([
      '5.31',
      '29.68',
    ]);
  });
  it('of all six have a mean of what tables print and a pooled accuracy', () => {
    const { value, unrounded, pooled, partial, missing } = aggregateScore(rule, membersOf(whole), 1);
    expect(value).toBeCloseTo((13.3 + 6.7 + 52.5 + 74.6 + 37.5 + 35.3) / 600, 10);
    expect(unrounded).toBeCloseTo((4 / 30 + 2 / 30 + 21 / 40 + 373 / 500 + 253 / 675 + 96 / 272) / 6, 10);
    expect(pooled).toMatchObject({ passed: 749, n: 1547 });
    expect([partial, missing]).toEqual([[], []]);
  });
  it('of fewer than six have no mean, and an unfinished suite is marked', () => {
    const one = aggregateScore(rule, membersOf([{ name: 'amc23', passed: 20, n: 40 }]), 1);
    expect([one.value, one.unrounded, one.missing.length]).toEqual([null, null, 5]);
    const cut = whole.map((suite) => (suite.name === 'aime24' ? { ...suite, n: 29 } : suite));
    expect(aggregateScore(rule, membersOf(cut), 1).partial).toEqual([{ name: 'aime24', asked: 29, of: 30 }]);
    expect(aggregateScore(rule, {}, 1)).toMatchObject({ value: null, unrounded: null, pooled: null });
  });
  it('are averaged with halves rounded to the even neighbour', () => {
    const mean = (passed: number): number =>
      aggregateScore(
        rule,
        membersOf(whole.map((suite) => (suite.name === 'amc23' ? { name: 'amc23', passed, n: 80 } : suite))),
        1,
      ).value!;
    const others = 13.3 + 6.7 + 74.6 + 37.5 + 35.3;
    for (const [passed, printed] of [
      [1, 1.2],
      [3, 3.8],
      [5, 6.2],
      [7, 8.8],
    ] as const)
      expect(mean(passed)).toBeCloseTo((others + printed) / 600, 10);
  });
  it('stand in the order of the published tables', () => {
    expect(MATHEMATICS.map(({ name }) => name)).toEqual(MATHS_SUITES.map(({ name }) => name));
  });
});
