import { escapeXml } from './curve-svg.ts';
import { printColor } from './styles.ts';
import { axisOf, niceTicks } from './ticks.ts';

/** A horizontal bar; `low` and `high` end its whisker. */
export type Bar = {
  id: string;
  label: string;
  value: number;
  low?: number;
  high?: number;
  /** Number of the colour; 0 by default. */ color?: number;
};
/** A point with its band. */
export type Dot = { x: number; y: number; low: number; high: number };

/** Places of a static figure, in pixels: the same for the page and for the saved picture. */
export const BAR = { row: 24, label: 190, value: 76, top: 4 };
export const barsHeight = (bars: readonly Bar[]): number => BAR.top * 2 + bars.length * BAR.row;

/** 0 … 1 along the longest bar; bars begin at 0, or at the lowest when one is below. */
export function barScale(bars: readonly Bar[], most: number | null): (value: number) => number {
  const low = Math.min(0, ...bars.map(({ value, low: least = value }) => Math.min(value, least)));
  const high =
    most ??
    Math.max(...bars.map(({ value, high: greatest = value }) => Math.max(value, greatest)), low + 1e-9);
  return (value) => Math.min(1, Math.max(0, (value - low) / (high - low)));
}

/** The bars as a picture file that stands alone. */
export function barsSvg(
  title: string,
  bars: readonly Bar[],
  most: number | null,
  format: (value: number) => string,
): string {
  const width = 640;
  const room = width - BAR.label - BAR.value;
  const scale = barScale(bars, most);
  const rows = bars.map(({ label, value, low, high, color = 0 }, index) => {
    const middle = 34 + BAR.top + index * BAR.row + BAR.row / 2;
    const [start, end] = [scale(Math.min(0, value)) * room, scale(Math.max(0, value)) * room];
    const whisker =
      low === undefined || high === undefined
        ? ''
        : `<path d="M${(BAR.label + scale(low) * room).toFixed(1)} ${middle}h${((scale(high) - scale(low)) * room).toFixed(1)}" stroke="#1b1f24"/>`;
    return (
      `<text x="${BAR.label - 8}" y="${middle}" dy="4" text-anchor="end">${escapeXml(label)}</text>` +
      `<rect x="${(BAR.label + start).toFixed(1)}" y="${middle - 7}" width="${(end - start).toFixed(1)}" height="14" fill="${printColor(color)}"/>${whisker}` +
      `<text x="${width - 4}" y="${middle}" dy="4" text-anchor="end">${escapeXml(format(value))}</text>`
    );
  });
  return picture(title, width, 40 + barsHeight(bars), rows.join(''));
}

export const DOTS = { left: 56, right: 12, top: 8, bottom: 26 };

/** Where a point lies within width × height, and the axes' round numbers. */
export function dotPlaces(dots: readonly Dot[], width: number, height: number, floor: number | null) {
  const [low, high] = axisOf(
    Math.min(...dots.map((dot) => dot.low)),
    Math.max(...dots.map((dot) => dot.high)),
    floor,
  );
  const [first, last] = [Math.min(...dots.map(({ x }) => x)), Math.max(...dots.map(({ x }) => x))];
  const atX = (x: number): number =>
    DOTS.left + (first === last ? 0.5 : (x - first) / (last - first)) * (width - DOTS.left - DOTS.right);
  const atY = (y: number): number =>
    height - DOTS.bottom - ((y - low) / (high - low)) * (height - DOTS.top - DOTS.bottom);
  const band =
    dots.length === 0
      ? ''
      : `M${dots.map(({ x, high: top }) => `${atX(x).toFixed(1)} ${atY(top).toFixed(1)}`).join('L')}L${dots
          .toReversed()
          .map(({ x, low: under }) => `${atX(x).toFixed(1)} ${atY(under).toFixed(1)}`)
          .join('L')}z`;
  return { atX, atY, band, xTicks: niceTicks(first, last, 6), yTicks: niceTicks(low, high, 4) };
}

/** The dots as a picture file that stands alone. */
export function dotsSvg(
  title: string,
  dots: readonly Dot[],
  floor: number | null,
  format: (value: number) => string,
): string {
  const [width, height] = [640, 280];
  const { atX, atY, band, xTicks, yTicks } = dotPlaces(dots, width, height, floor);
  const grid = yTicks.map(
    (tick) =>
      `<path d="M${DOTS.left} ${atY(tick).toFixed(1)}H${width - DOTS.right}" stroke="#d9dee4"/><text x="${DOTS.left - 6}" y="${atY(tick).toFixed(1)}" dy="4" text-anchor="end">${escapeXml(format(tick))}</text>`,
  );
  const steps = xTicks.map(
    (tick) => `<text x="${atX(tick).toFixed(1)}" y="${height - 8}" text-anchor="middle">${tick}</text>`,
  );
  const points = dots.map(
    ({ x, y }) =>
      `<circle cx="${atX(x).toFixed(1)}" cy="${atY(y).toFixed(1)}" r="3.5" fill="${printColor(0)}"/>`,
  );
  return picture(
    title,
    width,
    height + 34,
    `<g transform="translate(0 34)">${grid.join('')}${steps.join('')}<path d="${band}" fill="${printColor(0)}" fill-opacity="0.18"/>${points.join('')}</g>`,
  );
}

function picture(title: string, width: number, height: number, content: string): string {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="Inter, Segoe UI, sans-serif" font-size="12" fill="#1b1f24">` +
    `<rect width="${width}" height="${height}" fill="#ffffff"/><text x="12" y="20" font-weight="600" font-size="14">${escapeXml(title)}</text>${content}</svg>\n`
  );
}
