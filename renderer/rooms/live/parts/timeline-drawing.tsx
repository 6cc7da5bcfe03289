import { useMemo } from 'react';
import {
  type ChartTable,
  type CurveRange,
  escapeXml,
  picture,
  printColor,
  seriesColor,
} from '../../../charts/index.ts';
import { type Translate, useTranslate } from '../../../i18n/index.ts';
import { durationText } from '../../../ui/index.ts';
import { AXES, stripAxesSvg } from './strip-axes.tsx';
import { ALL_PARTS, partPath, type StepPart, timelineCeiling, type TimelineCell } from '../model/timeline.ts';

export const HEIGHT = 64;
export const MARKS = 12; // room above the strip for retries and evaluations
const SPOKEN_PARTS = 3; // the longest; more would be read for longer than the step took

/** What a cell says of itself: which steps, where they stand in the schedule, how long, where the time went. */
export function cellText(
  t: Translate,
  { from, to, seconds, parts, retries }: TimelineCell,
  scores: number,
  place: string | null,
): string {
  const longest = ALL_PARTS.toSorted((a, b) => parts[b] - parts[a])
    .slice(0, SPOKEN_PARTS)
    .filter((part) => parts[part] > 0);
  return t('live.timeline.cell', {
    from,
    to: to === from ? 'none' : to,
    seconds: durationText(seconds),
    place: place ?? 'none',
    retries,
    scores,
    parts: longest
      .map((part) =>
        t('live.timeline.part', { part: t(`live.part.${part}`), seconds: durationText(parts[part]) }),
      )
      .join(', '),
  });
}

export function timelineTable(
  cells: readonly TimelineCell[],
  t: Translate,
  scoresIn: (cell: TimelineCell) => number,
): ChartTable {
  return {
    columns: [
      t('live.curve.x'),
      t('live.part.step'),
      ...ALL_PARTS.map((part) => t(`live.part.${part}`)),
      t('live.timeline.retry'),
      t('live.timeline.scores'),
    ],
    rows: cells.map((cell) => [
      cell.from === cell.to ? cell.from : `${cell.from}–${cell.to}`,
      cell.seconds,
      ...ALL_PARTS.map((part) => cell.parts[part]),
      String(cell.retries),
      String(scoresIn(cell)),
    ]),
  };
}

/** The strip as a picture file that stands alone. */
export function timelineSvg(title: string, cells: readonly TimelineCell[], t: Translate): string {
  const [left, top] = [12 + AXES.left, 34];
  const strip = { width: 628 - left, height: 120, ceiling: timelineCeiling(cells) };
  const foot = top + strip.height + AXES.bottom + 12;
  const height = foot + 4 + ALL_PARTS.length * 16;
  const color = (index: number): string => (index === ALL_PARTS.length - 1 ? '#d9dee4' : printColor(index));
  const bars = ALL_PARTS.map(
    (part, index) => `<path d="${partPath(cells, part, strip)}" fill="${color(index)}"/>`,
  );
  const legend = ALL_PARTS.map(
    (part, index) =>
      `<rect x="12" y="${foot + index * 16}" width="10" height="10" fill="${color(index)}"/><text x="28" y="${foot + 9 + index * 16}">${escapeXml(t(`live.part.${part}`))}</text>`,
  );
  return picture(
    title,
    640,
    height,
    12,
    `<g transform="translate(${left} ${top})">${stripAxesSvg(cells, strip, t)}${bars.join('')}</g>${legend.join('')}`,
  );
}

/** Less than a hundredth of all time is not to be seen in the strip, and need not be explained below it. */
const isSeen = (cells: readonly TimelineCell[], part: StepPart): boolean =>
  cells.reduce((sum, { parts }) => sum + parts[part], 0) >=
  0.01 * cells.reduce((sum, { seconds }) => sum + seconds, 0);

const partColor = (index: number): string =>
  index === ALL_PARTS.length - 1 ? 'var(--line)' : `var(${seriesColor(index)})`;

export function Cells({
  cells,
  strip,
}: {
  cells: readonly TimelineCell[];
  strip: { width: number; height: number; ceiling: number };
}) {
  // One path per sub-phase, however many steps there are: the page stays light at hundreds of steps.
  const paths = useMemo(() => ALL_PARTS.map((part) => partPath(cells, part, strip)), [cells, strip]);
  // A longer step is cut off, and a gap near its top says so.
  const each = strip.width / Math.max(1, cells.length);
  const cut = cells
    .map(({ seconds }, index) => (seconds > strip.ceiling ? `M${index * each} 6h${each}v3h${-each}z` : ''))
    .join('');
  return (
    <g transform={`translate(0 ${MARKS})`}>
      {paths.map((path, index) => (
        <path key={ALL_PARTS[index]} d={path} fill={partColor(index)} />
      ))}
      <path d={cut} fill="var(--panel)" />
    </g>
  );
}

export function Marks({
  cells,
  each,
  scoresIn,
}: {
  cells: readonly TimelineCell[];
  each: number;
  scoresIn: (cell: TimelineCell) => number;
}) {
  const middle = (index: number): number => (index + 0.5) * each;
  const retries = cells
    .map(({ retries: n }, index) => (n > 0 ? `M${middle(index) - 3} ${MARKS - 1}l3 -6l3 6z` : ''))
    .join('');
  const scores = cells
    .map((cell, index) => (scoresIn(cell) > 0 ? `M${middle(index)} 0l4 4l-4 4l-4 -4z` : ''))
    .join('');
  return (
    <>
      <path d={retries} fill="var(--warn)" />
      <path d={scores} fill="var(--mantine-color-text)" />
    </>
  );
}

export function Chosen({
  cells,
  each,
  range,
  width,
}: {
  cells: readonly TimelineCell[];
  each: number;
  range: CurveRange;
  width: number;
}) {
  const first = cells.findIndex(({ to }) => to >= range.from);
  const after = range.to === null ? -1 : cells.findIndex(({ from }) => from > (range.to as number));
  const [left, right] = [Math.max(0, first) * each, after < 0 ? width : after * each];
  return (
    <path
      d={`M0 0H${left}V${HEIGHT + MARKS}H0zM${right} 0H${width}V${HEIGHT + MARKS}H${right}z`}
      fill="var(--ground)"
      fillOpacity={0.75}
    />
  );
}

/** What the colours and marks of the strip stand for. */
export function Legend({ cells }: { cells: readonly TimelineCell[] }) {
  const t = useTranslate();
  return (
    <ul className="live-parts" aria-hidden>
      {ALL_PARTS.map((part, index) =>
        isSeen(cells, part) ? (
          <li key={part}>
            <svg width={9} height={9}>
              <rect width={9} height={9} rx={2} fill={partColor(index)} />
            </svg>
            {t(`live.part.${part}`)}
          </li>
        ) : null,
      )}
      <li>
        <svg width={10} height={9}>
          <path d="M1 8L5 1L9 8z" fill="var(--warn)" />
        </svg>
        {t('live.timeline.retry')}
      </li>
      <li>
        <svg width={10} height={10}>
          <path d="M5 0L10 5L5 10L0 5z" fill="var(--mantine-color-text)" />
        </svg>
        {t('live.timeline.scores')}
      </li>
    </ul>
  );
}
