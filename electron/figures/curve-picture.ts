import { escapeXml, picture } from './picture.ts';
import { envelope, shownSpan, axisOf, niceTicks } from './axes.ts';
import {
  align,
  extentOf,
  within,
  smooth,
  printColor,
  lookOf,
  seriesDash,
  type CurveLimit,
  type CurveMark,
  type CurveRange,
  type CurveSeries,
} from './series.ts';
import { placeLimits } from './wires.ts';

const WIDTH = 640;
const HEIGHT = 320;
const LEFT = 72;
const RIGHT = 12;
const TOP = 34;
const BOTTOM = 40;
const LEGEND_ROW = 18;
/** Of marks and limits. */
const BAD = '#b3261e';
const LIMIT_LINE = `stroke="${BAD}" stroke-width="1.2" stroke-dasharray="8 4"`;
/** Of the picture's letters, on the average, and of a line of them. */
const LETTER = { width: 6.2, height: 13 };

type CurvePicture = {
  title: string;
  xLabel: string;
  /** What y measures with its unit, such as "tokens". */
  yLabel: string;
  series: readonly CurveSeries[];
  range: CurveRange | null;
  smoothing: number;
  floor: number | null;
  bounds: readonly [number, number] | null;
  marks: readonly CurveMark[];
  limits: readonly CurveLimit[];
  format: (value: number) => string;
};

/** The curve as a picture file that stands alone: for papers, in the light theme's colours, with its legend below. */
export function curveSvg({
  title,
  xLabel,
  yLabel,
  series,
  range,
  smoothing,
  floor,
  bounds,
  marks,
  limits,
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
      `<line x1="${atX(x)}" x2="${atX(x)}" y1="${TOP}" y2="${bottom}" stroke="${BAD}" stroke-width="1.5" stroke-dasharray="3 3"/>`,
  );
  const inView = limits.filter(({ y }) => y >= low && y <= high);
  const places = placeLimits(
    inView.map(({ y, short, isFloor }) => ({
      at: Number(atY(y)),
      width: short.length * LETTER.width,
      isFloor,
    })),
    { left: LEFT, top: TOP, bottom, height: LETTER.height },
  );
  const levels = inView.map(
    ({ y }) => `<line x1="${LEFT}" x2="${right}" y1="${atY(y)}" y2="${atY(y)}" ${LIMIT_LINE}/>`,
  );
  // A rim in the paper's colour keeps the words apart from curves behind them.
  const levelNames = inView.map(
    ({ short }, index) =>
      `<text x="${places[index]?.x}" y="${places[index]?.y.toFixed(1)}" fill="${BAD}" stroke="#fff" stroke-width="3" paint-order="stroke">${escapeXml(short)}</text>`,
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
        stroke: `stroke="${printColor(look.color)}" stroke-dasharray="${seriesDash(look.dash).join(' ')}" stroke-width="2"`,
      };
    }),
    ...marks.map(({ label }) => ({
      label,
      stroke: `stroke="${BAD}" stroke-dasharray="3 3" stroke-width="2"`,
    })),
    ...limits.map(({ label }) => ({ label, stroke: LIMIT_LINE })),
  ].flatMap(({ label, stroke }) =>
    linesOf(label).map((text, line) => ({ text, stroke: line === 0 ? stroke : null })),
  );
  const legendRows = legend.map(({ text, stroke }, row) => {
    const y = HEIGHT + LEGEND_ROW * row;
    const sign =
      stroke === null ? '' : `<line x1="${LEFT}" x2="${LEFT + 26}" y1="${y}" y2="${y}" ${stroke}/>`;
    return `${sign}<text x="${LEFT + 34}" y="${y}" dy="4">${escapeXml(text)}</text>`;
  });
  const middle = (TOP + bottom) / 2;
  const unit = `<text x="14" y="${middle}" transform="rotate(-90 14 ${middle})" text-anchor="middle">${escapeXml(yLabel)}</text>`;
  const height = HEIGHT + LEGEND_ROW * legend.length + 4;
  return picture(
    title,
    WIDTH,
    height,
    LEFT,
    `${grid.join('')}${steps.join('')}${unit}<text x="${(LEFT + right) / 2}" y="${bottom + 32}" text-anchor="middle">${escapeXml(xLabel)}</text>` +
      // A picture inside of the picture cuts off what is outside of the axes, and needs no name that another figure of a page may have too.
      `<svg x="${LEFT}" y="${TOP - 4}" width="${right - LEFT}" height="${bottom - TOP + 8}" viewBox="${LEFT} ${TOP - 4} ${right - LEFT} ${bottom - TOP + 8}" fill="none">${lines.join('')}${levels.join('')}${flags.join('')}</svg>${levelNames.join('')}${legendRows.join('')}`,
  );
}

const LEGEND_LETTERS = Math.floor((WIDTH - RIGHT - LEFT - 34) / LETTER.width);

/** What is said in the legend, in lines that end within the picture. */
function linesOf(label: string): string[] {
  const lines = [''];
  for (const word of label.split(' ')) {
    const line = lines.at(-1)!;
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= LEGEND_LETTERS) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
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
