import { SMALL_NUMBERS, TENS } from '../../core/index.ts';
import { add, decimalFraction, divide, fraction, multiply, negate, type Fraction } from './values.ts';

/** Phrases that are arithmetic in disguise, rewritten as operators once number words are digits. */
const PHRASES: [RegExp, string][] = [
  [/\\(?:d?frac)\s*\{([^{}]*)\}\s*\{([^{}]*)\}/g, '($1)/($2)'],
  [/\\(?:times|cdot)/g, '*'],
  [/[×·]/g, '*'],
  [/÷/g, '/'],
  [/[−–—]/g, '-'],
  [/\b(?:twice|double(?: of)?)\s+(?=[\d(-])/gi, '2*'],
  [/\bhalf of\s+(?=[\d(-])/gi, '1/2*'],
  [/\b(?:times|multiplied by)\b/gi, '*'],
  [/\bdivided by\b/gi, '/'],
  [/\bplus\b/gi, '+'],
  [/\bminus\b/gi, '-'],
  [/\bnegative\s+(?=\d)/gi, '-'],
  [/\bover\b(?=\s*\d)/gi, '/'],
  [/\*\*/g, '^'],
];

const TOKEN = /0x[0-9a-f]+|0b[01]+|\d[\d_]*(?:,\d{3}(?!\d))*(?:\.\d+)?(?:e[-+]?\d+)?|[-+*/^()]/gi;

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
  for (const { tokens } of runs(plainArithmetic(text))) {
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
  for (const match of text.matchAll(/(?<![\w.])-?\d(?:[ \-,._]\d){1,30}(?![\w])/g))
    push(decimalFraction(match[0].replace(/(?!^-)[^\d]/g, '')));
  for (const match of text.matchAll(/(?<![\w.])-?\d{1,3}(?:,\d{3})+(?!\d)/g))
    push(decimalFraction(match[0].replaceAll(',', '')));
  return found;
}

export function plainArithmetic(text: string): string {
  return PHRASES.reduce(
    (current, [phrase, operator]) => current.replace(phrase, operator),
    digitsForWords(text),
  );
}

/** True when a number stands in the text on its own, in digits or words. */
export function statesAnyNumber(text: string): boolean {
  return statedNumbers(text).length > 0;
}

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
  if (/^0[xb]/i.test(token)) return fraction(BigInt(token));
  return /^\d/.test(token) ? decimalFraction(token.replaceAll(',', '')) : null;
}

/** Value of an arithmetic run; null when it is none. Powers stay below 2^256. */
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
    if (!exponent || exponent.d !== 1n || exponent.n < 0n || exponent.n > 64n || base.n > 10_000n)
      return null;
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

const SCALES: Record<string, number> = { hundred: 100, thousand: 1000, million: 1_000_000 };

const VALUES = new Map<string, number>([
  ...SMALL_NUMBERS.map((word, index): [string, number] => [word, index]),
  ...TENS.map((word, index): [string, number] => [word, (index + 2) * 10]),
]);

const WORD = new RegExp(`^(?:${[...VALUES.keys(), ...Object.keys(SCALES)].join('|')})$`, 'i');
/** Between two number words only. */
const LINK = /^(?:[ \t]*-[ \t]*|[ \t]+and[ \t]+|[ \t]+)$/i;

/** Rewrites numbers spelled out in English ("forty-two", "one hundred and five") in digits; everything else stays as it was. */
function digitsForWords(text: string): string {
  const parts = text.split(/([A-Za-z]+)/);
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

/** English for an integer below a million in size; the inverse of `digitsForWords` for seeded tests and for comparisons. */
export function wordsForNumber(value: number): string {
  if (value < 0) return `minus ${wordsForNumber(-value)}`;
  if (value < 20) return SMALL_NUMBERS[value]!;
  if (value < 100)
    return TENS[Math.floor(value / 10) - 2]! + (value % 10 ? `-${SMALL_NUMBERS[value % 10]}` : '');
  const [size, name] = value < 1000 ? [100, 'hundred'] : [1000, 'thousand'];
  return `${wordsForNumber(Math.floor(value / size))} ${name}${value % size ? ` ${wordsForNumber(value % size)}` : ''}`;
}
