import type { Phase } from '../contract/index.ts';

/** The n-th colour of a figure's lines, or the one that a phase has everywhere. */
type SeriesColor = number | Phase;

/**
 * One line of a figure. `x` ascends; `y` has a value per x, null where nothing was measured, which is drawn as a gap. Only a
 * `line` is ever smoothed: scores of checkpoints (`score`, each point marked) and numbers of things (`count`) are shown as they are.
 */
export type CurveSeries = {
  id: string;
  label: string;
  kind: 'line' | 'score' | 'count';
  x: readonly number[];
  y: readonly (number | null)[];
  /** Where the value may lie, such as its 95 % interval, or the range of a group: ends per x, drawn as a band behind the lines. */
  band?: { low: readonly (number | null)[]; high: readonly (number | null)[] };
  /** Its colour and the number of its dashes; its place in the figure unless given. A pair shares the colour and differs in dashes. */
  look?: { color: SeriesColor; dash: number };
};

/** Something that happened at one x, told in words under the figure and drawn across it. */
export type CurveMark = { x: number; label: string };

/** A value that is watched for, drawn as a line along the figure; told in words under it, and on the line in `short`. */
export type CurveLimit = {
  y: number;
  label: string;
  short: string;
  /** Whether values stay above it, not below. */
  isFloor: boolean;
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

/** How a series is told from the others. */
export const lookOf = (
  { look }: Pick<CurveSeries, 'look'>,
  index: number,
): NonNullable<CurveSeries['look']> => look ?? { color: index, dash: index };

/** One drawn line: of which series, and whether it is the pale raw line beneath a smoothed one, or an end of its band. */
export type Layer = {
  index: number;
  kind: CurveSeries['kind'] | 'raw' | 'low' | 'high';
  look: NonNullable<CurveSeries['look']>;
};
export type Layered = { layers: Layer[]; data: Aligned };

/** What is drawn, from back to front: bands, then under each smoothed line its measured values. Smoothing sees the full series. */
export function layered(
  series: readonly CurveSeries[],
  hidden: ReadonlySet<string>,
  smoothing: number,
): Layered {
  const shown = series
    .map((one, index) => ({ one, index, look: lookOf(one, index) }))
    .filter(({ one }) => !hidden.has(one.id));
  const isSmoothed = ({ one }: (typeof shown)[number]): boolean => one.kind === 'line' && smoothing > 0;
  const raw = shown.filter(isSmoothed);
  const ends = shown.flatMap(({ one: { x, band }, index, look }) =>
    band === undefined
      ? []
      : (['low', 'high'] as const).map((kind) => ({ layer: { index, kind, look }, x, y: band[kind] })),
  );
  return {
    layers: [
      ...ends.map(({ layer }): Layer => layer),
      ...raw.map(({ index, look }): Layer => ({ index, kind: 'raw', look })),
      ...shown.map(({ one, index, look }): Layer => ({ index, kind: one.kind, look })),
    ],
    data: align([
      ...ends.map(({ x, y }) => ({ x, y })),
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

/** The newest measured value within these ends; null where there is none. */
export function lastValue(
  { x, y }: Pick<CurveSeries, 'x' | 'y'>,
  [from, to]: readonly [number, number] = [-Infinity, Infinity],
): number | null {
  for (let at = y.length - 1; at >= 0; at -= 1) {
    const [place, value] = [x[at] as number, y[at]];
    if (place < from) return null;
    if (place > to) continue;
    if (value !== null && value !== undefined && Number.isFinite(value)) return value;
  }
  return null;
}

/** More would leave nothing of the line. */
export const MOST_SMOOTHING = 0.99;
/** Below this many points a person sees every one of them, and smoothing would only hide. */
const SMOOTHED_FROM_POINTS = 200;
const USUAL_SMOOTHING = 0.6;

/** What a curve of this many points begins with. */
export const usualSmoothing = (points: number): number =>
  points < SMOOTHED_FROM_POINTS ? 0 : USUAL_SMOOTHING;

/**
 * Exponential moving average without the pull of its start: value n is the mean of the first n values weighted by
 * weight^(n−i). Computed as a running mean, so a constant stays exactly that constant. A gap (null, NaN, ±∞) stays a gap and
 * counts for nothing. It belongs on the full series: after points were dropped, two runs with the same values would differ.
 * @param weight 0 (none) to 0.99; clamped
 */
export function smooth(values: readonly (number | null)[], weight: number): (number | null)[] {
  const kept = Math.min(Math.max(weight, 0), MOST_SMOOTHING);
  if (kept === 0) return [...values];
  let mean = 0;
  let decay = 1;
  return values.map((value) => {
    if (value === null || !Number.isFinite(value)) return null;
    decay *= kept;
    mean += (value - mean) * ((1 - kept) / (1 - decay));
    return mean;
  });
}

/** A figure's numbers: what its table twin shows and what its CSV holds. */
export type ChartTable = { columns: string[]; rows: (string | number | null)[][] };

/** One row per x, one column per series, and two more for the ends of its band; null where there is no value. */
export function tableOf(series: readonly CurveSeries[], xLabel: string): ChartTable {
  const told = series.flatMap(({ label, x, y, band }) => [
    { label, x, y },
    ...(band === undefined
      ? []
      : [
          { label: `${label}, low`, x, y: band.low },
          { label: `${label}, high`, x, y: band.high },
        ]),
  ]);
  const { x, columns } = align(told);
  return {
    columns: [xLabel, ...told.map(({ label }) => label)],
    rows: x.map((value, at) => [value, ...columns.map((column) => column[at] ?? null)]),
  };
}

/** How the n-th series of a figure is told from the others: by colour and by dashes. Colours are the variables of charts.css and tokens.css. */
const DASHES: readonly (readonly number[])[] = [
  [],
  [8, 4],
  [2, 3],
  [10, 3, 2, 3],
  [5, 2],
  [1, 4],
  [12, 4, 4, 4],
  [6, 6],
];

const SERIES_COLORS = DASHES.length;
export const seriesColor = (color: SeriesColor): string =>
  typeof color === 'number' ? `--series-${(color % SERIES_COLORS) + 1}` : `--phase-${color}`;
export const seriesDash = (index: number): readonly number[] => DASHES[index % DASHES.length] ?? [];

/** On paper: the light theme's colours, by the same names. */
const PRINT = ['#0b5cad', '#b3480a', '#0a6e55', '#8a2f86', '#6b5b00', '#b3261e', '#3d4f8f', '#4a4a4a'];
const PRINT_PHASES: Record<Phase, string> = {
  task: '#1d5fa8',
  plan: '#6b3fa0',
  thought: '#8a4b08',
  output: '#9b2c62',
  exec: '#0b6b53',
};
export const printColor = (color: SeriesColor): string =>
  typeof color === 'number' ? (PRINT[color % PRINT.length] as string) : PRINT_PHASES[color];
