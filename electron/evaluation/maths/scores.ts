import { wilsonInterval, type Interval } from '../../core/index.ts';
import type { MathsMethod } from './grade.ts';
import { MATHS_SUITES, type MathsSuite } from './suites.ts';

export type MathsResult = { suite: MathsSuite; passed: boolean; method: MathsMethod };

export type MathsSuiteScore = {
  suite: MathsSuite;
  n: number;
  passed: number;
  /** Per cent. */
  accuracy: number;
  /** Per cent to one decimal, halves to the even neighbour: what the published tables print and average. */
  printed: number;
  /** Wilson, 95 %, in per cent. */
  interval: Interval;
  /** All questions of the official file were answered. */
  complete: boolean;
  /** How many verdicts each method made. */
  methods: Partial<Record<MathsMethod, number>>;
};

export type MathsScores = {
  /** Suites with at least one result, in the order of the published tables. */
  suites: MathsSuiteScore[];
  /**
   * Unweighted mean of the six printed accuracies, in per cent; null unless all six have results. One question of AIME weighs 17
   * times one of MATH-500 here, so it belongs beside the pooled accuracy.
   */
  sixWayMean: number | null;
  /** The same mean of the accuracies before rounding. */
  sixWayMeanUnrounded: number | null;
  /** Every question counts once. Null without results. */
  pooled: { n: number; passed: number; accuracy: number; interval: Interval } | null;
  /** All six suites are complete, so the mean can stand beside a published one. */
  complete: boolean;
};

export function scoreMaths(results: readonly MathsResult[]): MathsScores {
  const suites = MATHS_SUITES.flatMap(({ name, size }) => {
    const own = results.filter(({ suite }) => suite === name);
    return own.length === 0 ? [] : [scoreOf(name, size, own)];
  });
  const all = suites.length === MATHS_SUITES.length;
  const n = results.length;
  const passed = results.filter((result) => result.passed).length;
  return {
    suites,
    sixWayMean: all ? mean(suites.map(({ printed }) => printed)) : null,
    sixWayMeanUnrounded: all ? mean(suites.map(({ accuracy }) => accuracy)) : null,
    pooled:
      n === 0 ? null : { n, passed, accuracy: (passed / n) * 100, interval: percentInterval(passed, n) },
    complete: all && suites.every((suite) => suite.complete),
  };
}

function scoreOf(suite: MathsSuite, size: number, results: readonly MathsResult[]): MathsSuiteScore {
  const n = results.length;
  const passed = results.filter((result) => result.passed).length;
  const methods: Partial<Record<MathsMethod, number>> = {};
  for (const { method } of results) methods[method] = (methods[method] ?? 0) + 1;
  const accuracy = (passed / n) * 100;
  return {
    suite,
    n,
    passed,
    accuracy,
    printed: toOneDecimal(accuracy),
    interval: percentInterval(passed, n),
    complete: n === size,
    methods,
  };
}

function percentInterval(passed: number, n: number): Interval {
  const { low, high } = wilsonInterval(passed, n);
  return { low: low * 100, high: high * 100 };
}

/** As NumPy rounds: the tenfold to the nearest whole number, halves to the even one, and a tenth of that. */
function toOneDecimal(value: number): number {
  const tenfold = value * 10;
  const below = Math.floor(tenfold);
  const over = tenfold - below;
  return (over > 0.5 || (over === 0.5 && below % 2 === 1) ? below + 1 : below) / 10;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
