// @vitest-environment happy-dom
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { csvParts, PHASES } from '../../../electron/contract/index.ts';
import { followedSuites, scoreSeries } from '../../../electron/figures/scores.ts';
import { describe, expect, it } from 'vitest';
import { curveSvg } from '../../../electron/figures/curve-picture.ts';
import {
  envelope,
  draggedRange,
  isHeld,
  jumpToNow,
  shownSpan,
  zoomed,
  axisOf,
  niceTicks,
} from '../../../electron/figures/axes.ts';
import {
  lastValue,
  layered,
  printColor,
  seriesColor,
  nearest,
  valueAt,
  align,
  extentOf,
  within,
  smooth,
  usualSmoothing,
  tableOf,
  type CurveLimit,
  type CurveSeries,
} from '../../../electron/figures/series.ts';

const line = (
  id: string,
  x: number[],
  y: (number | null)[],
  kind: CurveSeries['kind'] = 'line',
): CurveSeries => ({ id, label: id, kind, x, y });

describe('smoothing', () => {
  it('leaves a constant exactly constant', () => {
    expect(smooth(new Array<number>(500).fill(0.1), 0.97).every((value) => value === 0.1)).toBe(true);
  });
  it('starts at the first value instead of being pulled to zero', () => {
    expect(smooth([5, 5, 8], 0.9)[0]).toBe(5);
  });
  it('is the mean weighted by weight^(n−i)', () => {
    const [, , third] = smooth([1, 2, 4], 0.5);
    expect(third).toBeCloseTo((1 * 0.25 + 2 * 0.5 + 4 * 1) / 1.75, 12);
  });
  it('keeps gaps as gaps and counts them for nothing', () => {
    const [, gap, , bad] = smooth([1, null, 3, Number.NaN], 0.5);
    expect([gap, bad]).toEqual([null, null]);
    expect(smooth([1, null, 3], 0.5)[2]).toBe(smooth([1, 3], 0.5)[1]);
  });
  it('with weight 0 changes nothing, and never goes beyond 0.99', () => {
    expect(smooth([1, null, 3], 0)).toEqual([1, null, 3]);
    expect(smooth([1, 2], 5)).toEqual(smooth([1, 2], 0.99));
  });
  it('is off by default where every point can be seen', () => {
    expect([usualSmoothing(199), usualSmoothing(200) > 0]).toEqual([0, true]);
  });
});

describe('the envelope of a pixel', () => {
  const x = Array.from({ length: 10_000 }, (_, at) => at);
  it('keeps every peak and every dip', () => {
    const y = x.map((at) => (at === 4321 ? 99 : at === 8765 ? -99 : Math.sin(at)));
    const {
      x: fewer,
      columns: [column = []],
    } = envelope({ x, columns: [y] }, 400);
    expect(fewer.length).toBeLessThanOrEqual(800);
    expect(column).toHaveLength(fewer.length);
    expect([Math.max(...(column as number[])), Math.min(...(column as number[]))]).toEqual([99, -99]);
  });
  it('shows the lowest and highest in the order they came', () => {
    const y = x.map((at) => at % 100);
    const {
      columns: [column = []],
    } = envelope({ x, columns: [y] }, 100);
    expect(column.slice(0, 2)).toEqual([0, 99]);
  });
  it('leaves a gap a gap', () => {
    const y = x.map((at) => (at >= 5000 && at < 5200 ? null : 1));
    expect(envelope({ x, columns: [y] }, 100).columns[0]).toContain(null);
  });
  it('changes nothing with two points a pixel', () => {
    const data = { x: [1, 2, 3], columns: [[1, null, 3]] };
    expect(envelope(data, 2)).toBe(data);
  });
});

