// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import {
  merged,
  reviewSeconds,
  type Inside,
  type Unused,
} from '../../../../renderer/rooms/live/model/inside.ts';
import { StepInsideFigure } from '../../../../renderer/rooms/live/parts/step-inside.tsx';
import { UnusedFigures } from '../../../../renderer/rooms/live/parts/unused.tsx';
import { show } from '../../ui/show.tsx';

afterEach(cleanup);

const inside: Inside = {
  step: 3,
  seconds: 40,
  parts: [
    { part: 'gen', from: 0, to: 10 },
    { part: 'update_actor', from: 10, to: 24 },
    { part: 'supervise_wait', from: 24, to: 40 },
  ],
  reviews: [
    { phase: 'plan', status: 'done', from: 2, to: 12 },
    { phase: 'task', status: 'done', from: 12, to: 20 },
    { phase: 'exec', status: 'quarantined', from: 30, to: 40 },
  ],
  answered: [1, 4, 9],
  isWaitSplit: false,
};

describe('the inside of a step', () => {
  it('joins what overlaps or touches, in whatever order it comes', () => {
    expect(
      merged([
        { from: 5, to: 6 },
        { from: 0, to: 2 },
        { from: 2, to: 3 },
        { from: 1, to: 1.5 },
      ]),
    ).toEqual([
      { from: 0, to: 3 },
      { from: 5, to: 6 },
    ]);
    expect(reviewSeconds(inside)).toEqual({ busy: 28, waited: 16 });
  });
  it('says how long was reviewed and how long the step waited for it', () => {
    show(<StepInsideFigure inside={inside} />);
    expect(
      screen.getByRole('img', { name: 'Inside step 3. 40 s; reviewed for 28 s, waited for 16 s' }),
    ).toBeTruthy();
    expect(screen.getByText('wait for reviews 16 s')).toBeTruthy();
  });
  it('draws reviews as what waits for them, in the colour of no other part, and names no part of 0.0 s', () => {
    const parts = [{ part: 'save_checkpoint' as const, from: 40, to: 40.01 }, ...inside.parts];
    const { container } = show(<StepInsideFigure inside={{ ...inside, parts }} />);
    const fills = [...container.querySelectorAll('figure svg[role="img"] rect')].map((rect) =>
      rect.getAttribute('fill'),
    );
    const [save, , , wait] = fills;
    const reviews = new Set(fills.slice(parts.length + inside.answered.length));
    expect(reviews).toEqual(new Set([wait]));
    expect(reviews).not.toContain(save);
    expect(screen.queryByText(/save 0\.0 s/)).toBeNull();
  });
  it.each<[Partial<Inside>, string]>([
    [{ isWaitSplit: true }, 'waited for 16 s, part of it before items were retried'],
    [{ parts: inside.parts.slice(0, 2) }, 'reviewed for 28 s, never waited for'],
    [{ reviews: [] }, '40 s; nobody reviewed'],
  ])('%o reads so', (changed, text) => {
    show(<StepInsideFigure inside={{ ...inside, ...changed }} />);
    expect(screen.getByRole('img').getAttribute('aria-label')).toContain(text);
  });
});

describe('what came to nothing', () => {
  const rows: Unused[] = [
    { step: 1, kind: 'proposal', reason: 'raised', count: 2, sentence: 'The program raised an exception.' },
    { step: 2, kind: 'proposal', reason: 'raised', count: 3, sentence: 'The program raised an exception.' },
    { step: 2, kind: 'review', reason: 'quarantined', count: 1, sentence: 'quarantined' },
    { step: 2, kind: 'no-advantage', reason: null, count: 9, sentence: null },
  ];
  const cellsFor = (range: { from: number; to: number | null } | null): (string | null)[][] => {
    show(<UnusedFigures runId="a" rows={rows} steps={[1, 2]} range={range} onRange={() => {}} syncKey="k" />);
    // The figures before it have tables of their own.
    const [, ...lines] = [...([...document.querySelectorAll('table')].at(-1)?.querySelectorAll('tr') ?? [])];
    return lines.map((line) => [...line.children].map((cell) => cell.textContent));
  };
  it('is counted by reason over the run, the most frequent first, each in words', () => {
    expect(cellsFor(null)).toEqual([
      [
        'no advantage, not felt by the update',
        '9',
        'Its reward was that of its whole group, so it moved no weight.',
      ],
      ['proposal, no task: raised', '5', 'The program raised an exception.'],
      ['review, does not count: told the hidden answer', '1', 'It was asked for and entered no summary.'],
    ]);
  });
  it('is narrowed to the chosen steps, and says so where everything was used', () => {
    expect(cellsFor({ from: 1, to: 1 })).toEqual([
      ['proposal, no task: raised', '2', 'The program raised an exception.'],
    ]);
    cleanup();
    cellsFor({ from: 3, to: null });
    expect(screen.getByText('Everything in these steps was used.')).toBeTruthy();
  });
});
