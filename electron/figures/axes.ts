import type { CurveRange, Aligned, Column } from './series.ts';

/** The x values a figure shows: all steps, a held part, or a part that follows the newest point. */
export function shownSpan(
  range: CurveRange | null,
  extent: readonly [number, number] | null,
): [number, number] {
  const [low, high] = extent ?? [0, 1];
  const from = range === null ? low : range.from;
  const to = range?.to ?? high;
  // A single point still needs an axis to stand on.
  return from < to ? [from, to] : [from - 0.5, from + 0.5];
}

/** Whether newer points fall outside of what is shown. */
export const isHeld = (range: CurveRange | null): boolean => range !== null && range.to !== null;

/** The same width, ending at the newest point and following it. */
export function jumpToNow(range: CurveRange, extent: readonly [number, number]): CurveRange {
  const [low, high] = extent;
  const width = (range.to ?? high) - range.from;
  return { from: Math.max(low, high - width), to: null };
}

/** A dragged part in whole steps; null when it is too small to have been meant. */
export function draggedRange(a: number, b: number, extent: readonly [number, number]): CurveRange | null {
  const from = Math.max(extent[0], Math.round(Math.min(a, b)));
  const to = Math.min(extent[1], Math.round(Math.max(a, b)));
  return to - from < 1 ? null : { from, to };
}

/** Half as much (`zoom` 0.5) or twice as much (2) around `centre`; null once everything is shown. */
export function zoomed(
  range: CurveRange | null,
  extent: readonly [number, number],
  centre: number,
  zoom: number,
): CurveRange | null {
  const [from, to] = shownSpan(range, extent);
  const width = Math.max(1, (to - from) * zoom);
  if (width >= extent[1] - extent[0]) return null;
  const start = Math.min(Math.max(extent[0], Math.round(centre - width / 2)), extent[1] - Math.ceil(width));
  return { from: start, to: Math.min(extent[1], Math.round(start + width)) };
}

/** Round numbers (1, 2 or 5 times a power of ten) from at or above `low` to at or below `high`, about `count` of them. */
export function niceTicks(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) as number) * power;
  const ticks: number[] = [];
  for (let at = Math.ceil(low / step); at * step <= high + step * 1e-9; at += 1)
    ticks.push(Number((at * step).toPrecision(12)));
  return ticks;
}

/** Steps of an axis of time: those of a clock, in seconds. */
const CLOCK = [
  0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200,
  86_400,
];

/** Times from 0 to at or below `most` as a clock divides them, at most `count` beside the 0, each with its words. */
export function timeTicks(most: number, count: number): { value: number; text: string }[] {
  const step =
    CLOCK.find((each) => Math.floor(most / each) <= count) ??
    86_400 * Math.ceil(most / 86_400 / Math.max(1, count));
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, index) => {
    const value = Number((index * step).toPrecision(12));
    return { value, text: clockText(value) };
  });
}

const UNITS = [
  { unit: 'd', seconds: 86_400 },
  { unit: 'h', seconds: 3600 },
  { unit: 'min', seconds: 60 },
];

/** A round time with no more words than it needs: 0 s, 0.5 s, 1 min 30 s, 2 h. */
function clockText(seconds: number): string {
  const parts: string[] = [];
  let left = seconds;
  for (const { unit, seconds: each } of UNITS) {
    const whole = Math.floor(left / each);
    if (whole > 0) parts.push(`${whole} ${unit}`);
    left -= whole * each;
  }
  if (left > 0 || parts.length === 0) parts.push(`${Number(left.toFixed(1))} s`);
  return parts.join(' ');
}

/** The axis for these values: a little air at both ends; a constant stands in the middle; `floor` is always part of it. */
export function axisOf(low: number, high: number, floor: number | null): [number, number] {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const [least, most] = floor === null ? [low, high] : [Math.min(low, floor), Math.max(high, floor)];
  if (least === most && least === floor) return [least, least + 1];
  if (least === most) {
    const air = least === 0 ? 1 : Math.abs(least) * 0.1;
    return [least - air, most + air];
  }
  const air = (most - least) * 0.06;
  return [least === floor ? least : least - air, most === floor ? most : most + air];
}

/**
 * At most two points per pixel column, its lowest and its highest in the order they came, so that no peak is lost however many
 * points there are. A pixel without any value stays a gap. With up to two points per pixel nothing changes.
 */
export function envelope(data: Aligned, pixels: number): Aligned {
  const { x, columns } = data;
  if (x.length <= 2 * pixels || pixels < 1) return data;
  const low = x[0] as number;
  const span = (x.at(-1) as number) - low;
  const starts: number[] = [];
  let before = -1;
  for (const [at, value] of x.entries()) {
    const pixel = Math.min(pixels - 1, Math.floor(((value - low) / span) * pixels));
    if (pixel !== before) starts.push(at);
    before = pixel;
  }
  starts.push(x.length);
  const outX: number[] = [];
  const out = columns.map((): Column => []);
  for (const [index, start] of starts.slice(0, -1).entries()) {
    const end = starts[index + 1] as number;
    outX.push(x[start] as number);
    if (end - start > 1) outX.push(x[end - 1] as number);
    for (const [at, column] of columns.entries()) out[at]?.push(...extremes(column, start, end));
  }
  return { x: outX, columns: out };
}

/** One value for a bucket of one point, two for a larger one. */
function extremes(column: Column, start: number, end: number): Column {
  if (end - start === 1) return [column[start]];
  let [low, high] = [-1, -1];
  let seen: null | undefined;
  for (let at = start; at < end; at += 1) {
    const value = column[at];
    if (value === null) seen = null;
    if (value === null || value === undefined) continue;
    if (low < 0 || value < (column[low] as number)) low = at;
    if (high < 0 || value > (column[high] as number)) high = at;
  }
  if (low < 0) return [seen, seen];
  return low < high ? [column[low], column[high]] : [column[high], column[low]];
}