describe('series on one axis', () => {
  it('tells a gap from a point that was never there', () => {
    expect(align([line('a', [1, 2, 3], [1, null, 3]), line('b', [2], [9])])).toEqual({
      x: [1, 2, 3],
      columns: [
        [1, null, 3],
        [undefined, 9, undefined],
      ],
    });
  });
  it('keep one point beyond each end of a part, so that lines enter and leave it', () => {
    expect(within({ x: [1, 2, 3, 4, 5], columns: [[1, 2, 3, 4, 5]] }, 3, 3)).toEqual({
      x: [2, 3, 4],
      columns: [[2, 3, 4]],
    });
  });
  it('reach from the first to the last x of all', () => {
    expect(extentOf([line('a', [3, 4], [1, 1]), line('b', [], []), line('c', [1], [1])])).toEqual([1, 4]);
    expect(extentOf([])).toBeNull();
  });
  it('are smoothed as a whole, with the measured values beneath; scores and counts never', () => {
    const { layers, data } = layered(
      [line('a', [1, 2], [0, 1]), line('b', [1, 2], [0, 1], 'score'), line('c', [1, 2], [0, 1], 'count')],
      new Set(),
      0.5,
    );
    expect(layers.map(({ index, kind }) => `${index} ${kind}`)).toEqual([
      '0 raw',
      '0 line',
      '1 score',
      '2 count',
    ]);
    expect(data.columns[0]).toEqual([0, 1]);
    expect(data.columns[1]?.[1]).toBeCloseTo(2 / 3, 12);
    expect(data.columns.slice(2)).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });
  it('that are hidden are not drawn, and the others keep their style', () => {
    expect(layered([line('a', [1], [1]), line('b', [1], [1])], new Set(['a']), 0).layers).toEqual([
      { index: 1, kind: 'line', look: { color: 1, dash: 1 } },
    ]);
  });
  it('are read at the nearest point', () => {
    expect([nearest([1, 5, 9], 6.9), nearest([1, 5, 9], 7.1), nearest([], 1), nearest([1, 5], 99)]).toEqual([
      1, 2, -1, 1,
    ]);
    expect([valueAt(line('a', [1, 2], [4, null]), 2), valueAt(line('a', [1], [4]), 3)]).toEqual([
      null,
      undefined,
    ]);
    expect([lastValue(line('a', [1, 2], [4, null])), lastValue(line('a', [1], [null]))]).toEqual([4, null]);
  });
  it('have a newest value within a part of the axis, or none there', () => {
    const all = line('a', [1, 3, 5, 8], [0.4, 0.2, 0.13, 1]);
    expect([lastValue(all, [3, 5]), lastValue(all, [6, 7]), lastValue(all)]).toEqual([0.13, null, 1]);
  });
});

describe('the part shown', () => {
  it('is everything unless somebody chose, and follows the newest point while its end is open', () => {
    expect(shownSpan(null, [1, 120])).toEqual([1, 120]);
    expect(shownSpan({ from: 100, to: null }, [1, 120])).toEqual([100, 120]);
    expect([isHeld(null), isHeld({ from: 1, to: null }), isHeld({ from: 1, to: 5 })]).toEqual([
      false,
      false,
      true,
    ]);
  });
  it('gives a single point an axis to stand on', () => {
    expect(shownSpan(null, [7, 7])).toEqual([6.5, 7.5]);
  });
  it('jumps to now with the width it had', () => {
    expect(jumpToNow({ from: 40, to: 60 }, [1, 120])).toEqual({ from: 100, to: null });
  });
  it('comes from a drag in either direction, in whole steps, within the steps there are', () => {
    expect(draggedRange(9.6, 2.2, [1, 8])).toEqual({ from: 2, to: 8 });
    expect(draggedRange(3.1, 3.3, [1, 8])).toBeNull();
  });
  it('zooms around the cursor and ends at everything', () => {
    expect(zoomed(null, [0, 100], 50, 0.5)).toEqual({ from: 25, to: 75 });
    expect(zoomed({ from: 0, to: 60 }, [0, 100], 10, 2)).toBeNull();
    expect(zoomed({ from: 90, to: 100 }, [0, 100], 100, 2)).toEqual({ from: 80, to: 100 });
  });
});

