import 'uplot/dist/uPlot.min.css';
import { useEffect, useEffectEvent, useImperativeHandle, useRef, type Ref } from 'react';
import uPlot from 'uplot';
import {
  axisOf,
  envelope,
  seriesColor,
  seriesDash,
  within,
  type CurveLimit,
  type CurveMark,
  type Layer,
  type Layered,
} from '../../electron/figures/index.ts';
import { canvasFont, colour, drawLimits, drawMarks } from './drawn-marks.ts';

export type PlotHandle = {
  /** Puts the cursor on this x, here and in the figures that share it; null takes it away. */ point: (
    x: number | null,
  ) => void;
};

type PlotProps = PlotEvents & {
  ref: Ref<PlotHandle>;
  drawn: Layered;
  span: readonly [number, number];
  floor: number | null;
  /** The y axis, whatever is drawn; null fits it to what is in view. */
  bounds: readonly [number, number] | null;
  marks: readonly CurveMark[];
  limits: readonly CurveLimit[];
  /** Where the crosshair rests; null for nowhere. */
  at: number | null;
  height: number;
  /** What the x axis counts. */
  xLabel: string;
  /** What the y axis measures, with its unit. */
  yLabel: string;
  syncKey: string | null;
  format: (value: number) => string;
};

/** The canvas of a curve. Give it another `key` when its lines, height or theme change; new points and another part of the axis only redraw it. */
export function Plot({
  ref,
  drawn,
  span,
  floor,
  bounds,
  marks,
  limits,
  at,
  height,
  xLabel,
  yLabel,
  syncKey,
  format,
  onCursor,
  onDrag,
  onWhole,
}: PlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [from, to] = span;
  const cursor = useEffectEvent(onCursor);
  const drag = useEffectEvent(onDrag);
  const whole = useEffectEvent(onWhole);
  const marked = useRef({ marks, limits });
  const make = useEffectEvent((box: HTMLElement) => {
    const fontPx = Number.parseFloat(getComputedStyle(box).fontSize);
    const { layers } = drawn;
    const look = { layers, width: box.clientWidth, height, xLabel, yLabel, syncKey, format, fontPx };
    const made = new uPlot(
      plotOptions(look, {
        onCursor: (x) => cursor(x),
        onDrag: (a, b) => drag(a, b),
        onWhole: () => whole(),
        marked: () => marked.current,
      }),
      [[], ...drawn.layers.map(() => [])],
      box,
    );
    plot.current = made;
    show(made, drawn, [from, to], { floor, bounds }, at);
    return made;
  });
  const resize = useEffectEvent((made: uPlot, width: number) => {
    made.setSize({ width, height });
    show(made, drawn, [from, to], { floor, bounds }, at);
  });
  useEffect(() => {
    const box = host.current;
    if (box === null) return;
    const made = make(box);
    const observer = new ResizeObserver(() => {
      if (box.clientWidth !== made.width && box.clientWidth > 0) resize(made, box.clientWidth);
    });
    observer.observe(box);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, []);
  useEffect(() => {
    if (plot.current !== null) show(plot.current, drawn, [from, to], { floor, bounds }, at);
  }, [drawn, from, to, floor, bounds, at]);
  useEffect(() => {
    marked.current = { marks, limits };
    plot.current?.redraw(false);
  }, [marks, limits]);
  useImperativeHandle(
    ref,
    () => ({
      point: (x) => {
        if (plot.current !== null) stand(plot.current, x);
      },
    }),
    [],
  );
  return <div ref={host} style={{ height }} aria-hidden />;
}

/** Puts the crosshair on an x; null takes it away. */
function stand(plot: uPlot, x: number | null): void {
  plot.setCursor({ left: x === null ? -10 : plot.valToPos(x, 'x'), top: plot.over.clientHeight / 2 });
}

type YAxis = Pick<PlotProps, 'floor' | 'bounds'>;

/** Room beyond fixed ends of the axis, so that a line along one of them is seen whole. */
const BEYOND = 0.04;

/** At most two points per pixel are given to the canvas; the axis fits what is in view unless its ends are given. */
function show(
  plot: uPlot,
  { data }: Layered,
  [from, to]: [number, number],
  { floor, bounds }: YAxis,
  at: number | null,
): void {
  const visible = envelope(within(data, from, to), Math.max(50, plot.over.clientWidth));
  let [low, high] = [Infinity, -Infinity];
  for (const column of visible.columns) {
    for (const value of column) {
      if (typeof value !== 'number') continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  const [min, max] = bounds === null ? axisOf(low, high, floor) : beyond(bounds);
  plot.batch(() => {
    plot.setData([visible.x, ...visible.columns] as uPlot.AlignedData, false);
    plot.setScale('x', { min: from, max: to });
    plot.setScale('y', { min, max });
  });
  // What is read under the mouse stays where it is.
  if (at !== null) stand(plot, at);
}

const beyond = ([low, high]: readonly [number, number]): [number, number] => [
  low - (high - low) * BEYOND,
  high + (high - low) * BEYOND,
];

/** Steps come in whole numbers. */
const STEP_INCREMENTS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000, 100_000, 1_000_000,
];
const SMALLEST_DRAG_PX = 4;
/** A figure lower than this many of its letters names its x axis beside the last figure of it, not on a line of its own. */
const LOW_IN_LETTERS = 9;
/** Pale enough to lie behind, dark enough to be seen. */
const RAW_OPACITY = 0.25;
/** Of a band, as the last two digits of a colour. */
const BAND_OPACITY = '22';

type PlotLook = {
  layers: readonly Layer[];
  width: number;
  height: number;
  xLabel: string;
  yLabel: string;
  syncKey: string | null;
  format: (value: number) => string;
  /** Of the figures at the axes, which have their room in proportion. */
  fontPx: number;
};
type PlotEvents = {
  /** The x under the cursor, null when it has left. */
  onCursor: (x: number | null) => void;
  onDrag: (a: number, b: number) => void;
  onWhole: () => void;
};
type PlotHooks = PlotEvents & { marked: () => Pick<PlotProps, 'marks' | 'limits'> };

/** uPlot draws and finds the cursor; scales, decimation, legend and words are ours. */
function plotOptions(
  { layers, width, height, xLabel, yLabel, syncKey, format, fontPx }: PlotLook,
  { onCursor, onDrag, onWhole, marked }: PlotHooks,
): uPlot.Options {
  const quiet = colour('--quiet');
  const font = canvasFont(fontPx);
  const grid = { stroke: colour('--line'), width: 1 };
  const asIs = (_: uPlot, low: number, high: number): [number, number] => [low, high];
  return {
    width,
    height,
    legend: { show: false },
    padding: [8, 10, 0, 0],
    scales: { x: { time: false, auto: false, range: asIs }, y: { auto: false, range: asIs } },
    axes: [
      {
        stroke: quiet,
        font,
        grid,
        ticks: { show: false },
        size: fontPx * 1.7,
        gap: 2,
        ...(height < fontPx * LOW_IN_LETTERS
          ? { values: (_, steps) => namedAtItsEnd(steps, xLabel) }
          : { label: xLabel, labelFont: font, labelSize: fontPx * 1.5, labelGap: 0 }),
        incrs: STEP_INCREMENTS,
      },
      {
        stroke: quiet,
        font,
        grid,
        ticks: { show: false },
        size: fontPx * 4.5,
        gap: 4,
        space: fontPx * 2,
        values: (_, values) => values.map(format),
        label: yLabel,
        labelFont: font,
        labelSize: fontPx * 1.3,
        labelGap: 0,
      },
    ],
    series: [{}, ...layers.map(asSeries)],
    bands: bandsOf(layers),
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false },
      // The ends of a band have no point of their own under the crosshair.
      points: {
        size: (_, at) => (isEnd(layers[at - 1]) ? 0 : 8),
        fill: (_, at) => colour(seriesColor(layers[at - 1]?.look.color ?? 0)),
      },
      ...(syncKey === null ? {} : { sync: { key: syncKey, scales: ['x', null], setSeries: false } }),
      bind: {
        dblclick: () => () => {
          onWhole();
          return null;
        },
      },
    },
    hooks: {
      draw: [
        (plot) => {
          const { marks, limits } = marked();
          drawLimits(plot, limits, fontPx);
          drawMarks(plot, marks);
        },
      ],
      setCursor: [
        (plot) => {
          const { left } = plot.cursor;
          onCursor(left === undefined || left < 0 ? null : plot.posToVal(left, 'x'));
        },
      ],
      setSelect: [
        (plot) => {
          const { left, width: dragged } = plot.select;
          if (dragged < SMALLEST_DRAG_PX) return;
          onDrag(plot.posToVal(left, 'x'), plot.posToVal(left + dragged, 'x'));
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
  };
}

const namedAtItsEnd = (steps: readonly number[], xLabel: string): string[] =>
  steps.map((step, place) =>
    place === steps.length - 1 ? `${xLabel} ${uPlot.fmtNum(step)}` : uPlot.fmtNum(step),
  );

const isEnd = (layer: Layer | undefined): boolean => layer?.kind === 'low' || layer?.kind === 'high';

/** Every band lies between the ends that follow each other in the layers. */
const bandsOf = (layers: readonly Layer[]): uPlot.Band[] =>
  layers.flatMap(({ kind, look }, place) =>
    kind === 'high'
      ? [
          {
            series: [place + 1, place] as [number, number],
            fill: `${colour(seriesColor(look.color))}${BAND_OPACITY}`,
          },
        ]
      : [],
  );

function asSeries(layer: Layer): uPlot.Series {
  const { kind, look } = layer;
  const stroke = colour(seriesColor(look.color));
  // The ends of a band are not lines of their own.
  if (isEnd(layer)) return { stroke: 'transparent', width: 0, points: { show: false } };
  if (kind === 'raw') return { stroke, alpha: RAW_OPACITY, width: 1, points: { show: false } };
  return {
    stroke,
    width: kind === 'score' ? 2 : 1.6,
    dash: [...seriesDash(look.dash)],
    // The newest point keeps its ring; nothing blinks. Of scores, every point was measured and is marked.
    points: {
      size: kind === 'score' ? 6 : 5,
      stroke,
      fill: colour('--panel'),
      width: 1.5,
      ...(kind === 'score' ? { show: true } : {}),
    },
  };
}
