// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RunCurve } from '../../../../electron/contract/index.ts';
import { OverlayCurves } from '../../../../renderer/rooms/runs/compare/overlay-curves.tsx';
import { SCORES } from '../../../../renderer/rooms/runs/model/compare.ts';
import { show } from '../../ui/show.tsx';
import { checkpointScore } from '../checkpoint-score.ts';

afterEach(cleanup);

/** Its interval begins at half of it. */
const score = (...[suite, step, passed, contextHash]: Parameters<typeof checkpointScore>) => ({
  ...checkpointScore(suite, step, passed, contextHash),
  interval: { low: passed / 20, high: 1 },
});

const scores = [
  {
    runId: 'one',
    scores: [
      score('toy-memory', 0, 5, null),
      score('toy-memory', 8, 6, null),
      score('toy-refusal', 0, 9, null),
      score('toy-refusal', 8, 2, null),
      score('toy-refusal', 8, 8, 'ab'),
    ],
  },
  {
    runId: 'two',
    scores: [score('toy-refusal', 0, 9, null), score('toy-refusal', 8, 7, null)],
  },
];
const curve = (runId: string): RunCurve => ({
  runId,
  step: [8],
  hours: [0.5],
  reviews: [40],
  tokens: [9000],
  values: [0.4],
});

type Props = Parameters<typeof OverlayCurves>[0];
const shown = (part: Partial<Props> = {}) => {
  const props: Props = {
    runs: [],
    curves: [curve('one'), curve('two')],
    scores,
    measure: SCORES,
    scored: 'toy-refusal',
    axis: 'step',
    grouping: 'run',
    onMeasure: vi.fn(),
    onScored: vi.fn(),
    onAxis: vi.fn(),
    onGrouping: vi.fn(),
    ...part,
  };
  show(<OverlayCurves {...props} />);
  return props;
};
const rows = (): string[] =>
  screen.getAllByRole('row').map((row) => [...row.children].map(({ textContent }) => textContent).join('|'));

describe('scores of compared runs', () => {
  it('are a line for each run, weights alone and under its context, with the ends of their intervals', () => {
    shown();
    expect(rows()).toEqual([
      'Step|one|one, low|one, high|one + context|one + context, low|one + context, high|two|two, low|two, high',
      '0|90.0 %|45.0 %|100.0 %|–|–|–|90.0 %|45.0 %|100.0 %',
      '8|20.0 %|10.0 %|100.0 %|80.0 %|40.0 %|100.0 %|70.0 %|35.0 %|100.0 %',
    ]);
  });

  it('of a group of runs, such as seeds of one set-up, are their median with a band from the lowest to the highest', () => {
    shown({ grouping: 'supervision' });
    const [head, ...values] = rows();
    expect(head).toMatch(/^Step\|(.+) \(median of 2\)\|\1 \(median of 2\), low\|\1 \(median of 2\), high\|/);
    expect(values.map((row) => row.split('|').slice(0, 4))).toEqual([
      ['0', '90.0 %', '90.0 %', '90.0 %'],
      ['8', '45.0 %', '20.0 %', '70.0 %'],
    ]);
  });

  it('are those of the chosen suite, and without a choice of the first one', () => {
    const { onScored } = shown({ scored: null });
    const choice = screen.getByLabelText<HTMLSelectElement>('Suite');
    expect(choice.value).toBe('toy-memory');
    fireEvent.change(choice, { target: { value: 'toy-refusal' } });
    expect(onScored).toHaveBeenCalledWith('toy-refusal');
  });

  it('lie over hours where their step ended', () => {
    shown({ axis: 'hours' });
    expect(rows().map((row) => row.split('|')[0])).toEqual(['Wall hours', '0', '0.5']);
  });

  it('are offered only where a suite was followed', () => {
    const { onMeasure } = shown({ measure: 'passRate' });
    const measures = screen.getByLabelText<HTMLSelectElement>('Measure');
    fireEvent.change(measures, { target: { value: SCORES } });
    expect(onMeasure).toHaveBeenCalledWith(SCORES);
    cleanup();
    shown({ measure: 'passRate', scores: [] });
    expect(
      [...screen.getByLabelText<HTMLSelectElement>('Measure').options].map(({ value }) => value),
    ).not.toContain(SCORES);
  });
});
