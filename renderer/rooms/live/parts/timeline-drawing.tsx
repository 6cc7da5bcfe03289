import { type ChartTable, escapeXml, printColor } from '../../../charts/index.ts';
import { durationText } from '../../../ui/index.ts';
import type { Translate } from '../../../i18n/index.ts';
import { ALL_PARTS, partPath, timelineCeiling, type TimelineCell } from '../model/timeline.ts';

const SPOKEN_PARTS = 3; // the longest; more would be read for longer than the step took

/** What a cell says of itself: which steps, how long, where the time went. */
export function cellText(
  t: Translate,
  { from, to, seconds, parts, retries }: TimelineCell,
  scores: number,
): string {
  const longest = ALL_PARTS.toSorted((a, b) => parts[b] - parts[a])
    .slice(0, SPOKEN_PARTS)
    .filter((part) => parts[part] > 0);
  return t('live.timeline.cell', {
    from,
    to: to === from ? 'none' : to,
    seconds: durationText(seconds),
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
  const strip = { width: 616, height: 120, ceiling: timelineCeiling(cells) };
  const height = 170 + ALL_PARTS.length * 16;
  const color = (index: number): string => (index === ALL_PARTS.length - 1 ? '#d9dee4' : printColor(index));
  const bars = ALL_PARTS.map(
    (part, index) => `<path d="${partPath(cells, part, strip)}" fill="${color(index)}"/>`,
  );
  const legend = ALL_PARTS.map(
    (part, index) =>
      `<rect x="12" y="${166 + index * 16}" width="10" height="10" fill="${color(index)}"/><text x="28" y="${175 + index * 16}">${escapeXml(t(`live.part.${part}`))}</text>`,
  );
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="${height}" viewBox="0 0 640 ${height}" font-family="Inter, Segoe UI, sans-serif" font-size="12" fill="#1b1f24"><rect width="640" height="${height}" fill="#ffffff"/>` +
    `<text x="12" y="20" font-weight="600" font-size="14">${escapeXml(title)}</text><g transform="translate(12 34)">${bars.join('')}</g>${legend.join('')}</svg>\n`
  );
}
