import type { Comparison, GraderClient } from '../../processes/index.ts';
import { extractAnswer } from './extract.ts';
import type { MathsItem } from './items.ts';
import { untilStop, type MathsProtocol } from './prompt.ts';
import { unboxed } from './normal/repaired.ts';
import { qwenEqual } from './qwen-equality.ts';
import { exactNumber, sameNumber, withinTolerance } from './rational.ts';
import { mathsSuite } from './suites.ts';

/**
 * What decided. exact: the same text. rational: both are numbers, compared exactly (or within the tolerance the item allows).
 * qwen: a rule of Qwen's grader. math-verify: the comparison process. timeout: it was killed over this pair. lost: it died of it
 * twice. no-answer: nothing to compare was found. no-gold: the published form of the gold is empty, nobody can pass. too-long: an
 * answer no process is troubled with.
 */
export type MathsMethod =
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
