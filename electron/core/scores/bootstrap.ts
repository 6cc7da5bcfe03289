import type { RandomPath } from '../counter-random.ts';
import { sha256Hex } from '../hash.ts';
import { wilsonInterval, type Interval } from '../statistics/intervals.ts';

/**
 * Uniform draws for resampling: a function that gives indexes in [0, size), a pure function of (seed, path) and of how often it was
 * called. One hash per draw, as `uniform` takes, is too slow for the millions a bootstrap needs; this hashes once and goes on with
 * xoshiro128** (Blackman & Vigna 2018). `size` is at most 2^21, where the bias of at most size / 2^32 is negligible.
 */
export function drawStream(seed: number, ...path: RandomPath): (size: number) => number {
  const digest = sha256Hex(JSON.stringify([seed, ...path]));
  let [a, b, c, d] = [0, 8, 16, 24].map((at) => Number.parseInt(digest.slice(at, at + 8), 16) | 0) as [
    number,
    number,
    number,
    number,
  ];
  const rotate = (value: number, by: number): number => (value << by) | (value >>> (32 - by));
  return (size) => {
    const word = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return Math.floor((word * size) / 2 ** 32);
  };
}

/** One group of items whose mean enters a sum with `weight`; its values lie between `least` and `most`. */
export type Stratum = { values: readonly number[]; weight: number; least: number; most: number };

/** Enough that the ends of a 95 % interval move by less than a tenth of its width from seed to seed. */
export const BOOTSTRAP_RESAMPLES = 2000;

/**
 * 95 % percentile interval of Σ weight · mean(values): each stratum is resampled over its own items (Efron & Tibshirani 1993, §8.3),
 * drawn from (seed, path). A stratum whose values are all equal shows resampling no spread at all, however few they are; its share
 * of the uncertainty is Wilson's limit for 0 of n over its range, added in squares.
 * @throws RangeError for no strata, an empty one, or one with a value outside its range.
 */
export function stratifiedBootstrap(
  strata: readonly Stratum[],
  resamples: number,
  seed: number,
  ...path: RandomPath
): Interval & { mean: number } {
  if (strata.length === 0 || strata.some(({ values }) => values.length === 0))
    throw new RangeError('A bootstrap needs at least one value in every group of items.');
  if (strata.some(({ values, least, most }) => values.some((value) => !(value >= least && value <= most))))
    throw new RangeError('A value lies outside the range of its group.');
  const mean = strata.reduce((sum, { values, weight }) => sum + weight * average(values), 0);
  const varied = strata.filter(({ values }) => values.some((value) => value !== values[0]));
  const fixed = strata.filter((stratum) => !varied.includes(stratum)).map(unseen);
  const [down, up] = varied.length === 0 ? [0, 0] : spread(varied, resamples, drawStream(seed, ...path));
  return {
    mean,
    low: mean - Math.hypot(down, ...fixed.map((each) => each.down)),
    high: mean + Math.hypot(up, ...fixed.map((each) => each.up)),
  };
}

/** How far below and above their own weighted mean the middle 95 % of the resampled ones reach. */
function spread(
  strata: readonly Stratum[],
  resamples: number,
  draw: (size: number) => number,
): [number, number] {
  const centre = strata.reduce((sum, { values, weight }) => sum + weight * average(values), 0);
  const sums = Float64Array.from({ length: resamples }, () => {
    let total = 0;
    for (const { values, weight } of strata) {
      let sum = 0;
      for (let at = 0; at < values.length; at += 1) sum += values[draw(values.length)] as number;
      total += (weight * sum) / values.length;
    }
    return total;
  }).sort();
  const quantile = (share: number): number => sums[Math.round(share * (resamples - 1))] as number;
  return [Math.max(0, centre - quantile(0.025)), Math.max(0, quantile(0.975) - centre)];
}

/** What n equal values cannot rule out, towards either end of their range. */
function unseen({ values, weight, least, most }: Stratum): { down: number; up: number } {
  const value = values[0] as number;
  const share = wilsonInterval(0, values.length).high;
  return { down: weight * share * (value - least), up: weight * share * (most - value) };
}

const average = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
