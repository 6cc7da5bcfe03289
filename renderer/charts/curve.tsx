import './charts.css';
import {
  useEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import { Button, useComputedColorScheme } from '../ui/index.ts';
import { useTranslate } from '../i18n/index.ts';
import {
  curveSvg,
  draggedRange,
  isHeld,
  jumpToNow,
  layered,
  nearest,
  extentOf,
  shownSpan,
  usualSmoothing,
  tableOf,
  type CurveLimit,
  type CurveMark,
  type CurveRange,
  type CurveSeries,
} from '../../electron/figures/index.ts';
import { ChartFrame } from './chart-frame.tsx';
import {
  Legend,
  SmoothingChip,
  SpokenValues,
  makeCursor,
  pressCurveKey,
  useThrottled,
} from './curve-parts.tsx';
import { Plot, type PlotHandle } from './plot.tsx';
import { ToldMarks } from './told-marks.tsx';

const NO_MARKS: readonly CurveMark[] = [];
const NO_LIMITS: readonly CurveLimit[] = [];
const REPAINT_MS = 250; // four repaints a second are as live as a person can read

type CurveProps = {
  title: string;
  /** Stands in the title's place, such as a choice of titles. */ heading?: ReactNode;
  series: readonly CurveSeries[];
  /** What x counts, such as "Step". */
  xLabel: string;
  /** What y measures with its unit, such as "tokens". */
  yLabel: string;
  format: (value: number) => string;
  /** Which way is better, in words; shown beside the title. */
  note?: ReactNode;
  height?: number;
  /** A value the y axis always includes, such as 0 for counts. */
  floor?: number;
  /** Ends of the y axis whatever is drawn, such as 0 and 1 for shares. */
  bounds?: readonly [number, number];
  /** What happened at single steps, such as a tripwire that was touched. */
  marks?: readonly CurveMark[];
  /** Values that are watched for, such as a tripwire's. */
  limits?: readonly CurveLimit[];
  /** Where the crosshair stands without anybody pointing, such as a step that is chosen elsewhere on the page. */
  at?: number | null;
  /** Figures with the same key share their crosshair. */
  syncKey?: string;
  /** Part of the x axis; null = all of it, which follows the newest point. Kept here unless given. */
  range?: CurveRange | null;
  onRange?: (range: CurveRange | null) => void;
  /** True where the page shows once for all its figures which part is chosen, and how to leave it. */
  isRangeShared?: boolean;
  /** 0–0.99; by default none below 200 points. Kept here unless given. */
  smoothing?: number;
  onSmoothing?: (value: number) => void;
};

/** Values over steps: drawn by uPlot, read by keys and ears as well, with its numbers as a table behind `t`. */
export function Curve({
  title,
  heading,
  series,
  xLabel,
  yLabel,
  format,
  note,
  height = 190,
  floor,
  bounds,
  marks = NO_MARKS,
  limits = NO_LIMITS,
  at = null,
  syncKey,
  range: givenRange,
  onRange,
  isRangeShared = false,
  smoothing: givenSmoothing,
  onSmoothing,
}: CurveProps) {
  const t = useTranslate();
  const scheme = useComputedColorScheme();
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<PlotHandle>(null);
  const isInView = useInView(box);
  const live = useThrottled(series, REPAINT_MS);
  const [ownRange, setOwnRange] = useState<CurveRange | null>(null);
  const [ownSmoothing, setOwnSmoothing] = useState<number | null>(null);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [cursor] = useState(makeCursor);
  const range = givenRange === undefined ? ownRange : givenRange;
  const changeRange = onRange ?? setOwnRange;
  const smoothing =
    givenSmoothing ?? ownSmoothing ?? usualSmoothing(Math.max(0, ...live.map(({ x }) => x.length)));
  const drawn = useMemo(() => layered(live, hidden, smoothing), [live, hidden, smoothing]);
  const extent = useMemo(() => extentOf(live), [live]);
  const span = shownSpan(range, extent);
  const canBeSmoothed = live.some(({ kind }) => kind === 'line');
  const point = (x: number | null): void => {
    cursor.set(x);
    plot.current?.point(x);
  };
  useEffect(() => cursor.set(at), [cursor, at]);
  const press = (event: KeyboardEvent): void =>
    pressCurveKey(event, {
      x: drawn.data.x,
      at: cursor.get(),
      span,
      extent,
      range,
      onPoint: point,
      onRange: changeRange,
    });
  const look = JSON.stringify([drawn.layers, height, xLabel, yLabel, syncKey, scheme]);
  const hover = useFrame((x: number | null) =>
    cursor.set(x === null ? at : (drawn.data.x[nearest(drawn.data.x, x)] ?? null)),
  );
  const toggle = (id: string): void =>
    setHidden(
      (before) => new Set(before.has(id) ? [...before].filter((other) => other !== id) : [...before, id]),
    );
  const picture = (): string =>
    curveSvg({
      title,
      xLabel,
      yLabel,
      series: live.filter(({ id }) => !hidden.has(id)),
      range,
      smoothing,
      floor: floor ?? null,
      bounds: bounds ?? null,
      marks,
      limits,
      format,
    });
  return (
    <ChartFrame
      title={title}
      heading={heading}
      table={() => tableOf(live, xLabel)}
      svg={picture}
      format={format}
      height={height}
      tableOnly={!canDraw()}
      foot={<ToldMarks marks={marks} limits={limits} />}
      aside={
        <>
          {note !== undefined && <span className="fig-note">{note}</span>}
          {canBeSmoothed && smoothing > 0 && (
            <SmoothingChip value={smoothing} onChange={onSmoothing ?? setOwnSmoothing} />
          )}
        </>
      }
    >
      {/* An application to screen readers, so that the arrow keys reach it; what it shows is said in the live region below. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        ref={box}
        className="fig-plot"
        role="application"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        aria-roledescription={t('figure.kind.curve')}
        aria-label={`${title}. ${t('figure.keys')}`}
        onKeyDown={press}
        style={{ minHeight: height }}
      >
        {extent === null && (
          <div className="fig-empty" style={{ height }}>
            {t('figure.nothing')}
          </div>
        )}
        {extent !== null && isInView && (
          <Plot
            key={look}
            ref={plot}
            drawn={drawn}
            span={span}
            floor={floor ?? null}
            bounds={bounds ?? null}
            marks={marks}
            limits={limits}
            at={at}
            height={height}
            xLabel={xLabel}
            yLabel={yLabel}
            syncKey={syncKey ?? null}
            format={format}
            onCursor={hover}
            onDrag={(a, b) => changeRange(draggedRange(a, b, extent) ?? range)}
            onWhole={() => changeRange(null)}
          />
        )}
        {extent !== null && range !== null && !isRangeShared && (
          <Button.Group className="fig-pill">
            {isHeld(range) && (range.to ?? 0) < extent[1] && (
              <Button size="compact-xs" onClick={() => changeRange(jumpToNow(range, extent))}>
                {t('figure.jump')}
              </Button>
            )}
            <Button size="compact-xs" variant="default" onClick={() => changeRange(null)}>
              {t('figure.whole')}
            </Button>
          </Button.Group>
        )}
      </div>
      <SpokenValues cursor={cursor} series={live} hidden={hidden} xLabel={xLabel} format={format} />
      <Legend series={live} hidden={hidden} cursor={cursor} span={span} format={format} onToggle={toggle} />
    </ChartFrame>
  );
}

/** Calls back once per frame, with the newest value: a mouse reports far more often. */
function useFrame<T>(act: (value: T) => void): (value: T) => void {
  const latest = useRef<{ value: T; act: (value: T) => void } | null>(null);
  const frame = useRef(0);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  return (value) => {
    const isWaiting = latest.current !== null;
    latest.current = { value, act };
    if (isWaiting) return;
    frame.current = requestAnimationFrame(() => {
      const now = latest.current;
      latest.current = null;
      now?.act(now.value);
    });
  };
}

let canvasWorks: boolean | null = null;

/** Whether there is a canvas to draw on; without one the numbers are shown. */
function canDraw(): boolean {
  return (canvasWorks ??= document.createElement('canvas').getContext('2d') !== null);
}

/** True once the element has come near the visible part of the page; figures out of sight cost nothing until then. */
function useInView(element: RefObject<HTMLElement | null>): boolean {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (element.current === null || seen) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setSeen(true);
      },
      // Pages scroll in boxes of their own: a margin around the window would not reach beyond theirs.
      { root: scrollerOf(element.current), rootMargin: '200px' },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, seen]);
  return seen;
}

/** The box that scrolls an element; null where that is the window. */
function scrollerOf(element: HTMLElement): HTMLElement | null {
  for (let around = element.parentElement; around !== null; around = around.parentElement)
    if (/auto|scroll/.test(getComputedStyle(around).overflowY)) return around;
  return null;
}
