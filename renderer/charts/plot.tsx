import 'uplot/dist/uPlot.min.css';
import { useEffect, useEffectEvent, useImperativeHandle, useRef, type Ref } from 'react';
import uPlot from 'uplot';
import { envelope, axisOf } from './axes.ts';
import { within, seriesColor, seriesDash, type Layered, type Layer } from './series.ts';

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
  height: number;
  syncKey: string | null;
  format: (value: number) => string;
};

/** The canvas of a curve. Give it another `key` when its lines, height or theme change; new points and another part of the axis only redraw it. */
export function Plot({
  ref,
  drawn,
  span,
  floor,
  height,
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
  const make = useEffectEvent((box: HTMLElement) => {
    const look = { layers: drawn.layers, width: box.clientWidth, height, syncKey, format };
    const made = new uPlot(
      plotOptions(look, { onCursor: (x) => cursor(x), onDrag: (a, b) => drag(a, b), onWhole: () => whole() }),
      [[], ...drawn.layers.map(() => [])],
      box,
    );
    plot.current = made;
    show(made, drawn, [from, to], floor);
    return made;
  });
  const resize = useEffectEvent((made: uPlot, width: number) => {
    made.setSize({ width, height });
    show(made, drawn, [from, to], floor);
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
    if (plot.current !== null) show(plot.current, drawn, [from, to], floor);
  }, [drawn, from, to, floor]);
  useImperativeHandle(
    ref,
    () => ({
      point: (x) => {
        const made = plot.current;
        if (made === null) return;
        const left = x === null ? -10 : made.valToPos(x, 'x');
        made.setCursor({ left, top: made.over.clientHeight / 2 });
      },
    }),
    [],
  );
  return <div ref={host} style={{ height }} aria-hidden />;
}

/** At most two points per pixel are given to the canvas; the axis fits what is in view. */
function show(plot: uPlot, { data }: Layered, [from, to]: [number, number], floor: number | null): void {
  const visible = envelope(within(data, from, to), Math.max(50, plot.over.clientWidth));
  let [low, high] = [Infinity, -Infinity];
  for (const column of visible.columns) {
    for (const value of column) {
      if (typeof value !== 'number') continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  const [min, max] = axisOf(low, high, floor);
  plot.batch(() => {
    plot.setData([visible.x, ...visible.columns] as uPlot.AlignedData, false);
    plot.setScale('x', { min: from, max: to });
    plot.setScale('y', { min, max });
  });
}

const FONT = '11px Inter, "Segoe UI", sans-serif';
/** Steps come in whole numbers. */
const STEP_INCREMENTS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000, 100_000, 1_000_000,
];
const SMALLEST_DRAG_PX = 4;
/** Pale enough to lie behind, dark enough to be seen. */
const RAW_OPACITY = 0.25;

type PlotLook = {
  layers: readonly Layer[];
  width: number;
  height: number;
  syncKey: string | null;
  format: (value: number) => string;
};
type PlotEvents = {
  /** The x under the cursor, null when it has left. */
  onCursor: (x: number | null) => void;
  onDrag: (a: number, b: number) => void;
  onWhole: () => void;
};

/** A colour of the theme as the canvas needs it. */
const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** uPlot draws and finds the cursor; scales, decimation, legend and words are ours. */
function plotOptions(
  { layers, width, height, syncKey, format }: PlotLook,
  { onCursor, onDrag, onWhole }: PlotEvents,
): uPlot.Options {
  const quiet = colour('--quiet');
  const grid = { stroke: colour('--line'), width: 1 };
  const asIs = (_: uPlot, low: number, high: number): [number, number] => [low, high];
  return {
    width,
    height,
    legend: { show: false },
    padding: [8, 10, 0, 0],
    scales: { x: { time: false, auto: false, range: asIs }, y: { auto: false, range: asIs } },
    axes: [
      { stroke: quiet, font: FONT, grid, ticks: { show: false }, size: 24, gap: 2, incrs: STEP_INCREMENTS },
      {
        stroke: quiet,
        font: FONT,
        grid,
        ticks: { show: false },
        size: 50,
        gap: 4,
        space: 22,
        values: (_, values) => values.map(format),
      },
    ],
    series: [{}, ...layers.map(asSeries)],
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false },
      points: { size: 7 },
      ...(syncKey === null ? {} : { sync: { key: syncKey, scales: ['x', null], setSeries: false } }),
      bind: {
        dblclick: () => () => {
          onWhole();
          return null;
        },
      },
    },
    hooks: {
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

function asSeries({ index, kind }: Layer): uPlot.Series {
  const stroke = colour(seriesColor(index));
  // The newest point keeps its ring; nothing blinks.
  const points = {
    size: kind === 'dots' ? 8 : 5,
    stroke,
    fill: kind === 'dots' ? stroke : colour('--panel'),
    width: 1.5,
  };
  if (kind === 'dots') return { stroke, paths: () => null, points: { ...points, show: true } };
  if (kind === 'raw') return { stroke, alpha: RAW_OPACITY, width: 1, points: { show: false } };
  return {
    stroke,
    width: 1.6,
    dash: [...seriesDash(index)],
    points,
    ...(kind === 'count' && uPlot.paths.stepped !== undefined
      ? { paths: uPlot.paths.stepped({ align: 1 }) }
      : {}),
  };
}
