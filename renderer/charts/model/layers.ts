import { align, type Aligned, type CurveSeries } from './series.ts';
import { smooth } from './smoothing.ts';

/** One drawn line: of which series, and whether it is the pale course beneath a smoothed one. */
export type Layer = { index: number; kind: CurveSeries['kind'] | 'raw' };
export type Layered = { layers: Layer[]; data: Aligned };

/** What is drawn, from back to front: under each smoothed line its measured values. Smoothing sees the full series. */
export function layered(
  series: readonly CurveSeries[],
  hidden: ReadonlySet<string>,
  smoothing: number,
): Layered {
  const shown = series.map((one, index) => ({ one, index })).filter(({ one }) => !hidden.has(one.id));
  const isSmoothed = ({ one }: (typeof shown)[number]): boolean => one.kind === 'line' && smoothing > 0;
  const raw = shown.filter(isSmoothed);
  return {
    layers: [
      ...raw.map(({ index }): Layer => ({ index, kind: 'raw' })),
      ...shown.map(({ one, index }): Layer => ({ index, kind: one.kind })),
    ],
    data: align([
      ...raw.map(({ one }) => ({ x: one.x, y: one.y })),
      ...shown.map((entry) => ({
        x: entry.one.x,
        y: isSmoothed(entry) ? smooth(entry.one.y, smoothing) : entry.one.y,
      })),
    ]),
  };
}

/** Index of the x nearest to `value` (ascending x); −1 without any. */
export function nearest(x: readonly number[], value: number): number {
  let [low, high] = [0, x.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  if (low > 0 && value - (x[low - 1] as number) < (x[low] as number) - value) return low - 1;
  return x.length === 0 ? -1 : low;
}

/** A series' measured value at exactly this x; undefined where it has no point, null where it has a gap. */
export function valueAt({ x, y }: Pick<CurveSeries, 'x' | 'y'>, at: number): number | null | undefined {
  const place = nearest(x, at);
  return place >= 0 && x[place] === at ? y[place] : undefined;
}

/** The newest measured value. */
export function lastValue({ y }: Pick<CurveSeries, 'y'>): number | null {
  for (let at = y.length - 1; at >= 0; at -= 1) {
    const value = y[at];
    if (value !== null && value !== undefined && Number.isFinite(value)) return value;
  }
  return null;
}
