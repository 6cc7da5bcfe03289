import type { EncodedValue } from '../../contract/index.ts';
import { hexToDouble, hexToInt, parseLiteral } from '../../core/index.ts';

/** A leaf of a gold literal: something a sentence could state. */
export type Atom =
  | { kind: 'number'; value: Fraction }
  | { kind: 'text'; text: string }
  | { kind: 'word'; text: string };

export type GoldValue = {
  atoms: Atom[];
  /** True for a bare number, string or constant; false for a container. */
  single: boolean;
  /** About how many bits of guessing the literal spares; see `ENOUGH_BITS`. */
  bits: number;
};

/**
 * Below this an answer is a guess away: single digits, truth values, options. Reviews are full of such values ("step 7"), so what
 * counts is whether one stands where a value is told (`guesses.ts`).
 */
export const ENOUGH_BITS = 5;
const BITS_PER_DIGIT = Math.log2(10);
const BITS_PER_LETTER = Math.log2(26);

/** A gold literal by its parts; text that is no literal counts as one string. */
export function goldValue(literal: string): GoldValue {
  const parsed = parseLiteral(literal, { extended: true });
  const atoms = parsed.ok ? atomsOf(parsed.encoded) : [{ kind: 'text' as const, text: literal.trim() }];
  const single = !parsed.ok || !['l', 't', 'S', 'F', 'd'].includes(parsed.encoded[0]);
  return { atoms, single, bits: atoms.reduce((sum, atom) => sum + bitsOf(atom), 0) };
}

function bitsOf(atom: Atom): number {
  if (atom.kind === 'word') return 1;
  if (atom.kind === 'text') return BITS_PER_LETTER * atom.text.replace(/[^\p{L}\p{N}]/gu, '').length;
  const digits = (value: bigint): number => String(value < 0n ? -value : value).length;
  return BITS_PER_DIGIT * (digits(atom.value.n) + (atom.value.d === 1n ? 0 : digits(atom.value.d)));
}

function atomsOf(encoded: EncodedValue): Atom[] {
  const number = (value: Fraction | null): Atom[] =>
    value ? [{ kind: 'number', value }] : [{ kind: 'word', text: 'nan' }];
  switch (encoded[0]) {
    case 'n':
      return [{ kind: 'word', text: 'None' }];
    case 'b':
      return [{ kind: 'word', text: encoded[1] ? 'True' : 'False' }];
    case 'i':
      return number(fraction(hexToInt(encoded[1])));
    case 'f':
      return number(doubleFraction(hexToDouble(encoded[1])));
    case 'z':
      return [
        ...number(doubleFraction(hexToDouble(encoded[1]))),
        ...number(doubleFraction(hexToDouble(encoded[2]))),
      ];
    case 's':
      return [{ kind: 'text', text: encoded[1] }];
    case 'y':
      return [{ kind: 'text', text: Buffer.from(encoded[1], 'hex').toString('latin1') }];
    case 'l':
    case 't':
    case 'S':
    case 'F':
      return encoded[1].flatMap(atomsOf);
    case 'd':
      return encoded[1].flatMap(([key, value]) => [...atomsOf(key), ...atomsOf(value)]);
  }
}

/** An exact rational, lowest terms, positive denominator. */
export type Fraction = { n: bigint; d: bigint };

const gcd = (a: bigint, b: bigint): bigint => {
  let [x, y] = [a < 0n ? -a : a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
};

/** Null for a zero denominator. */
export function fraction(n: bigint, d: bigint = 1n): Fraction | null {
  if (d === 0n) return null;
  if (d === 1n) return { n, d };
  const sign = d < 0n ? -1n : 1n;
  const divisor = gcd(n, d * sign) || 1n;
  return { n: (n * sign) / divisor, d: (d * sign) / divisor };
}

/** Text of a decimal number ("-12.50", "1e3", "1_000") as an exact fraction; null for anything else or more than 60 characters. */
export function decimalFraction(text: string): Fraction | null {
  const match = /^([-+]?)(\d[\d_]*)(?:\.(\d+))?(?:e([-+]?\d{1,3}))?$/i.exec(text);
  if (!match || text.length > 60) return null;
  const decimals = match[3] ?? '';
  const digits = BigInt(match[2]!.replaceAll('_', '') + decimals) * (match[1] === '-' ? -1n : 1n);
  const exponent = Number(match[4] ?? '0') - decimals.length;
  return exponent >= 0
    ? fraction(digits * 10n ** BigInt(exponent))
    : fraction(digits, 10n ** BigInt(-exponent));
}

export const equal = (a: Fraction, b: Fraction): boolean => a.n === b.n && a.d === b.d;
export const add = (a: Fraction, b: Fraction): Fraction | null => fraction(a.n * b.d + b.n * a.d, a.d * b.d);
export const negate = (a: Fraction): Fraction => ({ n: -a.n, d: a.d });
export const multiply = (a: Fraction, b: Fraction): Fraction | null => fraction(a.n * b.n, a.d * b.d);
export const divide = (a: Fraction, b: Fraction): Fraction | null => fraction(a.n * b.d, a.d * b.n);

/** True when both agree to four decimals, the precision at which a rounded number still gives an answer away. */
export function nearlyEqual(a: Fraction, b: Fraction): boolean {
  const difference = add(a, negate(b));
  return difference !== null && (difference.n < 0n ? -difference.n : difference.n) * 20_000n <= difference.d;
}

/** Exact value of a finite double. */
function doubleFraction(value: number): Fraction | null {
  if (!Number.isFinite(value)) return null;
  return decimalFraction(String(value));
}

/** Whether `wanted` stands in `tokens` as a run without gaps (Knuth, Morris and Pratt: linear whatever repeats). */
export function includesRun(tokens: readonly string[], wanted: readonly string[]): boolean {
  if (wanted.length === 0 || wanted.length > tokens.length) return wanted.length === 0;
  const back = [0];
  for (let at = 1, held = 0; at < wanted.length; at += 1) {
    while (held > 0 && wanted[at] !== wanted[held]) held = back[held - 1]!;
    if (wanted[at] === wanted[held]) held += 1;
    back.push(held);
  }
  let held = 0;
  for (const token of tokens) {
    while (held > 0 && token !== wanted[held]) held = back[held - 1]!;
    if (token === wanted[held]) held += 1;
    if (held === wanted.length) return true;
  }
  return false;
}
