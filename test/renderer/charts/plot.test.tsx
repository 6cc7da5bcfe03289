// @vitest-environment happy-dom
import { cleanup } from '@testing-library/react';
import { createRef } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  curveSvg,
  layered,
  type CurveLimit,
  type CurveMark,
  type CurveSeries,
} from '../../../electron/figures/index.ts';
import { Plot, type PlotHandle } from '../../../renderer/charts/plot.tsx';
import { show } from '../ui/show.tsx';

type Point = readonly [x: number, y: number];
/** Every path that was stroked, by its corners. */
const stroked: Point[][] = [];
/** Every text that was written. */
const texts: string[] = [];
/** What was stroked or filled in the colour of marks, without a path of its own. */
const marked: { lines: Point[][]; flags: Point[][] } = { lines: [], flags: [] };
const BAD = '#c0392b';

class RecordedPath {
  points: Point[] = [];
  moveTo(x: number, y: number): void {
    this.points.push([x, y]);
  }
  lineTo(x: number, y: number): void {
    this.points.push([x, y]);
  }
  rect(): void {}
  arc(): void {}
}

/** The page is only simulated and cannot draw: what would be drawn is written down instead. */
beforeEach(() => {
  stroked.length = texts.length = marked.lines.length = marked.flags.length = 0;
  let corners: Point[] = [];
  const context: Record<string, unknown> = new Proxy(
    {
      measureText: () => ({ width: 10 }),
      restore: () => (context['strokeStyle'] = context['fillStyle'] = ''),
      beginPath: () => (corners = []),
      moveTo: (x: number, y: number) => corners.push([x, y]),
      lineTo: (x: number, y: number) => corners.push([x, y]),
      fillText: (text: string) => texts.push(text),
      stroke: (path?: RecordedPath) => {
        if (path !== undefined) stroked.push(path.points);
        else if (context['strokeStyle'] === BAD) marked.lines.push(corners);
      },
      fill: (path?: RecordedPath) => {
        if (path === undefined && context['fillStyle'] === BAD) marked.flags.push(corners);
      },
    } as Record<string, unknown>,
    { get: (own, name: string) => own[name] ?? (() => {}) },
  );
  vi.stubGlobal('Path2D', RecordedPath);
  // Nothing is stroked without a colour, and the page has no style sheets.
  document.documentElement.style.setProperty('--series-1', '#0b5cad');
  document.documentElement.style.setProperty('--bad', BAD);
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockImplementation(() => context as never);
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(400);
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const counted: CurveSeries = { id: 'a', label: 'Exec', kind: 'count', x: [1, 2, 3, 4], y: [2, 5, 5, 9] };

/** Corners in steps and values, whatever the picture's size: its ends are those of the series. */
const inSteps = (corners: readonly Point[]): Point[] => {
  const [left, right] = [Math.min(...corners.map(([x]) => x)), Math.max(...corners.map(([x]) => x))];
  const [top, bottom] = [Math.min(...corners.map(([, y]) => y)), Math.max(...corners.map(([, y]) => y))];
  return corners.map(([x, y]) => [
    Math.round(1 + (3 * (x - left)) / (right - left)),
    Math.round(2 + (7 * (bottom - y)) / (bottom - top)),
  ]);
};

const CURVES = layered([counted], new Set(), 0);
const NO_LIMITS: readonly CurveLimit[] = [];
const plot = (marks: readonly CurveMark[], limits = NO_LIMITS) => (
  <Plot
    ref={createRef<PlotHandle>()}
    drawn={CURVES}
    span={[1, 4]}
    floor={0}
    bounds={null}
    marks={marks}
    limits={limits}
    at={null}
    height={200}
    xLabel="Step"
    yLabel="reviews"
    syncKey={null}
    format={String}
    onCursor={() => {}}
    onDrag={() => {}}
    onWhole={() => {}}
  />
);

describe('a curve of numbers of things', () => {
  it('stands at each step at the value of that step and nowhere else, between named axes, on the canvas as in its picture', async () => {
    show(plot([]));
    await vi.waitFor(() => expect(stroked.length).toBeGreaterThan(0));
    const measured = [
      [1, 2],
      [2, 5],
      [3, 5],
      [4, 9],
    ];
    expect(inSteps(stroked[0] ?? [])).toEqual(measured);
    expect(texts).toEqual(expect.arrayContaining(['Step', 'reviews']));
    const svg = curveSvg({
      title: 'Reviews',
      xLabel: 'Step',
      yLabel: 'reviews',
      series: [counted],
      range: null,
      smoothing: 0,
      floor: 0,
      bounds: null,
      marks: [],
      limits: [],
      format: String,
    });
    const drawn = /<path d="([^"]+)"/.exec(svg)?.[1] ?? '';
    const corners = [...drawn.matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(([, x, y]): Point => [
      Number(x),
      Number(y),
    ]);
    expect(inSteps(corners)).toEqual(measured);
  });
});

describe('marks on the canvas of a curve', () => {
  const at = (step: number): CurveMark => ({ x: step, label: `after step ${step}` });

  it('are a line from top to foot with a flag at its top, at their step, where that is in view', async () => {
    const { rerender } = show(plot([at(2), at(9)]));
    await vi.waitFor(() => expect(stroked.length).toBeGreaterThan(0));
    const curve = stroked[0] ?? [];
    const expectMarkAt = (step: number): void => {
      const [x, y] = [curve[step - 1]![0], curve.map(([, height]) => height)];
      // The figure may be drawn more than once before it is looked at.
      const [line, ...others] = marked.lines;
      for (const again of others) expect(again).toEqual(line);
      expect(line?.map(([place]) => Math.abs(place - x) <= 1)).toEqual([true, true]);
      expect(line![0]![1]).toBeLessThanOrEqual(Math.min(...y));
      expect(line![1]![1]).toBeGreaterThanOrEqual(Math.max(...y));
      expect(marked.flags.map(([corner]) => corner)).toEqual(marked.lines.map(([top]) => top));
    };
    expectMarkAt(2);
    marked.lines.length = marked.flags.length = 0;
    rerender(plot([at(3)]));
    await vi.waitFor(() => expect(marked.flags.length).toBeGreaterThan(0));
    expectMarkAt(3);
  });
});

describe('limits on the canvas of a curve', () => {
  const at = (y: number): CurveLimit => ({
    y,
    label: `Tripwire: ${y} or lower`,
    short: `≤ ${y}`,
    isFloor: true,
  });

  it('are a line from side to side with their words on it, at their value, where that is in view', async () => {
    show(plot([], [at(5), at(900)]));
    await vi.waitFor(() => expect(marked.lines.length).toBeGreaterThan(0));
    const curve = stroked[0] ?? [];
    // The figure may be drawn more than once before it is looked at.
    const [line, ...others] = marked.lines;
    for (const again of others) expect(again).toEqual(line);
    const [[left, y], [right, end]] = line as [Point, Point];
    expect(y).toBe(end);
    expect(Math.abs(y - curve[1]![1])).toBeLessThanOrEqual(1);
    expect(left).toBeLessThanOrEqual(curve[0]![0]);
    expect(right).toBeGreaterThanOrEqual(curve[3]![0]);
    expect(texts).toContain('≤ 5');
    expect(texts).not.toContain('≤ 900');
  });
});
