import { asciiDigits } from '../../../core/index.ts';

const DECIMAL = /^([+-]?)(?=\d|\.\d)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
const LEADING_ZEROS = /^([+-]?)0+(?=\d)/;
const INFINITE = /^([+-]?)inf(?:inity)?$/i;
const NOT_A_NUMBER = /^[+-]?s?nan\d*$/i;

/** Longer words are no decimals; nobody writes such a number in two ways. */
const MOST_CHARACTERS = 100_000;
/** The range of Python's Decimal: the power of ten of the first digit at most, and of the last one at least. */
const [HIGHEST, LOWEST] = [999_999_999_999_999_999n, -1_999_999_999_999_999_997n];
const EXPONENT_CHARACTERS = LOWEST.toString().length;

/** Characters that are read between two places where the work may rest: about a millisecond. */
const CHARACTERS_PER_REST = 20_000;

type LineComparison = { same: true } | { same: false; why: 'lineCount' | 'line'; line: number };

/**
 * LiveCodeBench's comparison of a program's output with the expected one: line by line after trimming the whole and every
 * line. Lines are the same when their text is, or when both are numbers throughout and equal as decimals, exactly: 1.50 is
 * 1.5, and 0.30000000000000004 is not 0.3. Another number of lines is wrong. Linear, and yields wherever it may rest.
 */
export function* compareOutputs(printed: string, expected: string): Generator<undefined, LineComparison> {
  const [left, right] = [strip(printed), strip(expected)];
  yield;
  const [lines, wanted] = [countLines(left), countLines(right)];
  yield;
  if (lines !== wanted) return { same: false, why: 'lineCount', line: Math.min(lines, wanted) };
  let [leftAt, rightAt, read] = [0, 0, 0];
  for (let line = 0; line < lines; line += 1) {
    const [leftEnd, rightEnd] = [endOfLine(left, leftAt), endOfLine(right, rightAt)];
    const [own, other] = [strip(left.slice(leftAt, leftEnd)), strip(right.slice(rightAt, rightEnd))];
    if (own !== other && !(yield* sameDecimals(own, other))) return { same: false, why: 'line', line };
    read += leftEnd - leftAt + 1;
    [leftAt, rightAt] = [leftEnd + 1, rightEnd + 1];
    if (read < CHARACTERS_PER_REST) continue;
    read = 0;
    yield;
  }
  return { same: true };
}

/** White space as Python's str.strip and str.split know it; JavaScript's own differs in a few characters. */
function isSpace(code: number): boolean {
  if (code <= 0x20) return code >= 0x1c || (code >= 0x09 && code <= 0x0d);
  if (code < 0x1680) return code === 0x85 || code === 0xa0;
  return (
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  );
}

function strip(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && isSpace(text.charCodeAt(from))) from += 1;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

/** Counted before a line is taken out: of millions of short ones, each would be a text of its own. */
function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at < 0 ? text.length : at;
}

/** Whether two lines are as many decimal numbers, each equal to the other's; one word of each is looked at in turn. */
function* sameDecimals(left: string, right: string): Generator<undefined, boolean> {
  let [leftAt, rightAt, read] = [0, 0, 0];
  for (;;) {
    const [own, other] = [nextWord(left, leftAt), nextWord(right, rightAt)];
    if (own === null || other === null) return own === other;
    const [word, wanted] = [left.slice(...own), right.slice(...other)];
    const number = decimalKey(word);
    if (number === null || number === 'nan') return false;
    if (word !== wanted && number !== decimalKey(wanted)) return false;
    read += own[1] - leftAt + 1;
    [leftAt, rightAt] = [own[1], other[1]];
    if (read < CHARACTERS_PER_REST) continue;
    read = 0;
    yield;
  }
}

/** Where the next word begins and ends; null behind the last one. */
function nextWord(line: string, at: number): [number, number] | null {
  let from = at;
  while (from < line.length && isSpace(line.charCodeAt(from))) from += 1;
  let to = from;
  while (to < line.length && !isSpace(line.charCodeAt(to))) to += 1;
  return to === from ? null : [from, to];
}

/**
 * Text that two decimal numbers share exactly when they are equal; 'nan' equals nothing. Python allows underscores in them, and digits of
 * any script. Null for what is none, which is as in Python also one beyond the range of its exponents.
 */
export function decimalKey(word: string): string | null {
  if (word.length > MOST_CHARACTERS) return null;
  const text = asciiDigits(word.replaceAll('_', ''));
  if (NOT_A_NUMBER.test(text)) return 'nan';
  const infinite = INFINITE.exec(text);
  if (infinite) return infinite[1] === '-' ? '-inf' : 'inf';
  const match = DECIMAL.exec(text);
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = '', written = '0'] = match;
  const exponent = written.replace(LEADING_ZEROS, '$1');
  if (exponent.length > EXPONENT_CHARACTERS) return null;
  const lowest = BigInt(exponent) - BigInt(fraction.length);
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const highest = lowest + BigInt(Math.max(0, digits.length - 1));
  if (lowest < LOWEST || highest > HIGHEST) return null;
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  if (end === 0) return '0';
  return `${sign === '-' ? '-' : ''}${digits.slice(0, end)}e${lowest + BigInt(digits.length - end)}`;
}
