import type { Comparison, GraderClient } from '../../processes/index.ts';
import { LONGEST_ANSWER } from './normal/compatible.ts';
import { unboxed, exactNumber, sameNumber, withinTolerance } from './normal/repaired.ts';
import { extractAnswer, extractWhole, untilStop, type MathsProtocol } from './protocol.ts';
import { type MathsItem, mathsSuite } from './suites.ts';

/**
 * What decided. exact: the same text. rational: both are numbers, compared exactly. tolerance: no part differs by more than the item allows.
 * qwen: a rule of Qwen's grader. math-verify: the comparison process. timeout: it was killed over this pair. lost: it died of it
 * twice. no-answer: nothing to compare was found. no-gold: the published form of the gold is empty, nobody can pass. too-long: an
 * answer no process is troubled with.
 */
type MathsMethod =
  | 'exact'
  | 'rational'
  | 'tolerance'
  | 'qwen'
  | 'math-verify'
  | 'timeout'
  | 'lost'
  | 'no-answer'
  | 'no-gold'
  | 'too-long';

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

/** math-verify compares numbers to 15 digits, so a difference beyond them is not ours to find. */
const SAFE_DIGITS = 15;

type Settle = (passed: boolean, method: MathsMethod, more?: Partial<MathsGrade>) => MathsGrade;

/**
 * Grades one response: exact text, then exact number, then the comparison process. In repaired mode both texts are compared as they
 * stand, too, and with the item's tolerances. Throws only when no process can be started.
 */
