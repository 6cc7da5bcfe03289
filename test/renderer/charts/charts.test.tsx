// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { Bars, Curve, ChartFrame } from '../../../renderer/charts/index.ts';
import { Legend, makeCursor, pressCurveKey } from '../../../renderer/charts/curve-parts.tsx';
import { barScale, barsSvg, layOutBars } from '../../../electron/figures/index.ts';
import { show } from '../ui/show.tsx';

afterEach(cleanup);
const whole = (value: number): string => value.toFixed(1);

describe('a figure', () => {
  const frame = (
    <ChartFrame
      title="Reward"
      table={() => ({
        columns: ['Step', 'a'],
        rows: [
          [1, 0.5],
          [2, null],
        ],
      })}
      svg={() => ''}
      format={whole}
      height={100}
    >
      <p>drawn</p>
    </ChartFrame>
  );
  it('has a twin as a table behind t and behind its button', () => {
    show(frame);
    fireEvent.keyDown(screen.getByText('drawn'), { key: 't' });
    expect(screen.getAllByRole('row').map((row) => row.textContent)).toEqual(['Stepa', '10.5', '2–']);
    fireEvent.click(screen.getByRole('button', { name: 'Show as a figure' }));
    expect(screen.getByText('drawn')).toBeTruthy();
  });
  it('leaves keys with a modifier to the page', () => {
    show(frame);
    fireEvent.keyDown(screen.getByText('drawn'), { key: 't', ctrlKey: true });
    expect(screen.queryByRole('table')).toBeNull();
  });
  it('pages through long tables, the newest first', () => {
    show(
      <ChartFrame
        title="Long"
        tableOnly
        table={() => ({
          columns: ['Step', 'a'],
          rows: Array.from({ length: 250 }, (_, index) => [index + 1, index]),
        })}
        svg={() => ''}
        format={whole}
        height={100}
      >
        {null}
      </ChartFrame>,
    );
    expect(screen.getByText('201–250 of 250')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Older rows' }));
    expect(screen.getByText('101–200 of 250')).toBeTruthy();
    expect(screen.getAllByRole('row')).toHaveLength(101);
  });
});

describe('a curve', () => {
  it('shows its numbers where nothing can be drawn', () => {
    show(
      <Curve
        title="Reward"
        xLabel="Step"
        yLabel="reward"
        format={whole}
        series={[{ id: 'a', label: 'solver', kind: 'line', x: [1, 2], y: [0.25, null] }]}
      />,
    );
    expect(
      within(screen.getByRole('figure', { name: 'Reward' }))
        .getAllByRole('row')
        .map((row) => row.textContent),
    ).toEqual(['Stepsolver', '10.3', '2–']);
  });

  it('tells what is drawn across it under its numbers too, what is watched for first, and folds what repeats', () => {
    show(
      <Curve
        title="Scores"
        xLabel="Step"
        yLabel="share, %"
        format={whole}
        series={[{ id: 'a', label: 'refusal', kind: 'score', x: [2, 4], y: [0.9, 0.5] }]}
        marks={[1, 2, 3, 4].map((x) => ({ x, label: `touched after step ${x}` }))}
        limits={[{ y: 0.8, label: 'Tripwire: 80.0 % or lower', short: '≤ 80.0 %', isFloor: true }]}
      />,
    );
    const told = [...document.querySelectorAll('.fig-marks > ul > li')].map(({ textContent }) => textContent);
    expect(told).toEqual(['Tripwire: 80.0 % or lower', 'touched after step 1', 'touched after step 2']);
    expect(document.querySelector('.fig-marks summary')?.textContent).toBe('2 more');
    expect(document.querySelector('.fig-marks details')?.textContent).toContain('touched after step 4');
  });

  const at = { x: [1, 2, 3, 4, 5], span: [1, 5] as const, extent: [1, 5] as const, range: null };
  const press = (
    key: string,
    place: number | null,
    more: Partial<{ shiftKey: boolean; ctrlKey: boolean }> = {},
  ) => {
    const done: unknown[] = [];
    let wasTaken = false;
    pressCurveKey(
      {
        key,
        shiftKey: false,
        ctrlKey: false,
        metaKey: false,
        altKey: false,
        ...more,
        preventDefault: () => {
          wasTaken = true;
        },
        stopPropagation: () => {},
      } as never,
      { ...at, at: place, onPoint: (x) => done.push(x), onRange: (range) => done.push(range) },
    );
    return [wasTaken, ...done];
  };
  it.each<[string, number | null, unknown]>([
    ['ArrowRight', null, 1],
    ['ArrowLeft', null, 5],
    ['ArrowRight', 2, 3],
    ['ArrowLeft', 1, 1],
    ['Home', 4, 1],
    ['End', 1, 5],
    ['PageDown', 1, 5],
    ['Escape', 3, null],
    ['0', 3, null],
  ])('takes %s at %s to %s', (key, place, to) => {
    expect(press(key, place)).toEqual([true, to]);
  });
  it('zooms around the cursor', () => {
    expect(press('+', 5)).toEqual([true, { from: 3, to: 5 }]);
  });
  it('leaves other keys to the page', () => {
    expect([press('j', 2), press('ArrowLeft', 2, { ctrlKey: true }), press('Escape', null)]).toEqual([
      [false],
      [false],
      [false],
    ]);
  });
  it('tells of its cursor only when it moves', () => {
    const cursor = makeCursor();
    let moves = 0;
    const stop = cursor.subscribe(() => {
      moves += 1;
    });
    for (const x of [3, 3, null, null]) cursor.set(x);
    stop();
    cursor.set(9);
    expect([moves, cursor.get()]).toEqual([2, 9]);
  });
});

describe('the legend of a curve', () => {
  const legend = (span: [number, number]) => (
    <Legend
      series={[{ id: 'a', label: 'deduction', kind: 'line', x: [1, 3, 5, 8], y: [0.4, 0.2, 0.1, 1] }]}
      hidden={new Set()}
      cursor={makeCursor()}
      span={span}
      format={whole}
      onToggle={() => {}}
    />
  );
  it('shows the newest value of the part that was chosen', () => {
    show(legend([3, 5]));
    expect(screen.getByRole('button', { name: /deduction/ }).textContent).toContain('0.1');
    cleanup();
    show(legend([1, 8]));
    expect(screen.getByRole('button', { name: /deduction/ }).textContent).toContain('1.0');
  });
});

describe('static figures', () => {
  it('say their values in words', () => {
    show(
      <Bars
        title="Scores"
        columns={['Suite', 'Share']}
        format={whole}
        most={1}
        bars={[{ id: 'a', label: 'maths', value: 0.5, low: 0.2, high: 0.8 }]}
      />,
    );
    expect(screen.getByRole('img', { name: 'Scores: maths 0.5' }).querySelectorAll('path')).toHaveLength(1);
  });
  const LABEL = 'toy-reward-hacking-under-pressure, under the context';
  const long = [
    { id: 'a', label: LABEL, value: 0.5 },
    { id: 'b', label: 'toy-refusal', value: 0.25 },
  ];
  /** What stands at the left of the bars, put together as a person reads it. */
  const labelsIn = (picture: Element): string =>
    [...picture.querySelectorAll('text[text-anchor="end"]')]
      .map((text) => text.textContent)
      .join(' ')
      .replaceAll('- ', '-');
  it('show every label whole, within the picture, and a named axis under the bars', () => {
    show(<Bars title="Scores" columns={['Suite', 'Share']} format={whole} most={1} bars={long} />);
    const page = screen.getByRole('img', { name: /^Scores/ });
    expect(labelsIn(page)).toContain(LABEL);
    expect(labelsIn(page)).toContain('Suite');
    const starts = [...page.querySelectorAll('text[text-anchor="end"]')]
      .filter((text) => !/^[\d.]+$/.test(text.textContent ?? ''))
      .map((text) => Number(text.getAttribute('x')) - 7 * (text.textContent ?? '').length);
    expect(Math.min(...starts)).toBeGreaterThanOrEqual(0);
    expect([...page.querySelectorAll('text[text-anchor="middle"]')].map((text) => text.textContent)).toEqual([
      '0.0',
      '0.5',
      '1.0',
      'Share',
    ]);
    const saved = document.createElement('div');
    saved.innerHTML = barsSvg('Scores', long, { name: 'Share', of: 'Suite', most: 1, format: whole });
    expect(labelsIn(saved)).toContain(LABEL);
    expect(labelsIn(saved)).toContain('Suite');
    expect([...saved.querySelectorAll('text[text-anchor="middle"]')].map((text) => text.textContent)).toEqual(
      ['0.0', '0.5', '1.0', 'Share'],
    );
  });
  it('of times are marked as a clock divides them', () => {
    const { ticks } = layOutBars([{ id: 'a', label: 'save', value: 130 }], {
      of: 'Part',
      most: null,
      format: whole,
      isTime: true,
    });
    expect(ticks.map(({ text }) => text)).toEqual(['0 s', '30 s', '1 min', '1 min 30 s', '2 min']);
  });
  it.each([260, 480, 1000])(
    'are drawn in the %i pixels they have, with less than half for labels',
    (drawn) => {
      const { width, left, rows } = layOutBars(long, { of: 'Suite', most: 1, format: whole }, drawn);
      expect(width).toBe(drawn);
      expect(left).toBeLessThan(width / 2);
      const read = rows[0]?.lines.map(({ text }) => text).join('');
      expect(read?.replaceAll(' ', '')).toBe(LABEL.replaceAll(' ', ''));
    },
  );
  it('keep a short bracket of a label on one line', () => {
    const suite = 'toy-deduction + context (n = 60)';
    const [row] = layOutBars(
      [{ id: 'a', label: suite, value: 1 }],
      { of: 'Suite', most: 1, format: whole },
      640,
    ).rows;
    expect(row?.lines.map(({ text }) => text)).toEqual(['toy-deduction + context', '(n = 60)']);
  });
  it('begin bars at nought, also beside negative ones', () => {
    const scale = barScale(
      [
        { id: 'a', label: '', value: -1 },
        { id: 'b', label: '', value: 3 },
      ],
      null,
    );
    expect([scale(-1), scale(0), scale(3)]).toEqual([0, 0.25, 1]);
  });
});
