import type { KeyboardEvent } from 'react';
import { nearest } from '../model/layers.ts';
import { zoomed } from '../model/range.ts';
import type { CurveRange } from '../model/series.ts';

const LARGE_STEP = 10;
const ZOOM = { '+': 0.5, '=': 0.5, '-': 2 } as const;

type CurveKeys = {
  x: readonly number[];
  at: number | null;
  span: readonly [number, number];
  extent: readonly [number, number] | null;
  range: CurveRange | null;
  onPoint: (x: number | null) => void;
  onRange: (range: CurveRange | null) => void;
};

/** What a key does while a curve has the focus; one that does nothing here is left to the page. */
export function pressCurveKey(
  event: KeyboardEvent,
  { x, at, span, extent, range, onPoint, onRange }: CurveKeys,
): void {
  if (event.ctrlKey || event.metaKey || event.altKey || extent === null) return;
  const [first, last] = [nearest(x, span[0]), nearest(x, span[1])];
  const place = at === null ? last : nearest(x, at);
  const stride = event.shiftKey ? LARGE_STEP : 1;
  const targets: Record<string, number> = {
    ArrowLeft: at === null ? last : place - stride,
    ArrowRight: at === null ? first : place + stride,
    PageUp: place - LARGE_STEP,
    PageDown: place + LARGE_STEP,
    Home: first,
    End: last,
  };
  const target = targets[event.key];
  if (target !== undefined) onPoint(x[Math.min(last, Math.max(first, target))] ?? null);
  else if (event.key in ZOOM)
    onRange(zoomed(range, extent, at ?? (span[0] + span[1]) / 2, ZOOM[event.key as keyof typeof ZOOM]));
  else if (event.key === '0') onRange(null);
  else if (event.key === 'Escape' && at !== null) onPoint(null);
  else return;
  event.preventDefault();
  event.stopPropagation();
}
