import type { CurveRange } from './series.ts';

/** The x values a figure shows: the whole course, a held part, or a part that follows the newest point. */
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
