/** Seconds left: the median, and what the faster and the slower quarter of the last steps would make of it. */
export type TimeLeft = { median: number; low: number; high: number };

const LAST_STEPS = 10; // older ones describe another speed
const LEAST_STEPS = 3;

/** Time for `left` more steps at the pace of the last ten; null until three are known. Steps must be in order. */
export function timeLeft(stepSeconds: readonly (number | null)[], left: number): TimeLeft | null {
  const last = stepSeconds
    .filter((seconds) => seconds !== null)
    .slice(-LAST_STEPS)
    .sort((a, b) => a - b);
  if (last.length < LEAST_STEPS) return null;
  return {
    median: quantile(last, 0.5) * left,
    low: quantile(last, 0.25) * left,
    high: quantile(last, 0.75) * left,
  };
}

/** Linear between the two nearest of sorted values. */
export function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}
