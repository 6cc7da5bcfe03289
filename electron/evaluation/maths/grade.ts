import { wilsonInterval, type Interval } from '../../core/index.ts';
import type { Comparison, GraderClient } from '../../processes/index.ts';
import { extractAnswer } from './extract.ts';
import { unboxed, exactNumber, sameNumber, withinTolerance } from './normal/repaired.ts';
import { untilStop, type MathsProtocol } from './prompt.ts';
import { qwenEqual } from './qwen-equality.ts';
import { type MathsItem, mathsSuite, MATHS_SUITES, type MathsSuite } from './suites.ts';

/**
 * What decided. exact: the same text. rational: both are numbers, compared exactly (or within the tolerance the item allows).
 * qwen: a rule of Qwen's grader. math-verify: the comparison process. timeout: it was killed over this pair. lost: it died of it
 * twice. no-answer: nothing to compare was found. no-gold: the published form of the gold is empty, nobody can pass. too-long: an
 * answer no process is troubled with.
 */
type MathsMethod =
  'exact' | 'rational' | 'qwen' | 'math-verify' | 'timeout' | 'lost' | 'no-answer' | 'no-gold' | 'too-long';

export type MathsGrade = {
  passed: boolean;
  method: MathsMethod;
  /** The answer in the compared form; in compatible mode AZR's keep their box. */
  extracted: string | null;
  gold: string;
  /** Wall time of the whole grading. */
  milliseconds: number;
  /** Of the comparison process; null where it was not asked or was killed. */
  processorMilliseconds: number | null;
  /** What went wrong in the comparison process, which counts as a wrong answer. */
  problem: string | null;
  /** The pair ran out of wall time because the machine was busy: grading it again, alone, may end otherwise. */
  loadAffected: boolean;
};

export type MathsTools = {
  grader: Pick<GraderClient, 'compare'>;
  /** Monotonic milliseconds. */
  now: () => number;
};

/** Characters; the longest gold of the six sets has 162. */
const LONGEST_ANSWER = 10_000;
/** math-verify compares numbers to 15 digits, so a difference beyond them is not ours to find. */
const SAFE_DIGITS = 15;

/** Grades one response: exact text, then exact number, then the comparison process. Throws only when no process can be started. */
export async function gradeMaths(
  item: MathsItem,
  response: string,
  protocol: MathsProtocol,
  tools: MathsTools,
): Promise<MathsGrade> {
  const began = tools.now();
  const extracted = extractAnswer(
    untilStop(response),
    protocol.extraction,
    protocol.mode,
    mathsSuite(item.suite).keepUnits,
  );
  const gold = item.gold[protocol.mode];
  const settled = (passed: boolean, method: MathsMethod, more: Partial<MathsGrade> = {}): MathsGrade => ({
    passed,
    method,
    extracted,
    gold,
    milliseconds: tools.now() - began,
    processorMilliseconds: null,
    problem: null,
    loadAffected: false,
    ...more,
  });
  if (gold === '') return settled(false, 'no-gold');
  if (extracted === null) return settled(false, 'no-answer');
  const answer = unboxed(extracted);
  if (answer.length > LONGEST_ANSWER) return settled(false, 'too-long');
  const quick = quickVerdict(
    answer,
    gold,
    protocol.mode === 'repaired' ? item.tolerance : null,
    protocol.mode === 'repaired',
  );
  if (quick !== null) {
    if (quick.passed || protocol.equality === 'math-verify') return settled(quick.passed, quick.method);
  }
  if (protocol.equality === 'math-verify')
    return byProcess(await tools.grader.compare({ gold, answer: extracted }), settled);
  let last: Comparison | null = null;
  const passed = await qwenEqual(answer, gold, async (one, other) => {
    last = await tools.grader.compare({ gold: other, answer: one });
    return last.outcome === 'compared' && last.equal;
  });
  return last === null ? settled(passed, 'qwen') : { ...byProcess(last, settled), passed };
}

/** What text and exact numbers can decide; null when neither can. */
function quickVerdict(
  answer: string,
  gold: string,
  tolerance: number | null,
  powers: boolean,
): { passed: boolean; method: 'exact' | 'rational' } | null {
  if (answer === gold) return { passed: true, method: 'exact' };
  const [first, second] = [exactNumber(answer, powers), exactNumber(gold, powers)];
  if (first === null || second === null) return null;
  if (sameNumber(first, second) || (tolerance !== null && withinTolerance(first, second, tolerance)))
    return { passed: true, method: 'rational' };
  // Unequal decimals may still agree to the six places that math-verify rounds to.
  const decided =
    first.whole &&
    second.whole &&
    [answer, gold].every((text) => text.replaceAll(/\D/g, '').length < SAFE_DIGITS);
  return decided ? { passed: false, method: 'rational' } : null;
}

function byProcess(
  comparison: Comparison,
  settled: (passed: boolean, method: MathsMethod, more?: Partial<MathsGrade>) => MathsGrade,
): MathsGrade {
  if (comparison.outcome !== 'compared')
    return settled(false, comparison.outcome, {
      problem: comparison.reason,
      loadAffected: comparison.outcome === 'timeout' && comparison.limit === 'wall',
    });
  return settled(comparison.equal, 'math-verify', {
    processorMilliseconds: comparison.processorMs,
    problem: comparison.problem,
  });
}

export type MathsResult = { suite: MathsSuite; passed: boolean; method: MathsMethod };

type MathsSuiteScore = {
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

type MathsScores = {
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
