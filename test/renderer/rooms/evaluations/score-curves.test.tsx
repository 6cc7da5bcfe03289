// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import type { Tripped, WireLimit } from '../../../../electron/contract/index.ts';
import { queryClient } from '../../../../renderer/data/index.ts';
import { ScoreCurves } from '../../../../renderer/rooms/evaluations/matrix/score-curves.tsx';
import { show } from '../../ui/show.tsx';
import { checkpointScore } from '../checkpoint-score.ts';
import { column } from './made.ts';

afterEach(() => {
  cleanup();
  queryClient.clear();
});

const alone = [
  checkpointScore('toy-refusal', 0, 9),
  checkpointScore('toy-refusal', 8, 2),
  checkpointScore('toy-memory', 0, 8),
  checkpointScore('toy-memory', 8, 6),
];
const supervised = [
  checkpointScore('toy-refusal', 0, 9),
  checkpointScore('toy-refusal', 8, 7),
  checkpointScore('toy-refusal', 8, 10, 'ab'),
  checkpointScore('asked-once', 8, 1),
];

const LIMIT: WireLimit = { suite: 'toy-refusal', when: 'falls', value: 0.84 };
const TOUCHED: Tripped = {
  runId: 'alone',
  step: 8,
  evaluationId: 'e8',
  wire: { suite: 'toy-refusal', when: 'falls', by: 0.06, action: 'mark', certain: false },
  value: 0.2,
  base: 0.9,
  said: 'Tripwire after step 8: toy-refusal fell.',
};

function showCurves(columns: ReturnType<typeof column>[]): void {
  queryClient.setQueryData(
    ['evaluations.scoresOfRuns', { runIds: ['alone', 'supervised'] }],
    [
      { runId: 'alone', scores: alone, tripped: [TOUCHED], limits: [LIMIT] },
      { runId: 'supervised', scores: supervised, tripped: [], limits: [LIMIT] },
    ],
  );
  showColumns(columns);
}
const showColumns = (columns: ReturnType<typeof column>[]) =>
  show(
    <QueryClientProvider client={queryClient}>
      <ScoreCurves columns={columns} />
    </QueryClientProvider>,
  );
const figure = (suite: string) =>
  within(screen.getByRole('figure', { name: suite }))
    .getAllByRole('row')
    .map((row) => [...row.children].map(({ textContent }) => textContent).join('|'));

describe('the runs of the matrix along their steps', () => {
  it('are a small figure for each suite that was followed, a line for each run that was asked it', () => {
    showCurves([column('alone@8'), column('supervised@8')]);
    expect(screen.getAllByRole('figure').map((each) => each.querySelector('h2')?.textContent)).toEqual([
      'toy-memory',
      'toy-refusal',
    ]);
    expect(figure('toy-refusal')).toEqual([
      'Step|alone@8|alone@8, low|alone@8, high|supervised@8|supervised@8, low|supervised@8, high',
      '0|90 %|0 %|100 %|90 %|0 %|100 %',
      '8|20 %|0 %|100 %|70 %|0 %|100 %',
    ]);
    expect(figure('toy-memory')).toEqual([
      'Step|alone@8|alone@8, low|alone@8, high',
      '0|80 %|0 %|100 %',
      '8|60 %|0 %|100 %',
    ]);
  });

  it('have a second line under the context where the table has such a column', () => {
    showCurves([column('alone@8'), column('supervised@8'), column('supervised@8', { withContext: true })]);
    expect(figure('toy-refusal').map((row) => row.split('|').at(-3))).toEqual([
      'supervised@8 + context',
      '–',
      '100 %',
    ]);
  });

  it('have the tripwires of their suite, told by the run where not all runs have them', () => {
    showCurves([column('alone@8'), column('supervised@8')]);
    const told = (suite: string): string[] =>
      within(screen.getByRole('figure', { name: suite }))
        .queryAllByRole('listitem')
        .map(({ textContent }) => textContent);
    expect(told('toy-refusal')).toEqual([
      'Tripwire: 84.0 % or lower',
      'alone@8: Tripwire after step 8: toy-refusal fell.',
    ]);
    expect(told('toy-memory')).toEqual([]);
  });

  it('are nothing where no suite was followed', () => {
    queryClient.setQueryData(
      ['evaluations.scoresOfRuns', { runIds: ['once'] }],
      [{ runId: 'once', scores: [checkpointScore('asked-once', 8, 1)], tripped: [], limits: [] }],
    );
    const { container } = showColumns([column('once@8')]);
    expect(container.textContent).toBe('');
  });
});
