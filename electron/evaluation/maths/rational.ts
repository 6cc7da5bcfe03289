import { unboxed } from './normal/repaired.ts';

/** An exact number; the denominator is positive and the fraction in lowest terms. `whole`: written without a decimal point. */
export type Rational = { numerator: bigint; denominator: bigint; whole: boolean };

const INTEGER = String.raw`(?:\d{1,3}(?:(?:,|\{,\})\d{3})+|\d+)`;
const DECIMAL = new RegExp(String.raw`^([-+]?)(${INTEGER})?(?:\.(\d+))?$`);
const FRACTION = new RegExp(
  String.raw`^([-+]?)(?:\\[td]?frac\{([-+]?)(${INTEGER})\}\{([-+]?)(${INTEGER})\}|(${INTEGER})/(${INTEGER}))$`,
);
const POWER_OF_TEN = /^(.+?)(?:[eE]|\\(?:times|cdot)\s*10\s*\^)\s*(?:\{([-+]?\d{1,3})\}|([-+]?\d{1,3}))$/;
/** Longer numbers are left to the process that may be killed. */
const LONGEST = 400;

/**
 * The number a text is, when it is nothing but a number: 7, -007, 1,024, 10{,}000, 2.50, 3/4, \frac{3}{4}, boxed or not; with
 * `powers` also 4.5e33 and 4.5\times10^{33}. Null for anything else.
 */
export function exactNumber(text: string, powers = false): Rational | null {
  const trimmed = unboxed(text).replaceAll(/\s+/g, '');
  if (trimmed.length === 0 || trimmed.length > LONGEST) return null;
  const power = powers ? POWER_OF_TEN.exec(trimmed) : null;
  if (power === null) return decimal(trimmed) ?? fraction(trimmed);
  const base = decimal(power[1]!);
  if (base === null) return null;
  const exponent = Number(power[2] ?? power[3]);
  const scale = 10n ** BigInt(Math.abs(exponent));
  return reduced(
    exponent < 0 ? base.numerator : base.numerator * scale,
    exponent < 0 ? base.denominator * scale : base.denominator,
    false,
  );
}

export const sameNumber = (a: Rational, b: Rational): boolean =>
  a.numerator === b.numerator && a.denominator === b.denominator;

/** Whether |a − b| ≤ tolerance, exactly; the tolerance is the decimal it prints as. */
export function withinTolerance(a: Rational, b: Rational, tolerance: number): boolean {
  const allowed = exactNumber(String(tolerance), true);
  if (allowed === null) return false;
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  return (
    (difference < 0n ? -difference : difference) * allowed.denominator <=
    allowed.numerator * a.denominator * b.denominator
  );
}

function decimal(text: string): Rational | null {
  const match = DECIMAL.exec(text);
  if (match === null || (match[2] === undefined && match[3] === undefined)) return null;
  const [, sign, whole = '0', digits = ''] = match;
  const magnitude = BigInt(whole.replaceAll(/[{},]/g, '') + digits);
  return reduced(
    sign === '-' ? -magnitude : magnitude,
    10n ** BigInt(digits.length),
    digits === '' && !text.includes('.'),
  );
}

function fraction(text: string): Rational | null {
  const match = FRACTION.exec(text);
  if (match === null) return null;
  const [, sign, signAbove, above, signBelow, below, left, right] = match;
  const number = (digits: string): bigint => BigInt(digits.replaceAll(/[{},]/g, ''));
  const denominator = number(below ?? right!);
  if (denominator === 0n) return null;
  const negative = [sign, signAbove, signBelow].filter((one) => one === '-').length % 2 === 1;
  const numerator = number(above ?? left!);
  return reduced(negative ? -numerator : numerator, denominator, true);
}

function reduced(numerator: bigint, denominator: bigint, whole: boolean): Rational {
  let [a, b] = [numerator < 0n ? -numerator : numerator, denominator];
  while (b !== 0n) [a, b] = [b, a % b];
  return a === 0n
    ? { numerator: 0n, denominator: 1n, whole }
    : { numerator: numerator / a, denominator: denominator / a, whole };
}
