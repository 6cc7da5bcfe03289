// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react';
import { createIntl } from 'react-intl';
import { afterEach, describe, expect, it } from 'vitest';
import { english, type Translate } from '../../../../renderer/i18n/index.ts';
import type { Inside } from '../../../../renderer/rooms/live/model/inside.ts';
import { type Timeline, timelineCells } from '../../../../renderer/rooms/live/model/timeline.ts';
import { stripTicks } from '../../../../renderer/rooms/live/model/timeline-axes.ts';
import { insideSvg, StepInsideFigure } from '../../../../renderer/rooms/live/parts/step-inside.tsx';
import { StepTimeline } from '../../../../renderer/rooms/live/parts/step-timeline.tsx';
import { timelineSvg } from '../../../../renderer/rooms/live/parts/timeline-drawing.tsx';
import { show } from '../../ui/show.tsx';

afterEach(cleanup);

const intl = createIntl({ locale: 'en', messages: english });
const t: Translate = (id, values) => intl.formatMessage({ id }, values);

const timeline = (steps: number, seconds = 40): Timeline => ({
  steps: Array.from({ length: steps }, (_, index) => index + 1),
  timings: { step: Array.from({ length: steps }, () => seconds) },
  metrics: {},
});
const textsIn = (picture: Element): (string | null)[] =>
  [...picture.querySelectorAll('text')].map(({ textContent }) => textContent);
const read = (svg: string): (string | null)[] =>
  textsIn(new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement);

describe('axes of what a run took', () => {
  it('name what the strip of steps counts and measures, with numbers, on the page and in its picture', () => {
    const steps = timeline(2);
    const { container } = show(
      <StepTimeline
        timeline={steps}
        evaluated={[]}
        range={null}
        onRange={() => {}}
        onOpenStep={() => {}}
        placeOf={() => null}
      />,
    );
    const axes = ['0 s', '15 s', '30 s', '1', '2', 'Step', 'time'];
    expect(textsIn(container.querySelector('.live-strip svg')!)).toEqual(axes);
    expect(read(timelineSvg('Steps', timelineCells(steps, 100), t))).toEqual(expect.arrayContaining(axes));
  });

  it('have as many numbers of steps as there is room for, each below its step', () => {
    const cells = timelineCells(timeline(240), 120);
    const { steps } = stripTicks(cells, { width: 480, height: 60, ceiling: 40 });
    expect(steps.map(({ text }) => text)).toEqual(['50', '100', '150', '200']);
    // Two steps a cell of four pixels: step 50 is in the 25th.
    expect(steps[0]?.at).toBe(24.5 * 4);
  });

  it('mark times of the strip at their height', () => {
    const { times } = stripTicks(timelineCells(timeline(9, 150), 100), {
      width: 480,
      height: 60,
      ceiling: 150,
    });
    expect(times.map(({ at, text }) => [text, Math.round(at)])).toEqual([
      ['0 s', 60],
      ['1 min', 36],
      ['2 min', 12],
    ]);
  });

  const inside: Inside = {
    step: 3,
    seconds: 40,
    parts: [
      { part: 'gen', from: 0, to: 24 },
      { part: 'supervise_wait', from: 24, to: 40 },
    ],
    reviews: [{ phase: 'plan', status: 'done', from: 2, to: 40 }],
    answered: [],
    isWaitSplit: false,
  };

  it('name the time inside of a step, with its marks, on the page and in its picture', () => {
    show(<StepInsideFigure inside={inside} />);
    expect(textsIn(screen.getByRole('img', { name: /^Inside step 3/ }))).toEqual([
      '0 s',
      '30 s',
      'time',
      'step',
      'reviews',
    ]);
    const saved = read(insideSvg('Inside step 3', inside, t));
    expect(saved).toEqual(
      expect.arrayContaining(['0 s', '10 s', '40 s', 'time', 'step', 'reviews', 'wait for reviews 16 s']),
    );
    // A lane without anything has no name in either.
    expect(saved).not.toContain('answers');
  });
});
