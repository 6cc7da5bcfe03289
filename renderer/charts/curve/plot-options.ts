import uPlot from 'uplot';
import type { Layer } from '../model/layers.ts';
import { seriesColor, seriesDash } from '../model/styles.ts';

const FONT = '11px Inter, "Segoe UI", sans-serif';
/** Steps come in whole numbers. */
const STEP_INCREMENTS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000, 100_000, 1_000_000,
];
const SMALLEST_DRAG_PX = 4;
/** Pale enough to lie behind, dark enough to be seen. */
const RAW_OPACITY = 0.25;

export type PlotLook = {
  layers: readonly Layer[];
  width: number;
  height: number;
  syncKey: string | null;
  format: (value: number) => string;
};
export type PlotEvents = {
  /** The x under the cursor, null when it has left. */
  onCursor: (x: number | null) => void;
  onDrag: (a: number, b: number) => void;
  onWhole: () => void;
};

/** A colour of the theme as the canvas needs it. */
const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** uPlot draws and finds the cursor; scales, decimation, legend and words are ours. */
export function plotOptions(
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
