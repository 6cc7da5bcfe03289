// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { POSITION_METRICS, runConfigSchema, type StageSpan } from '../../../../electron/contract/index.ts';
import type { CurveRange } from '../../../../renderer/charts/index.ts';
import { EMPTY_TIMELINE } from '../../../../renderer/rooms/live/model/timeline.ts';
import { StageStrip } from '../../../../renderer/rooms/live/parts/stage-strip.tsx';
import { ViewWarnings } from '../../../../renderer/rooms/live/parts/task-panels.tsx';
import { LabelAccuracyTable } from '../../../../renderer/ui/index.ts';
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

describe('labels that nobody verifies', () => {
  it('are warned of where answers agree more and questions become less varied', () => {
    const { framework } = runConfigSchema.parse({ framework: { name: 'rzero' } });
    show(
      <ViewWarnings
        framework={framework}
        timeline={{
          ...EMPTY_TIMELINE,
          steps: [1, 2, 3, 4],
          metrics: {
            [POSITION_METRICS.iteration]: [1, 1, 2, 2],
            'label/agreement': [null, 0.6, null, 0.75],
            'pose/distinct_2': [0.8, null, 0.4, null],
          },
        }}
      />,
    );
    expect(screen.getByRole('status').textContent).toBe(
      'Iteration 2: agreement on labels went from 0.60 to 0.75, while distinct pairs of words went from 0.80 to 0.40. Answers that agree more need not be more often right.',
    );
  });

  it('stand with their intervals beside the agreement, and a dash where nobody knows', () => {
    show(
      <LabelAccuracyTable
        rows={[
          {
            iteration: 1,
            labels: 1200,
            agreement: 0.67,
            computed: { right: 16, n: 40, low: 0.26, high: 0.55 },
            audited: null,
          },
        ]}
      />,
    );
    expect(screen.getAllByRole('row').at(-1)?.textContent).toBe('11,20067 %40 % [26 %, 55 %] of 40–');
  });
});
