import { envelope, shownSpan, axisOf, niceTicks } from './axes.ts';
import {
  align,
  extentOf,
  within,
  smooth,
  printColor,
  lookOf,
  seriesDash,
  type CurveMark,
  type CurveRange,
  type CurveSeries,
} from './series.ts';

const WIDTH = 640;
const HEIGHT = 320;
const LEFT = 56;
const RIGHT = 12;
const TOP = 34;
const BOTTOM = 40;
const LEGEND_ROW = 18;

type CurvePicture = {
  title: string;
  xLabel: string;
  series: readonly CurveSeries[];
  range: CurveRange | null;
  smoothing: number;
  floor: number | null;
  bounds: readonly [number, number] | null;
  marks: readonly CurveMark[];
  format: (value: number) => string;
};

/** The curve as a picture file that stands alone: for papers, in the light theme's colours, with its legend below. */
export function curveSvg({
  title,
  xLabel,
  series,
  range,
  smoothing,
  floor,
  bounds,
  marks,
  format,
}: CurvePicture): string {
  const [from, to] = shownSpan(range, extentOf(series));
  const raw = within(align(series), from, to);
  const drawn = within(
    align(series.map((one) => (one.kind === 'line' ? { ...one, y: smooth(one.y, smoothing) } : one))),
    from,
    to,
  );
  const values = raw.columns.flat().filter((value): value is number => typeof value === 'number');
  const [low, high] =
    bounds ??
    axisOf(
      values.reduce((a, b) => Math.min(a, b), Infinity),
      values.reduce((a, b) => Math.max(a, b), -Infinity),
      floor,
    );
  const right = WIDTH - RIGHT;
  const bottom = HEIGHT - BOTTOM;
  const atX = (value: number): string => (LEFT + ((value - from) / (to - from)) * (right - LEFT)).toFixed(1);
  const atY = (value: number): string =>
    (bottom - ((value - low) / (high - low)) * (bottom - TOP)).toFixed(1);
  const pixels = right - LEFT;
  const lines = series.map((one, index) => {
    const look = lookOf(one, index);
    const color = printColor(look.color);
    const points = one.kind === 'score' ? circles(drawn.x, drawn.columns[index] ?? [], atX, atY, color) : '';
    const pale =
      smoothing > 0 && one.kind === 'line'
        ? path(
            envelope({ x: raw.x, columns: [raw.columns[index] ?? []] }, pixels),
            atX,
            atY,
            `stroke="${color}" stroke-opacity="0.25"`,
          )
        : '';
    return (
      area(one, atX, atY, color) +
      pale +
      path(
        envelope({ x: drawn.x, columns: [drawn.columns[index] ?? []] }, pixels),
        atX,
        atY,
        `stroke="${color}" stroke-width="1.6" stroke-dasharray="${seriesDash(look.dash).join(' ')}"`,
      ) +
      points
    );
  });
  const flags = marks.map(
    ({ x }) =>
      `<line x1="${atX(x)}" x2="${atX(x)}" y1="${TOP}" y2="${bottom}" stroke="#b3261e" stroke-width="1.5" stroke-dasharray="3 3"/>`,
  );
  const grid = niceTicks(low, high, 5).map(
    (tick) =>
      `<line x1="${LEFT}" x2="${right}" y1="${atY(tick)}" y2="${atY(tick)}" stroke="#d9dee4"/><text x="${LEFT - 6}" y="${atY(tick)}" dy="4" text-anchor="end">${escapeXml(format(tick))}</text>`,
  );
  const steps = niceTicks(from, to, 8).map(
    (tick) => `<text x="${atX(tick)}" y="${bottom + 16}" text-anchor="middle">${tick}</text>`,
  );
  const legend = [
    ...series.map((one, index) => {
      const look = lookOf(one, index);
      return {
        label: one.label,
        stroke: `stroke="${printColor(look.color)}" stroke-dasharray="${seriesDash(look.dash).join(' ')}"`,
      };
    }),
    ...marks.map(({ label }) => ({ label, stroke: 'stroke="#b3261e" stroke-dasharray="3 3"' })),
  ].map(({ label, stroke }, row) => {
    const y = HEIGHT + LEGEND_ROW * row;
    return `<line x1="${LEFT}" x2="${LEFT + 26}" y1="${y}" y2="${y}" ${stroke} stroke-width="2"/><text x="${LEFT + 34}" y="${y}" dy="4">${escapeXml(label)}</text>`;
  });
  const height = HEIGHT + LEGEND_ROW * legend.length + 4;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="Inter, Segoe UI, sans-serif" font-size="12" fill="#1b1f24">` +
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/><text x="${LEFT}" y="20" font-weight="600" font-size="14">${escapeXml(title)}</text>` +
    `<clipPath id="plot"><rect x="${LEFT}" y="${TOP - 4}" width="${right - LEFT}" height="${bottom - TOP + 8}"/></clipPath>` +
    `${grid.join('')}${steps.join('')}<text x="${(LEFT + right) / 2}" y="${bottom + 32}" text-anchor="middle">${escapeXml(xLabel)}</text>` +
    `<g clip-path="url(#plot)" fill="none">${lines.join('')}${flags.join('')}</g>${legend.join('')}</svg>\n`
  );
}