describe('axes', () => {
  it('stand on round numbers', () => {
    expect(niceTicks(0, 1, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(niceTicks(3, 97, 4)).toEqual([50]);
  });
  it('put a constant in the middle and keep the floor', () => {
    expect(axisOf(5, 5, null)).toEqual([4.5, 5.5]);
    expect(axisOf(2, 4, 0)[0]).toBe(0);
    expect(axisOf(Infinity, -Infinity, null)).toEqual([0, 1]);
  });
});

describe('scores of checkpoints', () => {
  const score = (step: number | null, passed: number, contextHash: string | null = null, n = 10) => ({
    id: 'e',
    suite: 's',
    step,
    passed,
    n,
    overridden: 0,
    contextHash,
    isOwnContext: true,
    interval: { low: passed / n - 0.1, high: passed / n + 0.1 },
  });
  const named = (suite: string, withContext: boolean): string => `${suite}${withContext ? ' + C' : ''}`;

  it('are one series per suite and whether a context stood in the prompt; of a step asked twice the newest counts', () => {
    const series = scoreSeries(
      [score(10, 3), score(0, 1), score(10, 5), score(10, 9, 'c'), score(null, 9), score(5, 0, null, 0)],
      named,
    );
    expect(series.map(({ label, kind, x, y, look }) => [label, kind, x, y, look])).toEqual([
      ['s', 'score', [0, 10], [0.1, 0.5], { color: 0, dash: 0 }],
      ['s + C', 'score', [10], [0.9], { color: 0, dash: 1 }],
    ]);
    expect(series[0]?.band).toEqual({ low: [0, 0.4], high: [0.2, 0.6] });
    expect(scoreSeries([score(1, 1)], () => null)).toEqual([]);
    expect(scoreSeries([{ ...score(0, 9, 'c'), isOwnContext: false }], named)).toEqual([]);
  });

  it('are followed where a suite was asked at more than one step, and on the way if any was', () => {
    const along = [0, 1, 2].map((step) => ({ ...score(step, 1), suite: 'along' }));
    const ends = [0, 2].map((step) => ({ ...score(step, 1), suite: 'ends' }));
    expect(followedSuites([...ends, ...along])).toEqual(['along']);
    expect(followedSuites(ends)).toEqual(['ends']);
    expect(
      followedSuites([
        score(1, 1),
        score(1, 2),
        { ...score(1, 1), suite: 'a' },
        { ...score(2, 1), suite: 'a' },
      ]),
    ).toEqual(['a']);
  });

  it('are drawn with their interval as a band behind the line, which the table and the picture have too', () => {
    const series = scoreSeries([score(0, 1), score(10, 5)], named);
    const { layers, data } = layered(series, new Set(), 0);
    expect(layers.map(({ kind }) => kind)).toEqual(['low', 'high', 'score']);
    expect(data.columns.slice(0, 2)).toEqual([
      [0, 0.4],
      [0.2, 0.6],
    ]);
    expect(tableOf(series, 'Step')).toEqual({
      columns: ['Step', 's', 's, low', 's, high'],
      rows: [
        [0, 0.1, 0, 0.2],
        [10, 0.5, 0.4, 0.6],
      ],
    });
    const svg = curveSvg({
      title: 'S',
      xLabel: 'Step',
      yLabel: 'reviews',
      series,
      range: null,
      smoothing: 0,
      floor: null,
      bounds: [0, 1],
      marks: [],
      limits: [],
      format: String,
    });
    expect(svg).toMatch(/<path d="M[\d. L]+Z" fill="#0b5cad" fill-opacity="0.13"\/>/);
  });
});

describe('a picture of scores that are watched', () => {
  const picture = (limits: readonly CurveLimit[]): string =>
    curveSvg({
      title: 'S',
      xLabel: 'Step',
      yLabel: 'share, %',
      series: [line('one', [0, 10], [0.9, 0.5], 'score')],
      range: null,
      smoothing: 0,
      floor: null,
      bounds: [0, 1],
      marks: [],
      limits,
      format: String,
    });
  const limit = (y: number, label = 'Tripwire: 84.0 % or lower'): CurveLimit => ({
    y,
    label,
    short: '≤ 84.0 %',
    isFloor: true,
  });

  it('has a line along the picture at what is watched for, named on it and in the legend', () => {
    const svg = picture([limit(0.84)]);
    const drawn =
      /<line x1="72" x2="628" y1="([\d.]+)" y2="\1" stroke="#b3261e"[^>]* stroke-dasharray="8 4"\/>/.exec(
        svg,
      );
    // From 280 at 0 to 34 at 1.
    expect(Number(drawn?.[1])).toBeCloseTo(280 - 0.84 * 246, 1);
    const name = /<text x="76" y="([\d.]+)"[^>]*>≤ 84.0 %<\/text>/.exec(svg);
    expect(Number(name?.[1])).toBeGreaterThan(Number(drawn?.[1]));
    expect(svg).toContain('>Tripwire: 84.0 % or lower</text>');
  });

  it('tells what is long in lines that end within it', () => {
    const [short, long] = ['one', Array.from({ length: 40 }, () => 'words').join(' ')];
    const heightOf = (label: string): number =>
      Number(/height="(\d+)"/.exec(picture([limit(0.84, label)]))?.[1]);
    expect(heightOf(long)).toBe(heightOf(short) + 2 * 18);
  });
});

describe('the numbers of a figure', () => {
  const series = [line('a,b', [1, 2], [0.5, null]), line('say "c"', [2], [3])];
  it('are one row per step', () => {
    expect(tableOf(series, 'Step').rows).toEqual([
      [1, 0.5, null],
      [2, null, 3],
    ]);
  });
  it('go into CSV with quotes where they are needed', () => {
    expect([...csvParts(tableOf(series, 'Step'))].join('')).toBe(
      'Step,"a,b","say ""c"""\r\n1,0.5,\r\n2,,3\r\n',
    );
  });
  it('are drawn on paper in the colours of the light theme', () => {
    const themes = ['charts/charts.css', 'theme/tokens.css'].map((file) =>
      readFileSync(join(import.meta.dirname, '../../../renderer', file), 'utf8'),
    );
    // The light theme stands first in both.
    const light = (name: string): string | undefined =>
      themes
        .map((css) => new RegExp(`${name}: (#\\w+);`).exec(css)?.[1])
        .find((color) => color !== undefined);
    const names = [...Array.from({ length: 8 }, (_, index) => index), ...PHASES];
    expect(names.map(printColor)).toEqual(names.map((name) => light(seriesColor(name)) ?? 'none'));
  });
  it('make a picture that is well-formed, whatever it is called', () => {
    const svg = curveSvg({
      title: 'a < b & "c"',
      xLabel: 'Step',
      yLabel: 'tokens < 9',
      series: [line('one', [1, 2, 3], [1, null, 3]), line('two', [2], [2], 'score')],
      range: null,
      smoothing: 0,
      floor: null,
      bounds: [0, 4],
      marks: [{ x: 2, label: 'fell < 3' }],
      limits: [{ y: 3, label: 'not < 3', short: '< 3', isFloor: true }],
      format: String,
    });
    expect(new DOMParser().parseFromString(svg, 'image/svg+xml').querySelector('parsererror')).toBeNull();
    expect(svg).toContain('a &lt; b &amp; &quot;c&quot;');
    expect(svg.match(/M[\d.]+ [\d.]+h0/g)).toHaveLength(3); // the line is broken at the gap
    expect(svg.match(/<circle/g)).toHaveLength(1);
    expect(svg).toContain('fell &lt; 3');
    expect(svg).toContain('>&lt; 3</text>');
    expect(svg).toContain('not &lt; 3');
    expect(svg).toMatch(/rotate\(-90[^>]*>tokens &lt; 9<\/text>/);
  });
});
