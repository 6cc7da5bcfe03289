import { uniformIndex, type RandomPath } from '../counter-random.ts';

export type Interval = { low: number; high: number };

/** The standard normal quantile of a two-sided 95 % interval. */
export const Z_95 = 1.959963984540054;
/** The one-sided standard normal quantile of a power of 80 %. */
export const Z_POWER = 0.8416212335729143;

/** Wilson score interval of a proportion (Wilson 1927): sound for small n and for 0 or n successes. n = 0 gives [0, 1]. */
export function wilsonInterval(passed: number, n: number, z = Z_95): Interval {
  checkCounts(passed, n);
  return scoreInterval(passed, n, z);
}

/** Wilson's interval; counts need not be whole, as those of an effective sample size are not. */
function scoreInterval(passed: number, n: number, z: number): Interval {
  if (n === 0) return { low: 0, high: 1 };
  const rate = passed / n;
  const centre = rate + (z * z) / (2 * n);
  const spread = z * Math.sqrt((rate * (1 - rate)) / n + (z * z) / (4 * n * n));
  const scale = 1 + (z * z) / n;
  return {
    low: passed === 0 ? 0 : (centre - spread) / scale,
    high: passed === n ? 1 : (centre + spread) / scale,
  };
}

/** Difference of two independent proportions, first − second, from their Wilson limits (Newcombe 1998, method 10). */
export function differenceInterval(
  first: { passed: number; n: number },
  second: { passed: number; n: number },
  z = Z_95,
): Interval & { difference: number } {
  const [a, b] = [wilsonInterval(first.passed, first.n, z), wilsonInterval(second.passed, second.n, z)];
  const [rateA, rateB] = [shareOf(first), shareOf(second)];
  const difference = rateA - rateB;
  return {
    difference,
    low: difference - Math.hypot(rateA - a.low, b.high - rateB),
    high: difference + Math.hypot(a.high - rateA, rateB - b.low),
  };
}

/** The four kinds of item when the same items were answered twice. */
export type PairedCounts = { bothPassed: number; onlyFirst: number; onlySecond: number; bothFailed: number };

export function pairedCounts(first: readonly boolean[], second: readonly boolean[]): PairedCounts {
  if (first.length !== second.length)
    throw new RangeError(
      `Cannot pair ${first.length} outcomes with ${second.length}; both must answer the same items.`,
    );
  const counts = { bothPassed: 0, onlyFirst: 0, onlySecond: 0, bothFailed: 0 };
  for (const [index, passed] of first.entries()) {
    if (second[index]) counts[passed ? 'bothPassed' : 'onlySecond'] += 1;
    else counts[passed ? 'onlyFirst' : 'bothFailed'] += 1;
  }
  return counts;
}

/**
 * Difference of two proportions over the same items, second − first (the change), with Newcombe's interval for paired data
 * (1998, method 10 with his continuity-corrected correlation). Counts may be those of an effective sample size, which are not whole.
 */
export function pairedDifferenceInterval(counts: PairedCounts, z = Z_95): Interval & { difference: number } {
  const { bothPassed: e, onlyFirst: f, onlySecond: g, bothFailed: h } = counts;
  const n = e + f + g + h;
  if (n === 0) return { difference: 0, low: -1, high: 1 };
  const second = scoreInterval(e + g, n, z);
  const first = scoreInterval(e + f, n, z);
  const [rateSecond, rateFirst] = [(e + g) / n, (e + f) / n];
  const phi = correlation(e, f, g, h);
  const spread = (left: number, right: number): number =>
    Math.sqrt(Math.max(0, left * left - 2 * phi * left * right + right * right));
  const difference = rateSecond - rateFirst;
  return {
    difference,
    low: Math.max(-1, difference - spread(rateSecond - second.low, first.high - rateFirst)),
    high: Math.min(1, difference + spread(second.high - rateSecond, rateFirst - first.low)),
  };
}

