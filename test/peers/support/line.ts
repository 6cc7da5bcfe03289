import { medianSlope } from '../../../electron/core/index.ts';
import { median } from './figures.ts';

export type Point = { x: number; y: number };

/** The straight line through points by Theil and Sen, in order of `x`: the median slope of all pairs, then the median height. */
export function line(points: readonly Point[]): (x: number) => number {
  const slope = medianSlope(points);
  if (slope === null) throw new Error('There is no line through fewer than two points.');
  const height = median(points.map(({ x, y }) => y - slope * x));
  return (x) => height + slope * x;
}
