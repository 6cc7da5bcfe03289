// @vitest-environment happy-dom
import { cleanup } from '@testing-library/react';
import { createRef } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { curveSvg, layered, type CurveSeries } from '../../../electron/figures/index.ts';
import { Plot, type PlotHandle } from '../../../renderer/charts/plot.tsx';
import { show } from '../ui/show.tsx';

type Point = readonly [x: number, y: number];
/** Every path that was stroked, by its corners. */
const stroked: Point[][] = [];
/** Every text that was written. */
const texts: string[] = [];

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
  stroked.length = 0;
  texts.length = 0;
  const context = new Proxy(
    {
      measureText: () => ({ width: 10 }),
      stroke: (path?: RecordedPath) => path !== undefined && stroked.push(path.points),
      fillText: (text: string) => texts.push(text),
    } as Record<string, unknown>,
    { get: (own, name: string) => own[name] ?? (() => {}), set: () => true },
  );
  vi.stubGlobal('Path2D', RecordedPath);
  // Nothing is stroked without a colour, and the page has no style sheets.
  document.documentElement.style.setProperty('--series-1', '#0b5cad');
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

describe('a curve of numbers of things', () => {
  it('stands at each step at the value of that step and nowhere else, between named axes, on the canvas as in its picture', async () => {
    show(
      <Plot
        ref={createRef<PlotHandle>()}
        drawn={layered([counted], new Set(), 0)}
        span={[1, 4]}
        floor={0}
        bounds={null}
        marks={[]}
        at={null}
        height={200}
        xLabel="Step"
        yLabel="reviews"
        syncKey={null}
        format={String}
        onCursor={() => {}}
        onDrag={() => {}}
        onWhole={() => {}}
      />,
    );
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
