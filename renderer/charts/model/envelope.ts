import type { Aligned, Column } from './series.ts';

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
