import { escapeXml } from '../../../charts/index.ts';
import { type Translate, useTranslate } from '../../../i18n/index.ts';
import type { Strip, TimelineCell } from '../model/timeline.ts';
import { stripTicks } from '../model/timeline-axes.ts';

/** Room that the axes take beside and below the strip, at the usual size of text. */
export const AXES = { left: 82, bottom: 22 };
/** From the strip to the numbers, and from the left edge to the middle of a name that stands upright. */
const GAP = 6;
const UPRIGHT = 8;
const BASELINE = 17;

/** How long steps took at the left of the strip, which begins at 0, and their numbers below it. */
export function StripAxes({
  cells,
  strip,
  left,
  textScale,
}: {
  cells: readonly TimelineCell[];
  strip: Strip;
  left: number;
  textScale: number;
}) {
  const t = useTranslate();
  const { steps, times } = stripTicks(cells, strip);
  const foot = strip.height + BASELINE * textScale;
  const middle = strip.height / 2;
  const upright = UPRIGHT * textScale - left;
  return (
    <g className="quiet numbers">
      {times.map(({ at, text }) => (
        <g key={text}>
          <line x1={0} x2={strip.width} y1={at} y2={at} stroke="var(--line)" />
          <text x={-GAP} y={at} dy={4 * textScale} textAnchor="end">
            {text}
          </text>
        </g>
      ))}
      {steps.map(({ at, text }) => (
        <text key={text} x={at} y={foot} textAnchor="middle">
          {text}
        </text>
      ))}
      <text x={-GAP} y={foot} textAnchor="end">
        {t('live.curve.x')}
      </text>
      <text
        x={upright}
        y={middle}
        dy={4 * textScale}
        textAnchor="middle"
        transform={`rotate(-90 ${upright} ${middle})`}
      >
        {t('figure.unit.time')}
      </text>
    </g>
  );
}

/** The same in a picture file, where the strip begins at 0. */
export function stripAxesSvg(cells: readonly TimelineCell[], strip: Strip, t: Translate): string {
  const { steps, times } = stripTicks(cells, strip);
  const foot = strip.height + BASELINE;
  const [upright, middle] = [UPRIGHT - AXES.left, strip.height / 2];
  return [
    ...times.map(
      ({ at, text }) =>
        `<line x1="0" x2="${strip.width}" y1="${at.toFixed(1)}" y2="${at.toFixed(1)}" stroke="#d9dee4"/><text x="${-GAP}" y="${at.toFixed(1)}" dy="4" text-anchor="end">${escapeXml(text)}</text>`,
    ),
    ...steps.map(
      ({ at, text }) =>
        `<text x="${at.toFixed(1)}" y="${foot}" text-anchor="middle">${escapeXml(text)}</text>`,
    ),
    `<text x="${-GAP}" y="${foot}" text-anchor="end">${escapeXml(t('live.curve.x'))}</text>`,
    `<text x="${upright}" y="${middle}" dy="4" text-anchor="middle" transform="rotate(-90 ${upright} ${middle})">${escapeXml(t('figure.unit.time'))}</text>`,
  ].join('');
}