function correlation(e: number, f: number, g: number, h: number): number {
  const margins = (e + f) * (g + h) * (e + g) * (f + h);
  if (margins === 0) return 0;
  const determinant = e * h - f * g;
  const n = e + f + g + h;
  const corrected = determinant > n / 2 ? determinant - n / 2 : determinant >= 0 ? 0 : determinant;
  return corrected / Math.sqrt(margins);
}

/**
 * McNemar's test on flipped items: two-sided p that gains and losses are equally likely. `exact` is the binomial test;
 * `mid` counts half of the observed table's probability and is less conservative (Fagerland 2013). No flips: both are 1.
 */
export function mcnemarTest(onlyFirst: number, onlySecond: number): { exact: number; mid: number } {
  const n = onlyFirst + onlySecond;
  checkCounts(onlyFirst, n);
  const fewer = Math.min(onlyFirst, onlySecond);
  if (n === 0) return { exact: 1, mid: 1 };
  let logTerm = -n * Math.LN2; // log of C(n, 0) / 2^n
  let cumulative = Math.exp(logTerm);
  for (let k = 1; k <= fewer; k += 1) {
    logTerm += Math.log((n - k + 1) / k);
    cumulative += Math.exp(logTerm);
  }
  const observed = Math.exp(logTerm);
  if (onlyFirst === onlySecond) return { exact: 1, mid: 1 - observed / 2 };
  return { exact: Math.min(1, 2 * cumulative), mid: Math.min(1, 2 * cumulative - observed) };
}

/** Percentile bootstrap interval of a mean: `resamples` resampled means, drawn from (seed, path). Empty input is refused. */
export function bootstrapMeanInterval(
  values: readonly number[],
  resamples: number,
  seed: number,
  ...path: RandomPath
): Interval {
  if (values.length === 0)
    throw new RangeError('Cannot bootstrap an empty list; there must be at least one value.');
  const means = Array.from({ length: resamples }, (_, resample) => {
    let sum = 0;
    for (let draw = 0; draw < values.length; draw += 1)
      sum += values[uniformIndex(values.length, seed, ...path, resample, draw)] as number;
    return sum / values.length;
  }).sort((left, right) => left - right);
  const quantile = (share: number): number =>
    means[Math.min(means.length - 1, Math.max(0, Math.round(share * (means.length - 1))))] as number;
  return { low: quantile(0.025), high: quantile(0.975) };
}

function shareOf({ passed, n }: { passed: number; n: number }): number {
  return n === 0 ? 0 : passed / n;
}

function checkCounts(passed: number, n: number): void {
  if (!Number.isSafeInteger(passed) || !Number.isSafeInteger(n) || passed < 0 || passed > n) {
    throw new RangeError(
      `${passed} of ${n} is not a proportion; counts must be integers with 0 ≤ passed ≤ n.`,
    );
  }
}

/**
 * The chance that at least one of k answers drawn from n is right when c of the n are: 1 − C(n−c, k) / C(n, k), the unbiased
 * estimator of pass@k (Chen et al. 2021), as a product so that no binomial overflows. Exact to about 1e-15 per factor.
 * @throws RangeError unless 0 ≤ c ≤ n and 1 ≤ k ≤ n, all whole.
 */
export function passAtK(n: number, c: number, k: number): number {
  const isWhole = [n, c, k].every(Number.isInteger);
  if (!isWhole || c < 0 || c > n || k < 1 || k > n)
    throw new RangeError(`pass@${k} of ${c} right answers among ${n} is not defined.`);
  if (n - c < k) return 1;
  let noneRight = 1;
  for (let drawn = n - c + 1; drawn <= n; drawn += 1) noneRight *= 1 - k / drawn;
  return 1 - noneRight;
}

/** Mean of pass@k over tasks; null when a task has fewer than k answers, or there are no tasks. */
export function meanPassAtK(tasks: readonly { n: number; c: number }[], k: number): number | null {
  if (tasks.length === 0 || tasks.some(({ n }) => n < k)) return null;
  return tasks.reduce((sum, { n, c }) => sum + passAtK(n, c, k), 0) / tasks.length;
}