export async function gradeMaths(
  item: MathsItem,
  response: string,
  protocol: MathsProtocol,
  tools: MathsTools,
): Promise<MathsGrade> {
  const began = tools.now();
  const text = untilStop(response);
  const whole = protocol.mode === 'repaired' ? extractWhole(text, protocol.extraction) : null;
  const extracted =
    protocol.mode === 'repaired'
      ? (whole?.form ?? null)
      : extractAnswer(text, protocol.extraction, protocol.mode, mathsSuite(item.suite).keepUnits);
  const gold = item.gold[protocol.mode];
  const settled: Settle = (passed, method, more = {}) => ({
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
  if (extracted.length > LONGEST_ANSWER) return settled(false, 'too-long');
  const answer = unboxed(extracted);
  const quick = quickVerdict(answer, gold, whole !== null);
  if (quick?.passed) return settled(true, quick.method);
  if (protocol.equality === 'math-verify') {
    if (whole !== null) return gradeWhole(item, whole.whole, answer, quick, tools, settled);
    if (quick !== null) return settled(false, quick.method);
    return byProcess(await tools.grader.compare({ gold, answer: extracted }), settled);
  }
  let last: Comparison | null = null;
  const passed = await qwenEqual(answer, gold, async (one, other) => {
    last = await tools.grader.compare({ gold: other, answer: one });
    return last.outcome === 'compared' && last.equal;
  });
  return last === null ? settled(passed, 'qwen') : { ...byProcess(last, settled), passed };
}

/** Text in which a number means its hundredth, perhaps: then the number alone decides nothing. */
const PER_CENT = /%|\bper\s?cent|\bpct\b/i;

/** One number, perhaps, with a comma for a point: math-verify reads it so where it is no formula. */
const DECIMAL_COMMA = /^[-+]?\d+,(?!\d{3}$)\d+$/;

/**
 * The rest of repaired mode: tolerances, then math-verify over both texts as they stand, then over their repaired forms.
 * @param quick what exact numbers said of the forms: they differ, or nothing.
 */
async function gradeWhole(
  { gold, tolerance }: MathsItem,
  whole: string,
  form: string,
  quick: ReturnType<typeof quickVerdict>,
  tools: MathsTools,
  settled: Settle,
): Promise<MathsGrade> {
  if (tolerance !== null && (await withinTolerances(form, gold.repaired, tolerance, tools)))
    return settled(true, 'tolerance');
  const mayBeShare = PER_CENT.test(whole) || PER_CENT.test(gold.whole);
  if (quick !== null && !mayBeShare) return settled(false, quick.method);
  const standing = byProcess(await tools.grader.compare({ gold: gold.whole, answer: whole }), settled);
  if (standing.passed) return standing;
  if (DECIMAL_COMMA.test(whole) || DECIMAL_COMMA.test(gold.whole)) {
    const pair = { gold: gold.whole, answer: whole, boxed: false, targets: ['expr'] as const };
    const plain = byProcess(await tools.grader.compare(pair), settled);
    if (plain.passed) return plain;
  }
  if (form === whole && gold.repaired === gold.whole) return standing;
  return byProcess(await tools.grader.compare({ gold: gold.repaired, answer: form }), settled);
}

/**
 * Whether the parts of both lists can be paired so that each pair differs by no more than its tolerance (that of the gold's part), in
 * any order, as in OlympiadBench's judge. Parts that are no plain numbers are evaluated by the comparison process.
 */
async function withinTolerances(
  answer: string,
  gold: string,
  tolerances: readonly number[],
  tools: MathsTools,
): Promise<boolean> {
  const [left, wanted] = [partsOf(answer), partsOf(gold)];
  if (left.length !== wanted.length) return false;
  for (const [index, part] of wanted.entries()) {
    const tolerance = tolerances[tolerances.length === 1 ? 0 : index];
    if (tolerance === undefined) return false;
    let found = -1;
    for (let at = 0; at < left.length && found < 0; at += 1)
      if (await isNear(left[at]!, part, tolerance, tools)) found = at;
    if (found < 0) return false;
    left.splice(found, 1);
  }
  return true;
}

async function isNear(answer: string, gold: string, tolerance: number, tools: MathsTools): Promise<boolean> {
  const [first, second] = [exactNumber(answer, true), exactNumber(gold, true)];
  if (first !== null && second !== null) return withinTolerance(first, second, tolerance);
  const comparison = await tools.grader.compare({ gold, answer, tolerance });
  return comparison.outcome === 'compared' && comparison.equal;
}

/** The parts of a list between its commas, those within brackets and those of a large number aside. */
function partsOf(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const [index, character] of [...text].entries()) {
    depth += '([{'.includes(character) ? 1 : ')]}'.includes(character) ? -1 : 0;
    const isNumber = /^\d{3}(?!\d)/.test(text.slice(index + 1)) && /\d$/.test(parts.at(-1)!);
    if (character === ',' && depth === 0 && !isNumber) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim());
}

/** What text and exact numbers can decide; null when neither can. */
export function quickVerdict(
  answer: string,
  gold: string,
  powers: boolean,
): { passed: boolean; method: 'exact' | 'rational' } | null {
  if (answer === gold) return { passed: true, method: 'exact' };
  const [first, second] = [exactNumber(answer, powers), exactNumber(gold, powers)];
  if (first === null || second === null) return null;
  if (sameNumber(first, second)) return { passed: true, method: 'rational' };
  // Unequal decimals may still agree to the six places that math-verify rounds to.
  const decided =
    first.whole &&
    second.whole &&
    [answer, gold].every((text) => text.replaceAll(/\D/g, '').length < SAFE_DIGITS);
  return decided ? { passed: false, method: 'rational' } : null;
}

function byProcess(comparison: Comparison, settled: Settle): MathsGrade {
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

/** Whether two texts mean the same by symbolic means; asked only when no rule below decides. */
type Symbolic = (answer: string, gold: string) => Promise<boolean>;

const RELATIVE_TOLERANCE = 1e-4;
const LISTS = /^[([].+[)\]]/s;
const MATRIX = /^\\begin\{[pb]matrix\}([\s\S]*)\\end\{[pb]matrix\}$/;

/**
 * The rules of Qwen's grader: text without regard for case, numbers to one part in 10,000, a hundredfold or hundredth accepted,
 * brackets passed over, lists and matrices part by part, equations by the difference of their sides; then `symbolic`.
 */
export async function qwenEqual(answer: string, gold: string, symbolic: Symbolic): Promise<boolean> {
  const [first, second] = [answer.trim(), gold.trim()];
  if (first.toLowerCase() === second.toLowerCase()) return true;
  if (/^[A-E]$/.test(second) && chosenLetter(first) === second) return true;
  const [a, b] = [number(first), number(second)];
  if (a !== null && b !== null && [b / 100, b, b * 100].some((value) => close(value, a))) return true;
  if (first === '') return false;
  const reference = first.includes('pmatrix') && !second.includes('pmatrix') ? asMatrices(second) : second;
  if (withoutBrackets(first, reference) === withoutBrackets(reference, first)) return true;
  if (LISTS.test(first) && LISTS.test(reference))
    return everyPart(first.slice(1, -1).split(','), reference.slice(1, -1).split(','), symbolic);
  const [left, right] = [MATRIX.exec(first)?.[1], MATRIX.exec(reference)?.[1]];
  if (left !== undefined && right !== undefined) return equalMatrices(left, right, symbolic);
  return equalEquations(first, reference, symbolic);
}

async function equalEquations(answer: string, gold: string, symbolic: Symbolic): Promise<boolean> {
  const [answerSides, goldSides] = [answer.split('='), gold.split('=')];
  if (answerSides.length === 2 && goldSides.length === 2) {
    const [one, other] = [answerSides, goldSides].map(([l, r]) => `${l!.trim()}-(${r!.trim()})`);
    return (await symbolic(one!, other!)) || symbolic(`-(${one})`, other!);
  }
  if (isNamed(answerSides) && !gold.includes('=')) return qwenEqual(answerSides[1]!, gold, symbolic);
  if (isNamed(goldSides) && !answer.includes('=')) return qwenEqual(answer, goldSides[1]!, symbolic);
  return symbolic(answer, gold);
}

const isNamed = (sides: readonly string[]): boolean => sides.length === 2 && sides[0]!.trim().length <= 2;

async function everyPart(
  answer: readonly string[],
  gold: readonly string[],
  symbolic: Symbolic,
): Promise<boolean> {
  if (answer.length !== gold.length) return false;
  for (const [index, part] of answer.entries())
    if (!(await qwenEqual(part, gold[index]!, symbolic))) return false;
  return true;
}

async function equalMatrices(answer: string, gold: string, symbolic: Symbolic): Promise<boolean> {
  const rows = (text: string): string[] =>
    text
      .split('\\\\')
      .map((row) => row.trim())
      .filter((row) => row !== '');
  const [answerRows, goldRows] = [rows(answer), rows(gold)];
  if (answerRows.length !== goldRows.length) return false;
  for (const [index, row] of answerRows.entries())
    if (!(await everyPart(row.split('&'), goldRows[index]!.split('&'), symbolic))) return false;
  return true;
}

/** What Python's float() reads, commas left out; a percentage as its hundredth. */
function number(text: string): number | null {
  const plain = text.replaceAll(',', '').trim();
  const percentage = /\\?%$/.test(plain);
  const digits = plain.replace(/\\?%$/, '');
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(digits)
    ? Number(digits) / (percentage ? 100 : 1)
    : null;
}

const close = (a: number, b: number): boolean =>
  Math.abs(a - b) <= RELATIVE_TOLERANCE * Math.max(Math.abs(a), Math.abs(b));

function chosenLetter(text: string): string {
  return (
    text
      .toUpperCase()
      .match(/\b[A-E]\b/g)
      ?.at(-1) ?? ''
  );
}

/** Round and square brackets around a whole text count for nothing unless the other text has the other kind. */
function withoutBrackets(text: string, other: string): string {
  const around = (value: string, open: string, shut: string): boolean =>
    value.startsWith(open) && value.endsWith(shut);
  const [square, round] = [
    ['[', ']'],
    ['(', ')'],
  ] as const;
  const mayGo = (one: string, two: string): boolean =>
    (around(one, ...square) && !around(two, ...round)) || (around(one, ...round) && !around(two, ...square));
  const bare = mayGo(text, other) || mayGo(other, text) ? text.replace(/^[[\]()]+|[[\]()]+$/g, '') : text;
  return bare.replaceAll(/[{}()]/g, '').toLowerCase();
}

/** "{1,2},{3,4}" as matrices of one column, for a gold that is written as a list of lists. */
function asMatrices(text: string): string {
  return (text.match(/\{.*,.*\}/g) ?? [])
    .map(
      (part) => `\\begin{pmatrix}${part.replace(/^[{}]+|[{}]+$/g, '').replaceAll(',', '\\')}\\end{pmatrix}`,
    )
    .join(', ');
}
