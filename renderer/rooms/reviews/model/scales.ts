/** Digits of a mark as they are typed, and the mark of 0 to 100 they stand for so far. */
export type Typed = { digits: string; mark: number };

/**
 * One digit stands for tens (8 is 80), two for themselves (85), and 100 is typed in full: most marks then take one press. Null when
 * the digit makes no mark, such as a third one after 85.
 */
export function typeDigit(before: string, digit: string): Typed | null {
  const digits = before + digit;
  if (!/^\d$/.test(digit) || digits.length > 3 || (digits.length === 3 && digits !== '100')) return null;
  return { digits, mark: digits.length === 1 ? Number(digits) * 10 : Number(digits) };
}