function path(
  { x, columns: [column = []] }: { x: readonly number[]; columns: (number | null | undefined)[][] },
  atX: (value: number) => string,
  atY: (value: number) => string,
  look: string,
): string {
  let isPenDown = false;
  const parts = column.flatMap((value, at) => {
    if (value === undefined) return [];
    if (value === null) {
      isPenDown = false;
      return [];
    }
    const command = isPenDown ? 'L' : 'M';
    isPenDown = true;
    return [`${command}${atX(x[at] as number)} ${atY(value)}${command === 'M' ? 'h0' : ''}`]; // h0: a point between two gaps is still seen
  });
  return `<path d="${parts.join('')}" stroke-linecap="round" stroke-linejoin="round" ${look}/>`;
}

/** The band of a series; nothing where it has none. */
function area(
  { x, band }: CurveSeries,
  atX: (value: number) => string,
  atY: (value: number) => string,
  color: string,
): string {
  if (band === undefined) return '';
  const ends = x.flatMap((at, place) => {
    const [low, high] = [band.low[place], band.high[place]];
    return typeof low === 'number' && typeof high === 'number' ? [{ at, low, high }] : [];
  });
  const points = [
    ...ends.map(({ at, high }) => `${atX(at)} ${atY(high)}`),
    ...ends.toReversed().map(({ at, low }) => `${atX(at)} ${atY(low)}`),
  ];
  return points.length < 2 ? '' : `<path d="M${points.join('L')}Z" fill="${color}" fill-opacity="0.13"/>`;
}

function circles(
  x: readonly number[],
  column: readonly (number | null | undefined)[],
  atX: (value: number) => string,
  atY: (value: number) => string,
  color: string,
): string {
  return column
    .map((value, at) =>
      typeof value === 'number'
        ? `<circle cx="${atX(x[at] as number)}" cy="${atY(value)}" r="3.5" fill="${color}"/>`
        : '',
    )
    .join('');
}

export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** A horizontal bar; `low` and `high` end its whisker. */
export type Bar = {
  id: string;
  label: string;
  value: number;
  low?: number;
  high?: number;
  /** Number of the colour; 0 by default. */ color?: number;
};

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

function picture(title: string, width: number, height: number, content: string): string {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="Inter, Segoe UI, sans-serif" font-size="12" fill="#1b1f24">` +
    `<rect width="${width}" height="${height}" fill="#ffffff"/><text x="12" y="20" font-weight="600" font-size="14">${escapeXml(title)}</text>${content}</svg>\n`
  );
}
