import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import { ChartFrame, type CurveRange, jumpToNow, seriesColor } from '../../../charts/index.ts';
import { Button, durationText, useElementSize, VisuallyHidden } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  ALL_PARTS,
  cellAt,
  type Course,
  partPath,
  type StepPart,
  timelineCeiling,
  type TimelineCell,
  timelineCells,
} from '../model/timeline.ts';
import { cellText, timelineSvg, timelineTable } from './timeline-drawing.tsx';

type StepTimelineProps = {
  course: Course;
  /** Steps whose checkpoints were evaluated. */ evaluated: readonly number[];
  range: CurveRange | null;
  onRange: (range: CurveRange | null) => void;
  onOpenStep: (from: number, to: number) => void;
};

const HEIGHT = 64;
const MARKS = 12; // room above the strip for retries and evaluations
const LEAST_CELL_PX = 2;
const MOST_CELL_PX = 48; // a few steps should not become blocks

/** One cell per step, as high as the step took long, split into its sub-phases; a dragged range narrows the whole page. */
export function StepTimeline({ course, evaluated, range, onRange, onOpenStep }: StepTimelineProps) {
  const t = useTranslate();
  const { ref: box, width: measured } = useElementSize();
  const last = course.steps.at(-1) ?? 0;
  const [at, setAt] = useState<number | null>(null);
  const drag = useRef<number | null>(null);
  const room = Math.max(120, Math.floor(measured));
  const cells = useMemo(() => timelineCells(course, Math.floor(room / LEAST_CELL_PX)), [course, room]);
  const width = Math.min(room, cells.length * MOST_CELL_PX);
  const strip = useMemo(() => ({ width, height: HEIGHT, ceiling: timelineCeiling(cells) }), [width, cells]);
  const scoresIn = (cell: TimelineCell): number =>
    evaluated.filter((step) => step >= cell.from && step <= cell.to).length;
  const select = (a: number, b: number): void => {
    const [start, end] = [cells[Math.min(a, b)], cells[Math.max(a, b)]];
    if (start !== undefined && end !== undefined) onRange({ from: start.from, to: end.to });
  };
  const place = (event: PointerEvent): number | null =>
    cellAt(cells, event.clientX - event.currentTarget.getBoundingClientRect().left, width);
  const press = (event: KeyboardEvent): void => {
    const here = at ?? cells.length - 1;
    const moves: Record<string, number> = {
      ArrowLeft: here - 1,
      ArrowRight: here + 1,
      Home: 0,
      End: cells.length - 1,
    };
    const target = moves[event.key];
    const cell = cells[here];
    if (event.ctrlKey || event.metaKey || event.altKey || cells.length === 0) return;
    if (target !== undefined) {
      const next = Math.min(cells.length - 1, Math.max(0, target));
      if (event.shiftKey) select((drag.current ??= here), next);
      else drag.current = null;
      setAt(next);
    } else if (event.key === 'Enter' && cell !== undefined) onOpenStep(cell.from, cell.to);
    else if (event.key === 'Escape' && (range !== null || at !== null)) {
      onRange(null);
      setAt(null);
      drag.current = null;
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shown = at === null ? undefined : cells[at];
  const each = cells.length === 0 ? 0 : width / cells.length;
  return (
    <ChartFrame
      title={t('live.timeline')}
      table={() => timelineTable(cells, t, scoresIn)}
      svg={() => timelineSvg(t('live.timeline'), cells, t)}
      format={durationText}
      height={HEIGHT + MARKS}
      aside={
        <>
          <span className="fig-note numbers">
            {shown === undefined ? t('live.timeline.note') : cellText(t, shown, scoresIn(shown))}
          </span>
          {range !== null && range.to !== null && range.to < last && (
            <Button
              size="compact-xs"
              style={{ flex: 'none' }}
              onClick={() => onRange(jumpToNow(range, [course.steps[0] ?? 1, last]))}
            >
              {t('figure.jump')}
            </Button>
          )}
          {range !== null && (
            <Button
              size="compact-xs"
              variant="default"
              style={{ flex: 'none' }}
              onClick={() => onRange(null)}
            >
              {t('live.timeline.clear')}
            </Button>
          )}
        </>
      }
    >
      {/* An application to screen readers, so that the arrow keys reach it; each step is said in the live region below. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        ref={box}
        className="live-strip"
        role="application"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        aria-roledescription={t('live.timeline.kind')}
        aria-label={`${t('live.timeline')}. ${t('live.timeline.keys')}`}
        onKeyDown={press}
      >
        {cells.length === 0 && (
          <div className="fig-empty" style={{ height: HEIGHT }}>
            {t('live.timeline.empty')}
          </div>
        )}
        {cells.length > 0 && (
          <svg
            width={width}
            height={HEIGHT + MARKS}
            aria-hidden
            onPointerDown={(event) => {
              event.currentTarget.setPointerCapture(event.pointerId);
              drag.current = place(event);
              setAt(place(event));
            }}
            onPointerMove={(event) => {
              const here = place(event);
              setAt(here);
              if (drag.current !== null && here !== null && here !== drag.current && event.buttons === 1)
                select(drag.current, here);
            }}
            onPointerUp={() => {
              drag.current = null;
            }}
            onPointerLeave={() => setAt(null)}
          >
            <Cells cells={cells} strip={strip} />
            <Marks cells={cells} each={each} scoresIn={scoresIn} />
            {range !== null && <Chosen cells={cells} each={each} range={range} width={width} />}
            {at !== null && (
              <rect
                x={at * each}
                y={0}
                width={Math.max(1, each)}
                height={HEIGHT + MARKS}
                fill="none"
                stroke="var(--mantine-color-text)"
              />
            )}
          </svg>
        )}
      </div>
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
      <Spoken text={shown === undefined ? '' : cellText(t, shown, scoresIn(shown))} />
    </ChartFrame>
  );
}

/** Less than a hundredth of all time is not to be seen in the strip, and need not be explained below it. */
const isSeen = (cells: readonly TimelineCell[], part: StepPart): boolean =>
  cells.reduce((sum, { parts }) => sum + parts[part], 0) >=
  0.01 * cells.reduce((sum, { seconds }) => sum + seconds, 0);

const partColor = (index: number): string =>
  index === ALL_PARTS.length - 1 ? 'var(--line)' : `var(${seriesColor(index)})`;

function Cells({
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

function Marks({
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

function Chosen({
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

const SPEECH_MS = 400;

/** Says what the cursor is on, once it rests. */
function Spoken({ text }: { text: string }) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    const timer = window.setTimeout(() => setSaid(text), SPEECH_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  return <VisuallyHidden aria-live="polite">{said}</VisuallyHidden>;
}
