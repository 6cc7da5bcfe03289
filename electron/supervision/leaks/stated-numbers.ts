import { SMALL_NUMBERS, TENS } from '../../core/index.ts';
import { OPERATORS, PHRASES, SCALES, type Rewriting } from './phrases.ts';
import { add, decimalFraction, divide, fraction, multiply, negate, type Fraction } from './values.ts';

const BASES: Record<string, number> = { binary: 2, octal: 8, hex: 16, hexadecimal: 16 };

/** "2a in hex", "52 (base 8)", "octal 52": numbers whose base is named. */
function inNamedBase(text: string): bigint[] {
  const found: bigint[] = [];
  const read = (digits: string, base: number): void => {
    const value = Number.parseInt(digits, base);
    const isWhole =
      base >= 2 && base <= 36 && value.toString(base).padStart(digits.length, '0') === digits.toLowerCase();
    if (isWhole && Number.isSafeInteger(value)) found.push(BigInt(value));
  };
  for (const [, digits, base, number] of text.matchAll(
    /\b([0-9a-z]{1,16})[ ,]{1,2}\(?(?:(?:in|as|of) )?(?:(binary|octal|hex(?:adecimal)?)\b|(?:base|radix) (\d{1,2}))/gi,
  ))
    read(digits!, base ? BASES[base.toLowerCase()]! : Number(number));
  for (const [, base, digits] of text.matchAll(
    /\b(binary|octal|hex(?:adecimal)?)[ :]{1,2}([0-9a-f]{1,16})\b/gi,
  ))
    read(digits!, BASES[base!.toLowerCase()]!);
  return found;
}

const TOKEN = /0x[0-9a-f]+|0b[01]+|0o[0-7]+|\d[\d_]*(?:,\d{3}(?!\d))*(?:\.\d+)?(?:e[-+]?\d+)?|[-+*/^()]/gi;

type Run = { text: string; tokens: string[] };

/**
 * Every number a text states: in digits, words, hexadecimal, as a fraction, as digits with gaps, or as simple arithmetic
 * (`6*7`, `40 plus 2`, `2^5`). Values are exact.
 */
export function statedNumbers(text: string): Fraction[] {
  const found: Fraction[] = [];
  const push = (value: Fraction | null): void => {
    if (value !== null) found.push(value);
  };
  const plain = plainArithmetic(text);
  for (const { tokens } of runs(plain)) {
    for (const token of tokens) push(numberOf(token));
    tokens.forEach((token, index) => {
      const before = tokens[index - 1];
      if (token === '-' && (before === undefined || '(+-*/^'.includes(before))) {
        const value = numberOf(tokens[index + 1] ?? '');
        if (value) found.push(negate(value));
      }
    });
    push(valueOf(tokens));
  }
  // "4 2 1" and "4-2-1" may be one number spelled digit by digit.
  const digitByDigit = inDigits(text).replace(/,? (?:then|followed by)(?: an?)? (?=\d)/gi, ' ');
  for (const match of digitByDigit.matchAll(/(?<![\w.])-?\d(?:[ \-,._]{1,2}\d){1,30}(?![\w])/g))
    push(decimalFraction(match[0].replace(/(?!^-)[^\d]/g, '')));
  for (const match of text.matchAll(/(?<![\w.])-?\d{1,3}(?:,\d{3})+(?!\d)/g))
    push(decimalFraction(match[0].replaceAll(',', '')));
  for (const match of text.matchAll(/(?<![\w.,])-?\d+,\d{1,2}(?!\d|[.,]\d)/g))
    push(decimalFraction(match[0].replace(',', '.')));
  for (const value of inNamedBase(text)) push(fraction(value));
  return found;
}

/** What numbers and arithmetic come to, in order: "20+1, 64+1" is 21 and 65. */
export const reckonedInTurn = (text: string): Fraction[] =>
  runs(plainArithmetic(text)).flatMap(
    ({ tokens }) => valueOf(tokens) ?? tokens.flatMap((token) => numberOf(token) ?? []),
  );

/** Values that arithmetic in a text comes to, without the numbers it is made of. */
export const reckonedNumbers = (text: string): Fraction[] =>
  runs(plainArithmetic(text)).flatMap(({ tokens }) => valueOf(tokens) ?? []);

/** Every number word as digits, every phrase of arithmetic as its operators. */
export function plainArithmetic(text: string): string {
  return [OPERATORS, PHRASES, PHRASES].reduce(rewritten, inDigits(text));
}

const rewritten = (text: string, rules: readonly Rewriting[]): string =>
  // TypeScript has no overload of replace for "a text or a function".
  rules.reduce((current, [pattern, by]) => current.replace(pattern, by as string), text);

/** Stretches of numbers and operators with nothing but spaces between them; also each part where two numbers meet without operator. */
function runs(text: string): Run[] {
  const found: Run[] = [];
  let run: Run | null = null;
  let end = -1;
  for (const match of text.matchAll(TOKEN)) {
    const [token, at] = [match[0], match.index];
    // Digits inside an identifier (x1, f2) are names, not numbers.
    if (/^\d/.test(token) && /[\p{L}_]$/u.test(text.slice(Math.max(0, at - 1), at))) {
      run = null;
      end = -1;
      continue;
    }
    const adjacent = run !== null && /^\s*$/.test(text.slice(end, at));
    const previous = run?.tokens.at(-1);
    const twoNumbers = previous !== undefined && /\d|\)/.test(previous.at(-1)!) && /^[\d(]/.test(token);
    if (!adjacent || twoNumbers || run === null) {
      run = { text: '', tokens: [] };
      found.push(run);
    }
    run.tokens.push(token);
    end = at + token.length;
  }
  return found.filter(({ tokens }) => tokens.some((token) => /\d/.test(token)));
}

function numberOf(token: string): Fraction | null {
  if (/^0[xbo]/i.test(token)) return fraction(BigInt(token));
  return /^\d/.test(token) ? decimalFraction(token.replaceAll(',', '')) : null;
}

/** Value of an arithmetic run; null when it is none. Powers stay below 2^900, so that a tower of them costs nothing. */
function valueOf(tokens: string[]): Fraction | null {
  let at = 0;
  if (tokens.length < 2 || tokens.length > 40) return null;
  const take = (token: string): boolean => tokens[at] === token && ++at > 0;
  function sum(): Fraction | null {
    let value = product();
    while (value && (tokens[at] === '+' || tokens[at] === '-')) {
      const plus = tokens[at++] === '+';
      const right = product();
      value = right && add(value, plus ? right : negate(right));
    }
    return value;
  }
  function product(): Fraction | null {
    let value = power();
    while (value && (tokens[at] === '*' || tokens[at] === '/')) {
      const times = tokens[at++] === '*';
      const right = power();
      value = right && (times ? multiply(value, right) : divide(value, right));
    }
    return value;
  }
  function power(): Fraction | null {
    const base = unary();
    if (!base || !take('^')) return base;
    const exponent = unary();
    const isSmall = [base.n, -base.n, base.d].every((part) => part <= 10_000n);
    if (!exponent || exponent.d !== 1n || exponent.n < 0n || exponent.n > 64n || !isSmall) return null;
    return fraction(base.n ** exponent.n, base.d ** exponent.n);
  }
  function unary(): Fraction | null {
    if (take('-')) {
      const value = unary();
      return value && negate(value);
    }
    if (take('(')) {
      const value = sum();
      return take(')') ? value : null;
    }
    return numberOf(tokens[at++] ?? '');
  }
  const value = sum();
  return at === tokens.length ? value : null;
}

const VALUES = new Map<string, number>([
  ...SMALL_NUMBERS.map((word, index): [string, number] => [word, index]),
  ...TENS.map((word, index): [string, number] => [word, (index + 2) * 10]),
]);

const WORD = new RegExp(`^(?:${[...VALUES.keys(), ...Object.keys(SCALES)].join('|')})$`, 'i');
const JOINED = new RegExp(`\\b(${TENS.join('|')})(${SMALL_NUMBERS.slice(1, 10).join('|')})\\b`, 'gi');
/** Between two number words only. */
const LINK = /^(?:[ \t]*-[ \t]*|[ \t]+and[ \t]+|[ \t]+)$/i;

/** Rewrites numbers spelled out in English ("forty-two", "one hundred and five") in digits; everything else stays as it was. */
export function inDigits(text: string): string {
  const parts = text.replace(JOINED, '$1-$2').split(/([A-Za-z]+)/);
  let result = '';
  for (let at = 0; at < parts.length; at++) {
    if (!WORD.test(parts[at]!)) {
      result += parts[at];
      continue;
    }
    const run = [parts[at]!.toLowerCase()];
    let next = at;
    for (;;) {
      const [link, word] = extension(parts, next);
      if (word === null || !continues(run, word.toLowerCase())) break;
      run.push(word.toLowerCase());
      next += link;
    }
    result += String(numberForWords(run));
    at = next;
  }
  return result;
}

/** The next number word after index `at` and how many parts away it lies; "and" may stand between. */
function extension(parts: string[], at: number): [number, string | null] {
  const near = parts[at + 2];
  if (near !== undefined && WORD.test(near) && LINK.test(parts[at + 1]!)) return [2, near];
  const far = parts[at + 4];
  if (
    near?.toLowerCase() === 'and' &&
    far !== undefined &&
    WORD.test(far) &&
    LINK.test(parts[at + 1]!) &&
    LINK.test(parts[at + 3]!)
  )
    return [4, far];
  return [0, null];
}

/** "twenty one" is one number, "one two" are two, "four and eight" too. */
function continues(run: string[], word: string): boolean {
  const last = run.at(-1)!;
  if (word in SCALES) return true;
  const value = VALUES.get(word)!;
  if (last in SCALES) return value < SCALES[last]!;
  return VALUES.get(last)! >= 20 && value > 0 && value < 10;
}

/** Value of a run of number words. */
function numberForWords(run: string[]): number {
  let total = 0;
  let current = 0;
  for (const word of run) {
    const scale = SCALES[word];
    if (scale === undefined) current += VALUES.get(word)!;
    else if (scale === 100) current = (current || 1) * 100;
    else {
      total += (current || 1) * scale;
      current = 0;
    }
  }
  return total + current;
}

/** English for an integer below a million in size; the inverse of `inDigits` for seeded tests and for comparisons. */
export function wordsForNumber(value: number): string {
  if (value < 0) return `minus ${wordsForNumber(-value)}`;
  if (value < 20) return SMALL_NUMBERS[value]!;
  if (value < 100)
    return TENS[Math.floor(value / 10) - 2]! + (value % 10 ? `-${SMALL_NUMBERS[value % 10]}` : '');
  const [size, name] = value < 1000 ? [100, 'hundred'] : [1000, 'thousand'];
  return `${wordsForNumber(Math.floor(value / size))} ${name}${value % size ? ` ${wordsForNumber(value % size)}` : ''}`;
}
