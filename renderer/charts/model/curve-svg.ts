import { envelope } from './envelope.ts';
import { shownSpan } from './range.ts';
import { align, extentOf, within, type CurveRange, type CurveSeries } from './series.ts';
import { smooth } from './smoothing.ts';
import { printColor, seriesDash } from './styles.ts';
import { axisOf, niceTicks } from './ticks.ts';

const WIDTH = 640;
const HEIGHT = 320;
const LEFT = 56;
const RIGHT = 12;
const TOP = 34;
const BOTTOM = 40;
const LEGEND_ROW = 18;

export type CurvePicture = {
  title: string;
  xLabel: string;
  series: readonly CurveSeries[];
  range: CurveRange | null;
  smoothing: number;
  floor: number | null;
  format: (value: number) => string;
};

/** The curve as a picture file that stands alone: for papers, in the light theme's colours, with its legend below. */
export function curveSvg({ title, xLabel, series, range, smoothing, floor, format }: CurvePicture): string {
  const [from, to] = shownSpan(range, extentOf(series));
  const raw = within(align(series), from, to);
  const drawn = within(
    align(series.map((one) => (one.kind === 'line' ? { ...one, y: smooth(one.y, smoothing) } : one))),
    from,
    to,
  );
  const values = raw.columns.flat().filter((value): value is number => typeof value === 'number');
  const [low, high] = axisOf(
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
    const color = printColor(index);
    if (one.kind === 'dots') return dots(drawn.x, drawn.columns[index] ?? [], atX, atY, color);
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
      pale +
      path(
        envelope({ x: drawn.x, columns: [drawn.columns[index] ?? []] }, pixels),
        atX,
        atY,
        `stroke="${color}" stroke-width="1.6" stroke-dasharray="${seriesDash(index).join(' ')}"`,
      )
    );
  });
  const grid = niceTicks(low, high, 5).map(
    (tick) =>
      `<line x1="${LEFT}" x2="${right}" y1="${atY(tick)}" y2="${atY(tick)}" stroke="#d9dee4"/><text x="${LEFT - 6}" y="${atY(tick)}" dy="4" text-anchor="end">${escapeXml(format(tick))}</text>`,
  );
  const steps = niceTicks(from, to, 8).map(
    (tick) => `<text x="${atX(tick)}" y="${bottom + 16}" text-anchor="middle">${tick}</text>`,
  );
  const legend = series.map(({ label }, index) => {
    const y = HEIGHT + LEGEND_ROW * index;
    return `<line x1="${LEFT}" x2="${LEFT + 26}" y1="${y}" y2="${y}" stroke="${printColor(index)}" stroke-width="2" stroke-dasharray="${seriesDash(index).join(' ')}"/><text x="${LEFT + 34}" y="${y}" dy="4">${escapeXml(label)}</text>`;
  });
  const height = HEIGHT + LEGEND_ROW * series.length + 4;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="Inter, Segoe UI, sans-serif" font-size="12" fill="#1b1f24">` +
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/><text x="${LEFT}" y="20" font-weight="600" font-size="14">${escapeXml(title)}</text>` +
    `<clipPath id="plot"><rect x="${LEFT}" y="${TOP - 4}" width="${right - LEFT}" height="${bottom - TOP + 8}"/></clipPath>` +
    `${grid.join('')}${steps.join('')}<text x="${(LEFT + right) / 2}" y="${bottom + 32}" text-anchor="middle">${escapeXml(xLabel)}</text>` +
    `<g clip-path="url(#plot)" fill="none">${lines.join('')}</g>${legend.join('')}</svg>\n`
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

function dots(
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
