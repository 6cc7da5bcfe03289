import { medianSlope } from './theil-sen.ts';

/** One observation of a running job: units done so far, and seconds since it began. */
export type ProgressPoint = { done: number; seconds: number };

/** Older points describe another speed (a warm-up, an easier batch); pairs grow with the square, so the window is small. */
const WINDOW = 32;

/**
 * Units per second and seconds left, from the median slope between all pairs of recent points (Theil–Sen): one stall or one
 * burst does not move it. null while there is no progress to measure; 0 seconds left once done reaches total.
 */
export function estimateProgress(
  history: readonly ProgressPoint[],
  total: number,
): { ratePerSecond: number | null; etaSeconds: number | null } {
  const last = history.at(-1);
  const ratePerSecond = medianRate(history.slice(-WINDOW));
  if (last !== undefined && last.done >= total) return { ratePerSecond, etaSeconds: 0 };
  return {
    ratePerSecond,
    etaSeconds: last === undefined || ratePerSecond === null ? null : (total - last.done) / ratePerSecond,
  };
}

function medianRate(points: readonly ProgressPoint[]): number | null {
  const rate = medianSlope(points.map(({ done, seconds }) => ({ x: seconds, y: done })));
  return rate !== null && rate > 0 ? rate : null;
}
