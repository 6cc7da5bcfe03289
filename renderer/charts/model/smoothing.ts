/** More would leave nothing of the course. */
export const MOST_SMOOTHING = 0.99;
/** Below this many points a person sees every one of them, and smoothing would only hide. */
const SMOOTHED_FROM_POINTS = 200;
const USUAL_SMOOTHING = 0.6;

/** What a curve of this many points begins with. */
export const usualSmoothing = (points: number): number =>
  points < SMOOTHED_FROM_POINTS ? 0 : USUAL_SMOOTHING;

/**
 * Exponential moving average without the pull of its start: value n is the mean of the first n values weighted by
 * weight^(n−i). Computed as a running mean, so a constant stays exactly that constant. A gap (null, NaN, ±∞) stays a gap and
 * counts for nothing. It belongs on the full series: after points were dropped, two runs of one course would differ.
 * @param weight 0 (none) to 0.99; clamped
 */
export function smooth(values: readonly (number | null)[], weight: number): (number | null)[] {
  const kept = Math.min(Math.max(weight, 0), MOST_SMOOTHING);
  if (kept === 0) return [...values];
  let mean = 0;
  let decay = 1;
  return values.map((value) => {
    if (value === null || !Number.isFinite(value)) return null;
    decay *= kept;
    mean += (value - mean) * ((1 - kept) / (1 - decay));
    return mean;
  });
}
