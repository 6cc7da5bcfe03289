import { median } from './figures.ts';

export type Point = { x: number; y: number };

/**
 * The straight line through points by Theil and Sen: the median slope of all pairs, then the median height. Up to a quarter of the
 * points may lie anywhere, so a pause of the machine does not move it.
 */
export function line(points: readonly Point[]): (x: number) => number {
  const slopes = points.flatMap((later, index) => points.slice(0, index).flatMap((earlier) => (later.x === earlier.x ? [] : [(later.y - earlier.y) / (later.x - earlier.x)])));
  const slope = median(slopes);
  const height = median(points.map(({ x, y }) => y - slope * x));
  return (x) => height + slope * x;
}
