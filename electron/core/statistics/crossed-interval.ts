import { wilsonInterval, Z_95, type Interval } from './intervals.ts';
import { studentQuantile } from './student.ts';

export type CrossedMean = Interval & {
  mean: number;
  /** Runs (rows) and items (columns) behind the mean. */
  runs: number;
  items: number;
};

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
  const within = (halfWidth: number): CrossedMean => ({
    mean,
    low: mean - halfWidth,
    high: mean + halfWidth,
    runs,
    items,
  });
  if (values.every((row) => row.every((value) => value === values[0]?.[0])))
    return within(wilsonInterval(0, items).high);

  const squares = (list: readonly number[]): number =>
    list.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  if (runs === 1)
    return within(
      studentQuantile(Math.max(1, items - 1)) *
        Math.sqrt(squares(columnMeans) / Math.max(1, items - 1) / items),
    );
  if (items === 1)
    return within(studentQuantile(runs - 1) * Math.sqrt(squares(rowMeans) / (runs - 1) / runs));
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
  return within((Number.isFinite(df) ? studentQuantile(df) : Z_95) * Math.sqrt(variance));
}

const average = (list: readonly number[]): number =>
  list.reduce((sum, value) => sum + value, 0) / list.length;
