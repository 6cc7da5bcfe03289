/**
 * Median slope between all pairs of points, in order of `x` (Theil–Sen): up to a quarter of them may lie anywhere without moving it.
 * null where no two points differ in `x`.
 */
export function medianSlope(points: readonly { x: number; y: number }[]): number | null {
  const slopes: number[] = [];
  for (const [index, later] of points.entries()) {
    for (const earlier of points.slice(0, index)) {
      if (later.x > earlier.x) slopes.push((later.y - earlier.y) / (later.x - earlier.x));
    }
  }
  slopes.sort((left, right) => left - right);
  const middle = slopes.length / 2;
  if (slopes.length === 0) return null;
  return slopes.length % 2 === 1
    ? (slopes[Math.floor(middle)] as number)
    : ((slopes[middle - 1] as number) + (slopes[middle] as number)) / 2;
}

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
