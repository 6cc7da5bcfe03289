import { wilsonInterval, Z_95, Z_POWER, type Interval } from './intervals.ts';

/** Student's t distribution, as far as two-sided intervals need it. */

/** The quantile t with P(|T| ≤ t) = `level` for T with `df` degrees of freedom; df need not be whole. */
export function studentQuantile(df: number, level = 0.95): number {
  if (!(df > 0) || !(level > 0 && level < 1))
    throw new RangeError(`There is no t quantile for ${df} degrees of freedom and level ${level}.`);
  const inside = (t: number): number => 1 - incompleteBeta(df / (df + t * t), df / 2, 0.5);
  let [low, high] = [0, 1];
  while (inside(high) < level) high *= 2;
  // Halving stops at the precision of a double; the distribution function is monotonic.
  for (let round = 0; round < 200 && high - low > 1e-12 * high; round += 1) {
    const middle = (low + high) / 2;
    if (inside(middle) < level) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The regularised incomplete beta function I_x(a, b), by Lentz's continued fraction on the side where it converges quickly. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b));
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(x, a, b)) / a
    : 1 - (front * betaFraction(1 - x, b, a)) / b;
}

function betaFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300; // stands in for a zero denominator
  const safe = (value: number): number => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / safe(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m <= 10_000; m += 1) {
    for (const term of [
      (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
      (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)),
    ]) {
      d = 1 / safe(1 + term * d);
      c = safe(1 + term / c);
      result *= c * d;
    }
    if (Math.abs(c * d - 1) < 1e-15) break;
  }
  return result;
}

/** Natural logarithm of the gamma function for x > 0: the recurrence up to 10, then Stirling's series. */
export function logGamma(x: number): number {
  let shift = 0;
  let at = x;
  for (; at < 10; at += 1) shift -= Math.log(at);
  const square = at * at;
  const series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * square)) / square) / square) / at;
  return shift + (at - 0.5) * Math.log(at) - at + 0.5 * Math.log(2 * Math.PI) + series;
}

export type CrossedMean = Interval & {
  mean: number;
  /** Runs (rows) and items (columns) behind the mean. */
  runs: number;
  items: number;
  /**
   * The smallest difference that such a table finds with power 80 % at 5 %, two-sided: the standard error times the sum of Student's
   * quantiles of both (Bloom 1995). Null where the values have no variance to go by.
   */
  detectable: number | null;
};

/** Level of a two-sided interval whose limit is the one-sided quantile of a power of 80 %. */
const POWER_LEVEL = 0.6;

/**
 * 95 % interval of a mean over runs × items when both are samples: other seeds would have given other runs, another draw other
 * items, and every run answered the same items. `values[run][item]` is a score, a change or a difference between two arms; its
 * two-way layout has variance σ²run/R + σ²item/I + σ²rest/(R·I), estimated from the mean squares of its rows, columns and
 * remainder (negative components count as 0, and no estimate is smaller than chance alone makes it), with degrees of freedom
 * after Satterthwaite (1946) and Student's t. Five runs thus cost what five runs must: resampling five would be too sure.
 * With a single run only the items are sampled. Values that are all equal have no variance to go by; then the limit is that
 * of Wilson for 0 of I items.
 * @throws RangeError when empty or when rows differ in length.
 */
export function crossedMeanInterval(values: readonly (readonly number[])[]): CrossedMean {
  const [runs, items] = [values.length, values[0]?.length ?? 0];
  if (runs === 0 || items === 0 || values.some((row) => row.length !== items)) {
    throw new RangeError('A mean over runs and items needs at least one run, and the same items in each.');
  }
  const rowMeans = values.map((row) => average(row));
  const columnMeans = Array.from({ length: items }, (_, item) =>
    average(values.map((row) => row[item] as number)),
  );
  const mean = average(rowMeans);
  const within = (halfWidth: number, detectable: number | null): CrossedMean => ({
    mean,
    low: mean - halfWidth,
    high: mean + halfWidth,
    runs,
    items,
    detectable,
  });
  const byStudent = (error: number, df: number): CrossedMean => {
    const [limit, power] = Number.isFinite(df)
      ? [studentQuantile(df), studentQuantile(df, POWER_LEVEL)]
      : [Z_95, Z_POWER];
    return within(limit * error, (limit + power) * error);
  };
  if (values.every((row) => row.every((value) => value === values[0]?.[0])))
    return within(wilsonInterval(0, items).high, null);

  const squares = (list: readonly number[]): number =>
    list.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  if (runs === 1)
    return byStudent(
      Math.sqrt(squares(columnMeans) / Math.max(1, items - 1) / items),
      Math.max(1, items - 1),
    );
  if (items === 1) return byStudent(Math.sqrt(squares(rowMeans) / (runs - 1) / runs), runs - 1);
  const total = values.reduce((sum, row) => sum + squares(row), 0);
  const [ofRuns, ofItems] = [items * squares(rowMeans), runs * squares(columnMeans)];
  const rest = Math.max(0, total - ofRuns - ofItems) / ((runs - 1) * (items - 1));
  const size = runs * items;
  const components = [
    { variance: Math.max(ofRuns / (runs - 1), rest) / size, df: runs - 1 },
    { variance: Math.max(0, ofItems / (items - 1) - rest) / size, df: items - 1 },
  ];
  const variance = components.reduce((sum, part) => sum + part.variance, 0);
  const df = variance ** 2 / components.reduce((sum, part) => sum + part.variance ** 2 / part.df, 0);
  return byStudent(Math.sqrt(variance), df);
}

const average = (list: readonly number[]): number =>
  list.reduce((sum, value) => sum + value, 0) / list.length;
