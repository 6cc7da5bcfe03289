import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import { ChartFrame, type CurveRange, jumpToNow } from '../../../charts/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { Button, durationText, useElementSize, useTextScale, VisuallyHidden } from '../../../ui/index.ts';
import {
  cellAt,
  stripWidth,
  type Timeline,
  timelineCeiling,
  type TimelineCell,
  timelineCells,
} from '../model/timeline.ts';
import { AXES, StripAxes } from './strip-axes.tsx';
import {
  Cells,
  cellText,
  Chosen,
  HEIGHT,
  Legend,
  MARKS,
  Marks,
  timelineSvg,
  timelineTable,
} from './timeline-drawing.tsx';

type StepTimelineProps = {
  timeline: Timeline;
  /** Steps whose checkpoints were evaluated. */
  evaluated: readonly number[];
  range: CurveRange | null;
  onRange: (range: CurveRange | null) => void;
  onOpenStep: (from: number, to: number) => void;
  /** Where a step stands in the run's schedule, in words; null where all steps are alike. */
  placeOf: (step: number) => string | null;
};

const LEAST_CELL_PX = 2;

/** One cell per step, as high as the step took long, split into its sub-phases; a dragged range narrows the whole page. */
export function StepTimeline({
  timeline,
  evaluated,
  range,
  onRange,
  onOpenStep,
  placeOf,
}: StepTimelineProps) {
  const t = useTranslate();
  const { ref: box, width: measured } = useElementSize();
  const last = timeline.steps.at(-1) ?? 0;
  const [at, setAt] = useState<number | null>(null);
  const drag = useRef<number | null>(null);
  const textScale = useTextScale();
  const left = Math.ceil(AXES.left * textScale);
  const height = HEIGHT + MARKS + Math.ceil(AXES.bottom * textScale);
  const room = Math.max(120, Math.floor(measured) - left);
  const cells = useMemo(() => timelineCells(timeline, Math.floor(room / LEAST_CELL_PX)), [timeline, room]);
  const width = stripWidth(room, cells.length);
  const strip = useMemo(() => ({ width, height: HEIGHT, ceiling: timelineCeiling(cells) }), [width, cells]);
  const scoresIn = (cell: TimelineCell): number =>
    evaluated.filter((step) => step >= cell.from && step <= cell.to).length;
  const select = (a: number, b: number): void => {
    const [start, end] = [cells[Math.min(a, b)], cells[Math.max(a, b)]];
    if (start !== undefined && end !== undefined) onRange({ from: start.from, to: end.to });
  };
  const place = (event: PointerEvent): number | null =>
    cellAt(cells, strip, event.clientX - event.currentTarget.getBoundingClientRect().left - left);
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
  const said = shown === undefined ? null : cellText(t, shown, scoresIn(shown), placeOf(shown.from));
  const each = cells.length === 0 ? 0 : width / cells.length;
  return (
    <ChartFrame
      title={t('live.timeline')}
      table={() => timelineTable(cells, t, scoresIn)}
      svg={() => timelineSvg(t('live.timeline'), cells, t)}
      format={durationText}
      height={height}
      aside={
        <>
          {/* Before the note, whose width changes as the pointer leaves a step on its way to them. */}
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
          {range !== null && range.to !== null && range.to < last && (
            <Button
              size="compact-xs"
              style={{ flex: 'none' }}
              onClick={() => onRange(jumpToNow(range, [timeline.steps[0] ?? 1, last]))}
            >
              {t('figure.jump')}
            </Button>
          )}
          <span className="fig-note numbers">{said ?? t('live.timeline.note')}</span>
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
          <div className="fig-empty" style={{ height }}>
            {t('live.timeline.empty')}
          </div>
        )}
        {cells.length > 0 && (
          <svg
            className="fig-svg"
            width={left + width}
            height={height}
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
            <g transform={`translate(${left} ${MARKS})`}>
              <StripAxes cells={cells} strip={strip} left={left} textScale={textScale} />
            </g>
            <g transform={`translate(${left} 0)`}>
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
            </g>
          </svg>
        )}
      </div>
      <Legend cells={cells} />
      <Spoken text={said ?? ''} />
    </ChartFrame>
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
