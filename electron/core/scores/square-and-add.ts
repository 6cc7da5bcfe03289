import { wilsonInterval, type Interval } from '../statistics/intervals.ts';

/** A proportion that enters a sum with `weight`. */
export type WeightedShare = { passed: number; n: number; weight: number };

/**
 * 95 % interval of Σ weight · passed/n over independent proportions: the distances of the Wilson limits from their proportions, added
 * in squares (Zou & Donner 2008; Newcombe's method 10 for any number of parts). Unlike the plain variance it is sound for 0 or n of n.
 * Weights are positive. @throws RangeError for no shares, an n of 0 or impossible counts.
 */
export function squareAndAdd(shares: readonly WeightedShare[]): Interval & { mean: number } {
  if (shares.length === 0 || shares.some(({ n }) => n === 0))
    throw new RangeError('A mean of proportions needs at least one item in each.');
  const parts = shares.map(({ passed, n, weight }) => {
    const { low, high } = wilsonInterval(passed, n);
    return {
      value: weight * (passed / n),
      down: weight * (passed / n - low),
      up: weight * (high - passed / n),
    };
  });
  const mean = parts.reduce((sum, { value }) => sum + value, 0);
  return {
    mean,
    low: mean - Math.hypot(...parts.map(({ down }) => down)),
    high: mean + Math.hypot(...parts.map(({ up }) => up)),
  };
}
