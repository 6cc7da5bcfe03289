/** What a tripwire watches for; see tripwireSchema of the contract. */
export type WireCondition = { when: 'below' | 'above' | 'falls' | 'rises'; by: number; certain: boolean };

/** A score with its 95 % interval where it has one. */
export type WatchedScore = { value: number | null; low: number | null; high: number | null };

const ROUNDING = 1e-9; // a fall of exactly six points counts as one, whatever the subtraction left behind

/**
 * Whether a score touches a wire. `falls` and `rises` are distances from `base`, the same score of the weights the run began with, and
 * touch nothing without one. A wire that wants to be certain is touched only when the whole interval lies beyond the limit; for a
 * distance the base's own interval is left out, so that it is certain of the score and not of the difference.
 */
export function touches(
  { when, by, certain }: WireCondition,
  score: WatchedScore,
  base: number | null,
): boolean {
  const limit = limitOf(when, by, base);
  if (score.value === null || limit === null) return false;
  const isBelow = when === 'below' || when === 'falls';
  const judged = certain ? ((isBelow ? score.high : score.low) ?? score.value) : score.value;
  const reaches = when === 'falls' || when === 'rises';
  const distance = isBelow ? limit - judged : judged - limit;
  return reaches ? distance >= -ROUNDING : distance > ROUNDING;
}

/** The value a score must not pass. */
export function limitOf(when: WireCondition['when'], by: number, base: number | null): number | null {
  if (when === 'below' || when === 'above') return by;
  if (base === null) return null;
  return when === 'falls' ? base - by : base + by;
}

/** What happened, for people. Shares in per cent and points. */
export function wireSentence(
  { when, by }: WireCondition,
  name: string,
  value: number,
  base: number | null,
  isShare: boolean,
): string {
  const said = (number: number): string => (isShare ? `${(100 * number).toFixed(1)} %` : number.toFixed(2));
  const distance = (number: number): string =>
    isShare ? `${(100 * number).toFixed(1)} points` : number.toFixed(2);
  switch (when) {
    case 'below':
      return `${name} is ${said(value)}, below ${said(by)}.`;
    case 'above':
      return `${name} is ${said(value)}, above ${said(by)}.`;
    case 'falls':
      return `${name} fell from ${said(base ?? 0)} to ${said(value)}, by ${distance((base ?? 0) - value)}; the limit is ${distance(by)}.`;
    case 'rises':
      return `${name} rose from ${said(base ?? 0)} to ${said(value)}, by ${distance(value - (base ?? 0))}; the limit is ${distance(by)}.`;
  }
}
