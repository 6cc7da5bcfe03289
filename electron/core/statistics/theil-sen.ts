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
