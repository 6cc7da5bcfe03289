import { printColor } from './series.ts';
import { escapeXml, picture } from './picture.ts';

/** Steps from … to, and how many values fell into each row, the lowest first. */
export type HeatColumn = {
  from: number;
  to: number;
  counts: readonly number[];
  /** 0 … 1 from the bottom row to the top one; null in a column without values. */
  mean: number | null;
};

/** Measures in pixels, the same for the page and for the saved picture. */
export const HEAT = {
  left: 48,
  right: 12,
  top: 6,
  bottom: 20,
  row: 18,
  leastColumn: 3,
  /** A few columns should not become blocks, nor leave their panel empty. */ mostColumn: 160,
  labelEvery: 5,
  /** Two labels of the axis beside each other. */ labelRoom: 96,
};

/** Opacities that a cell can have; the eye tells about so many apart. */
const LEVELS = 10;

type Place = { each: number; rows: number };

/** One path for each shade, however many columns there are. `level` is the opacity of what is drawn with it. */
export function heatPaths(
  columns: readonly HeatColumn[],
  { each, rows }: Place,
): { level: number; path: string }[] {
  const paths = Array.from({ length: LEVELS }, () => '');
  columns.forEach(({ counts }, column) => {
    const total = counts.reduce((sum, count) => sum + count, 0);
    counts.forEach((count, row) => {
      if (count === 0) return;
      // By the square root, so that one of many values is still seen.
      const level = Math.min(LEVELS - 1, Math.floor(Math.sqrt(count / total) * LEVELS));
      const [x, y] = [(column * each).toFixed(2), (rows - 1 - row) * HEAT.row];
      paths[level] += `M${x} ${y}h${each.toFixed(2)}v${HEAT.row}h${(-each).toFixed(2)}z`;
    });
  });
  return paths.flatMap((path, level) => (path === '' ? [] : [{ level: (level + 1) / LEVELS, path }]));
}

/** Where a value from 0 (middle of the lowest row) to 1 (middle of the highest) stands, in pixels from the top. */
export const rowAt = (value: number, rows: number): number => (rows - 0.5 - value * (rows - 1)) * HEAT.row;

/** A line through the means, from the middle of the lowest row to that of the highest; it is interrupted where there are no values. */
export function meanPath(columns: readonly HeatColumn[], { each, rows }: Place): string {
  let isDown = false;
  return columns
    .map(({ mean }, column) => {
      const [from, begins] = [isDown, mean !== null];
      isDown = begins;
      if (mean === null) return '';
      const y = rowAt(mean, rows);
      const x = (column + 0.5) * each;
      // A mean between two columns without values is a short line of its own.
      return from
        ? `L${x.toFixed(2)} ${y.toFixed(2)}`
        : `M${(x - Math.min(3, each / 2)).toFixed(2)} ${y.toFixed(2)}L${x.toFixed(2)} ${y.toFixed(2)}`;
    })
    .join('');
}

/** The figure as a picture file that stands alone. @param kept ends of the values that are kept, each drawn as a line. */
export function heatSvg(
  title: string,
  columns: readonly HeatColumn[],
  rowLabels: readonly string[],
  xLabel: string,
  kept: readonly number[] = [],
): string {
  const width = 640;
  const rows = rowLabels.length;
  const each = Math.min(HEAT.mostColumn, (width - HEAT.left - HEAT.right) / Math.max(1, columns.length));
  const labels = rowLabels.map((label, row) =>
    row % HEAT.labelEvery === 0
      ? `<text x="${HEAT.left - 6}" y="${34 + (rows - row - 0.5) * HEAT.row}" dy="4" text-anchor="end">${escapeXml(label)}</text>`
      : '',
  );
  const cells = heatPaths(columns, { each, rows }).map(
    ({ level, path }) => `<path d="${path}" fill="${printColor(0)}" fill-opacity="${level}"/>`,
  );
  const ends = kept.map(
    (end) =>
      `<path d="M0 ${rowAt(end, rows).toFixed(1)}h${(columns.length * each).toFixed(1)}" stroke="${printColor(2)}" stroke-width="1.5" stroke-dasharray="5 3"/>`,
  );
  const foot = 34 + rows * HEAT.row + 16;
  return picture(
    title,
    width,
    foot + 12,
    12,
    `${labels.join('')}<g transform="translate(${HEAT.left} 34)">${cells.join('')}${ends.join('')}` +
      `<path d="${meanPath(columns, { each, rows })}" fill="none" stroke="${printColor(1)}" stroke-width="2"/></g>` +
      `<text x="${HEAT.left}" y="${foot}">${escapeXml(`${xLabel} ${columns[0]?.from ?? ''}–${columns.at(-1)?.to ?? ''}`)}</text>`,
  );
}
