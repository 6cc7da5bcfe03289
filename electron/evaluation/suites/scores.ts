import type { EvaluationScore } from '../../contract/index.ts';
import { type MemberResult, bootstrapMeanInterval, meanPassAtK, wilsonInterval } from '../../core/index.ts';
import type { GradeRow } from './graded-suite.ts';

type Better = EvaluationScore['better'];

/** k of n with Wilson's 95 % interval. */
export function shareScore(name: string, hits: number, n: number, better: Better): EvaluationScore {
  const { low, high } = wilsonInterval(hits, n);
  return { name, value: n === 0 ? null : hits / n, low, high, unit: 'share', n, better, interval: 'wilson' };
}

const RESAMPLES = 2000; // the limits of a 95 % interval then move by less than a tenth of its width from seed to seed

/** Mean of values with a bootstrap interval over items; `n` items. */
export function meanScore(
  name: string,
  values: readonly number[],
  unit: EvaluationScore['unit'],
  better: Better,
  seed: number,
): EvaluationScore {
  if (values.length === 0)
    return { name, value: null, low: null, high: null, unit, n: 0, better, interval: null };
  // Where every share is 0, or every one 1, drawing again from them says nothing of others: Wilson's limits do.
  const [first] = values;
  if (unit === 'share' && (first === 0 || first === 1) && values.every((value) => value === first))
    return shareScore(name, first * values.length, values.length, better);
  const { low, high } = bootstrapMeanInterval(values, RESAMPLES, seed, 'score', name);
  return {
    name,
    value: values.reduce((sum, value) => sum + value, 0) / values.length,
    low,
    high,
    unit,
    n: values.length,
    better,
    interval: 'bootstrap',
  };
}

/** Whether an answer counts at all: what is unjudged never does. */
export const hasVerdict = ({ grade }: GradeRow): boolean => grade.outcome !== 'unjudged';
export const hasPassed = ({ grade }: GradeRow): boolean => grade.outcome === 'passed';

/** Share of answers that passed, among those that have a verdict. */
export function passedScore(
  name: string,
  rows: readonly GradeRow[],
  better: Better,
  passed: (row: GradeRow) => boolean = hasPassed,
): EvaluationScore {
  const judged = rows.filter(hasVerdict);
  return shareScore(name, judged.filter(passed).length, judged.length, better);
}

const KS = [1, 5, 10, 100];

/** pass@1 with one answer per item; with more, the unbiased pass@k for every k there are answers for, with bootstrap intervals over items. */
export function passAtKScores(
  rows: readonly GradeRow[],
  seed: number,
  passed: (row: GradeRow) => boolean = hasPassed,
  prefix = '',
): EvaluationScore[] {
  const judged = rows.filter(hasVerdict);
  const items = [...Map.groupBy(judged, ({ itemId }) => itemId).values()].map((answers) => ({
    n: answers.length,
    c: answers.filter(passed).length,
  }));
  const most = Math.min(...items.map(({ n }) => n));
  if (items.length === 0 || most === 1) return [passedScore(`${prefix}pass@1`, rows, 'higher', passed)];
  return KS.filter((k) => k <= most).map((k) => {
    const each = items.map((item) => meanPassAtK([item], k) ?? 0);
    return {
      ...meanScore(`${prefix}pass@${k}`, each, 'share', 'higher', seed),
      value: meanPassAtK(items, k),
    };
  });
}

/** How many grades carry a flag. */
export function flagScore(flag: string, rows: readonly GradeRow[]): EvaluationScore {
  return {
    name: flag,
    value: rows.filter(({ grade }) => grade.flags.includes(flag)).length,
    low: null,
    high: null,
    unit: 'count',
    n: rows.length,
    better: 'neither',
    interval: null,
  };
}

/** A suite as the aggregates count it: answers that passed, or that `counted` says, among those with a verdict. */
export function shareMember(
  rows: readonly GradeRow[],
  of: number,
  counted: (row: GradeRow) => boolean = hasPassed,
): MemberResult {
  const judged = rows.filter(hasVerdict);
  return {
    form: 'share',
    passed: judged.filter(counted).length,
    n: judged.length,
    of,
    unjudged: rows.length - judged.length,
  };
}
