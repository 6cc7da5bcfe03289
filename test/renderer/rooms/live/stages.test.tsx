// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import type { StageSpan } from '../../../../electron/contract/index.ts';
import type { CurveRange } from '../../../../renderer/charts/index.ts';
import { EMPTY_TIMELINE } from '../../../../renderer/rooms/live/model/timeline.ts';
import { StageStrip } from '../../../../renderer/rooms/live/parts/stage-strip.tsx';
import { show } from '../../ui/show.tsx';

afterEach(cleanup);

const span = (stage: string, from: number, to: number, globalStep: number, trains: boolean): StageSpan => ({
  stage,
  iteration: 1,
  from,
  to,
  globalStep,
  trains,
});
const spans = [
  span('challenge', 1, 2, 1, true),
  span('pose', 3, 4, 2, false),
  span('label', 5, 6, 2, false),
  span('solve', 7, 9, 3, true),
];

describe('the strip of stages', () => {
  const strip = (chosen: (CurveRange | null)[], range: CurveRange | null, committedSteps: number) =>
    show(
      <StageStrip
        framework="rzero"
        spans={spans}
        timeline={{ ...EMPTY_TIMELINE, steps: [1, 2, 3], timings: { step: [6, 6, 4] } }}
        committedSteps={committedSteps}
        isAtWork
        range={range}
        onRange={(next) => chosen.push(next)}
      />,
    );

  it('says where the run stands, and narrows the page to a stage and back', () => {
    const chosen: (CurveRange | null)[] = [];
    strip(chosen, { from: 3, to: 4 }, 3);
    expect(
      screen.getByText('step 4: iteration 1, G, questions are asked, 2 of 2; 2 training steps'),
    ).toBeTruthy();
    expect(screen.getByText('C challenger learns: 12 s (75 %)')).toBeTruthy();
    const [challenge, pose] = screen.getAllByRole('button', { name: /^Iteration 1/ });
    expect(pose?.getAttribute('aria-pressed')).toBe('true');
    expect(pose?.getAttribute('aria-current')).toBe('step');
    fireEvent.click(challenge!);
    fireEvent.click(pose!);
    expect(chosen).toEqual([{ from: 1, to: 2 }, null]);
  });

  it('says that all is stored at the end, and has its numbers as a table', () => {
    strip([], null, 9);
    expect(screen.getByText('all 9 steps are stored')).toBeTruthy();
    fireEvent.keyDown(screen.getAllByRole('button', { name: /^Iteration 1/ })[0]!, { key: 't' });
    expect(screen.getAllByRole('row').map((row) => row.textContent)[2]).toBe(
      '1G, questions are asked3–42–24',
    );
  });
});
