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
export function doubleFraction(value: number): Fraction | null {
  if (!Number.isFinite(value)) return null;
  return decimalFraction(String(value));
}
