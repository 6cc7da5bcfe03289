/**
 * One line of a figure. `x` ascends; `y` has a value per x, null where nothing was measured, which is drawn as a gap. Only a
 * `line` is ever smoothed: scores of checkpoints (`dots`) and numbers of things (`count`) are shown as they are.
 */
export type CurveSeries = {
  id: string;
  label: string;
  kind: 'line' | 'dots' | 'count';
  x: readonly number[];
  y: readonly (number | null)[];
};

/** A part of the x axis; `to: null` follows the newest point. */
export type CurveRange = { from: number; to: number | null };

/** What is drawn: values on one shared axis. `undefined` = this series has no point here, which leaves no gap. */
export type Column = (number | null | undefined)[];
export type Aligned = { x: number[]; columns: Column[] };

/** Puts series with different x on one axis. */
export function align(series: readonly Pick<CurveSeries, 'x' | 'y'>[]): Aligned {
  const [first] = series;
  const isShared =
    first !== undefined &&
    series.every(
      ({ x }) =>
        x === first.x || (x.length === first.x.length && x.every((value, at) => value === first.x[at])),
    );
  if (isShared) return { x: [...first.x], columns: series.map(({ y }) => y.map(finite)) };
  const x = [...new Set(series.flatMap((one) => one.x))].sort((a, b) => a - b);
  const place = new Map(x.map((value, at) => [value, at]));
  const columns = series.map((one) => {
    const column: Column = new Array<undefined>(x.length).fill(undefined);
    one.x.forEach((value, at) => {
      column[place.get(value) as number] = finite(one.y[at]);
    });
    return column;
  });
  return { x, columns };
}

/** A value that cannot be drawn is a gap, not a spike. */
function finite(value: number | null | undefined): number | null {
  return value !== null && value !== undefined && Number.isFinite(value) ? value : null;
}

/** First and last x of all series; null when there is no point. */
export function extentOf(series: readonly Pick<CurveSeries, 'x'>[]): [number, number] | null {
  let [low, high] = [Infinity, -Infinity];
  for (const { x } of series) {
    if (x.length === 0) continue;
    low = Math.min(low, x[0] as number);
    high = Math.max(high, x.at(-1) as number);
  }
  return low <= high ? [low, high] : null;
}

/** The part within [from, to], with one point more at each side so that lines enter and leave the picture. */
export function within({ x, columns }: Aligned, from: number, to: number): Aligned {
  const start = Math.max(0, x.findIndex((value) => value >= from) - 1);
  const after = x.findIndex((value) => value > to);
  const end = after < 0 ? x.length : Math.min(x.length, after + 1);
  if (start === 0 && end === x.length) return { x, columns };
  return { x: x.slice(start, end), columns: columns.map((column) => column.slice(start, end)) };
}
