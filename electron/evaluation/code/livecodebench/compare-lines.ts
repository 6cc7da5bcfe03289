/** White space as Python's str.strip and str.split know it; JavaScript's own differs in a few characters. */
const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const AROUND = new RegExp(`^[${SPACE}]+|[${SPACE}]+$`, 'g');
const BETWEEN = new RegExp(`[${SPACE}]+`);
const DECIMAL = /^([+-]?)(?=\d|\.\d)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
const INFINITE = /^([+-]?)inf(?:inity)?$/i;

export type LineComparison = { same: true } | { same: false; why: 'lineCount' | 'line'; line: number };

/**
 * LiveCodeBench's comparison of a program's output with the expected one: line by line after trimming the whole and every
 * line. Lines are the same when their text is, or when both are numbers throughout and equal as decimals, exactly: 1.50 is
 * 1.5, and 0.30000000000000004 is not 0.3. Another number of lines is wrong.
 */
export function compareOutputs(printed: string, expected: string): LineComparison {
  const [left, right] = [linesOf(printed), linesOf(expected)];
  if (left.length !== right.length)
    return { same: false, why: 'lineCount', line: Math.min(left.length, right.length) };
  const line = left.findIndex(
    (text, index) => text !== right[index] && !sameDecimals(text, right[index] ?? ''),
  );
  return line < 0 ? { same: true } : { same: false, why: 'line', line };
}

const strip = (text: string): string => text.replace(AROUND, '');
const linesOf = (text: string): string[] => strip(text).split('\n').map(strip);

function sameDecimals(left: string, right: string): boolean {
  const [a, b] = [decimalsOf(left), decimalsOf(right)];
  return (
    a !== null &&
    b !== null &&
    a.length === b.length &&
    a.every((number, index) => number !== 'nan' && number === b[index])
  );
}

/** The numbers of a line in one spelling each; null when a word is no decimal number. */
function decimalsOf(line: string): string[] | null {
  const words = line.split(BETWEEN).filter((word) => word !== '');
  const numbers: string[] = [];
  for (const word of words) {
    const number = decimalKey(word);
    if (number === null) return null;
    numbers.push(number);
  }
  return numbers;
}

/** Text that two decimal numbers share exactly when they are equal; 'nan' equals nothing. Python allows underscores in them. */
export function decimalKey(word: string): string | null {
  const text = word.replaceAll('_', '');
  if (/^[+-]?s?nan\d*$/i.test(text)) return 'nan';
  const infinite = INFINITE.exec(text);
  if (infinite) return infinite[1] === '-' ? '-inf' : 'inf';
  const match = DECIMAL.exec(text);
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign === '-' ? '-' : ''}${significant}e${power}`;
}
