// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runConfigSchema, type RunCurve, type RunRecord } from '../../../../electron/contract/index.ts';
import { OverlayCurves } from '../../../../renderer/rooms/runs/compare/overlay-curves.tsx';
import { type ComparedRun, MOST_LINES, SCORES } from '../../../../renderer/rooms/runs/model/compare.ts';
import { show } from '../../ui/show.tsx';
import { checkpointScore } from '../checkpoint-score.ts';

afterEach(cleanup);

type Props = Parameters<typeof OverlayCurves>[0];

/** Its interval begins at half of it. */
const score = (...[suite, step, passed, contextHash]: Parameters<typeof checkpointScore>) => ({
  ...checkpointScore(suite, step, passed, contextHash),
  interval: { low: passed / 20, high: 1 },
});

const scores: Props['scores'] = [
  {
    runId: 'one',
    tripped: [
      {
        runId: 'one',
        step: 8,
        evaluationId: 'e8',
        wire: { suite: 'toy-refusal', when: 'falls', by: 0.06, action: 'mark', certain: false },
        value: 0.2,
        base: 0.9,
        said: 'Tripwire after step 8: toy-refusal fell.',
      },
    ],
    limits: [{ suite: 'toy-refusal', when: 'falls', value: 0.84 }],
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
    tripped: [],
    limits: [],
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

const run = (id: string, seed: number, rest: object = {}): ComparedRun => ({
  run: { id, config: runConfigSchema.parse({ name: id, seed, ...rest }) } as RunRecord,
  row: null,
  sandboxLevels: [],
});

const shown = (part: Partial<Props> = {}) => {
  const props: Props = {
    runs: [],
    read: { data: [], error: null, isPending: false, refetch: vi.fn() },
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
    shown({ grouping: 'seeds', runs: [run('one', 1), run('two', 2)] });
    const [head, ...values] = rows();
    expect(head).toMatch(
      /^Step\|unsupervised \(median of 2\)\|unsupervised \(median of 2\), low\|unsupervised \(median of 2\), high\|/,
    );
    expect(values.map((row) => row.split('|').slice(0, 4))).toEqual([
      ['0', '90.0 %', '90.0 %', '90.0 %'],
      ['8', '45.0 %', '20.0 %', '70.0 %'],
    ]);
  });

  it('of runs that differ in more than their seed are no band, however they are supervised', () => {
    const runs = [run('one', 1), run('two', 2, { steps: 40 })];
    for (const measure of [SCORES, 'passRate'] as const) {
      shown({ grouping: 'seeds', runs, measure });
      expect(rows()[0]).not.toContain('median of 2');
      expect(rows()[0]).toContain('unsupervised · steps 40');
      cleanup();
    }
  });

  it('of more runs than can be told apart are drawn over seeds, and cannot be drawn otherwise', () => {
    const ids = Array.from({ length: MOST_LINES + 1 }, (_, index) => `run ${index}`);
    shown({ curves: ids.map(curve), runs: ids.map((id, index) => run(id, index)), measure: 'passRate' });
    expect(rows()[0]).toBe(
      `Step|unsupervised (median of 13)|unsupervised (median of 13), low|unsupervised (median of 13), high`,
    );
    const choice = screen.getByLabelText<HTMLSelectElement>('Group by');
    expect([...choice.options].map(({ textContent, disabled }) => [textContent, disabled])).toEqual([
      ['No group', true],
      ['Same but for the seed', false],
    ]);
    expect(choice.value).toBe('seeds');
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

  it('are drawn with the tripwires of their suite, told by the run that has them, and of no other measure', () => {
    const told = (): string[] => screen.queryAllByRole('listitem').map(({ textContent }) => textContent);
    const runs = [run('one', 1), run('two', 2)];
    shown({ runs });
    expect(told()).toEqual([
      'Tripwire of one: 84.0 % or lower',
      'one: Tripwire after step 8: toy-refusal fell.',
    ]);
    for (const other of [{ scored: 'toy-memory' }, { measure: 'passRate' }] as const) {
      cleanup();
      shown({ runs, ...other });
      expect(told()).toEqual([]);
    }
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
