// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { queryClient, useNotices } from '../../../../renderer/data/index.ts';
import { Legend } from '../../../../renderer/rooms/evaluations/matrix/matrix-foot.tsx';
import { MatrixTable } from '../../../../renderer/rooms/evaluations/matrix/matrix-table.tsx';
import {
  EstimateView,
  EvaluationDialog,
  limitOf,
  ProtocolPicker,
} from '../../../../renderer/rooms/evaluations/request/evaluation-dialog.tsx';
import { EvaluationProgress } from '../../../../renderer/rooms/evaluations/page.tsx';
import { SubjectList } from '../../../../renderer/rooms/evaluations/request/subject-list.tsx';
import { MatrixBar } from '../../../../renderer/rooms/evaluations/matrix/matrix-bar.tsx';
import { evaluationsSearch } from '../../../../renderer/rooms/evaluations/page-state.ts';
import { SuiteTable } from '../../../../renderer/rooms/evaluations/suites/suite-table.tsx';
import { show } from '../../ui/show.tsx';
import { cell, change, column, matrix, row, subject, suite, summary } from './made.ts';

afterEach(cleanup);

const columns = [column('a@0', { label: 'a, base' }), column('a@4', { label: 'a @ 4', base: 'a@0' })];
const judge = { kind: 'gguf' as const, name: 'judge-7b', sha256: null, promptVersion: 'harm-1' };

describe('the table', () => {
  const rows = [
    row('toy-refusal', [cell(0.5), cell(0.7, { change: change(0.2) })]),
    row(
      'asr',
      [
        cell(0.2),
        cell(0.3, { marks: ['judge', 'partial'], state: 'partial', n: 40, judge, change: change(0.1) }),
      ],
      {
        better: 'lower',
        label: 'HarmBench ASR',
        group: 'safety',
      },
    ),
    row(
      'aggregate:code',
      [null, cell(null, { state: 'incomplete', why: 'LiveCodeBench is missing.', evaluationIds: [] })],
      { kind: 'aggregate', suite: null, label: 'Code average', group: 'code' },
    ),
  ];
  const groups = [
    { group: 'code' as const, rows: [rows[2] as never] },
    { group: 'safety' as const, rows: [rows[1] as never] },
    { group: 'toy' as const, rows: [rows[0] as never] },
  ];
  const table = (isDelta: boolean, onOpen = vi.fn()) =>
    show(
      <MatrixTable columns={columns} groups={groups} bases={[null, 0]} isDelta={isDelta} onOpen={onOpen} />,
    );

  it('says value, interval and number of answers, and everything else for those who hear it', () => {
    table(false);
    const figure = screen.getByRole('gridcell', { name: /toy-refusal, a @ 4/ });
    expect(figure.querySelector('[aria-hidden]')?.textContent).toBe('70.0 %[60.0–80.0] · n = 64');
    expect(figure.querySelector('.evaluations-hidden')?.textContent).toBe(
      'toy-refusal, a @ 4: 70.0 % of 64 answers. 95 % interval 60.0 % to 80.0 %. Change +20.0 points, 95 % interval +10.0 to +30.0, paired over 64 items (Newcombe). higher is better. Opens the answers.',
    );
  });

  it('says a corrected value with its own interval and n, and what it is without the person’s verdict', () => {
    const corrected = cell(1, {
      low: 0.566,
      high: 1,
      n: 5,
      of: 6,
      marks: ['overridden'],
      counts: { ...cell(1).counts, overridden: 1 },
      corrected: { value: 0.8, low: 0.376, high: 0.964, n: 6 },
    });
    show(
      <MatrixTable
        columns={[column('a@4', { label: 'a @ 4' })]}
        groups={[{ group: 'toy', rows: [row('toy-refusal', [corrected])] }]}
        bases={[null]}
        isDelta={false}
        onOpen={vi.fn()}
      />,
    );
    const figure = screen.getByRole('gridcell', { name: /toy-refusal, a @ 4/ });
    expect(figure.querySelector('[aria-hidden]')?.textContent).toBe('80.0 %✎[37.6–96.4] · n = 6');
    expect(figure.querySelector('.evaluations-hidden')?.textContent).toBe(
      'toy-refusal, a @ 4: 80.0 % of 6 answers. 95 % interval 37.6 % to 96.4 %. higher is better. 1 verdict is a person’s. Without a person’s verdicts it is 100.0 %. Opens the answers.',
    );
  });

  it('tells a change by sign, direction and colour', () => {
    table(true);
    const better = screen
      .getByRole('gridcell', { name: /toy-refusal, a @ 4/ })
      .querySelector('.evaluations-change');
    expect([better?.textContent, better?.getAttribute('data-tone')]).toEqual(['▲ +20.0', 'good']);
    const worse = screen
      .getByRole('gridcell', { name: /HarmBench ASR, a @ 4/ })
      .querySelector('.evaluations-change');
    expect([worse?.textContent, worse?.getAttribute('data-tone')]).toEqual(['▲ +10.0', 'bad']);
  });

  it('tells beside a change its interval and what it was before that', () => {
    table(true);
    expect(
      screen.getByRole('gridcell', { name: /toy-refusal, a @ 4/ }).querySelector('.evaluations-small')
        ?.textContent,
    ).toBe('[+10.0, +30.0] · 70.0 % · n = 64');
  });

  it('heads every column with its step and what stood in the prompt, however long the name is', () => {
    const name = 'a run with a name that no column of a table has room for';
    show(
      <MatrixTable
        columns={[
          column('r@8', { label: `${name}, step 8` }),
          column('r@8', { key: 'r@8~context', label: `${name}, step 8, with context`, withContext: true }),
          column('r@0', {
            key: 'r@0~context',
            label: `${name}, step 0, with context`,
            withContext: true,
            emptyContext: true,
          }),
        ]}
        groups={[]}
        bases={[null, null, null]}
        isDelta={false}
        onOpen={() => {}}
      />,
    );
    const heads = screen.getAllByRole('columnheader').slice(1);
    expect(heads.map((head) => head.querySelector('.evaluations-step')?.textContent)).toEqual([
      'step 8 · weights',
      'step 8 · with context',
      'step 0 · with context',
    ]);
    expect(heads[2]?.textContent).toContain('no line there: the same as the weights');
  });

  it('marks what is partial and what another judge gave', () => {
    table(false);
    const marked = screen.getByRole('gridcell', { name: /HarmBench ASR, a @ 4/ });
    expect(marked.getAttribute('data-partial')).toBe('true');
    expect(marked.querySelector('[data-apart="true"]')).not.toBeNull();
    expect(marked.textContent).toContain('n = 40 of 64');
    expect(marked.querySelector('.evaluations-hidden')?.textContent).toContain(
      'a difference may be the judge’s. Partial: 40 of 64 answers are graded.',
    );
  });

  it('says why an aggregate has no value', () => {
    table(false);
    expect(
      screen
        .getByRole('gridcell', { name: 'Code average, a @ 4: LiveCodeBench is missing.' })
        .querySelector('[aria-hidden]')?.textContent,
    ).toBe('incomplete');
    expect(
      screen
        .getByRole('gridcell', { name: 'Code average, a, base: not evaluated.' })
        .querySelector('[aria-hidden]')?.textContent,
    ).toBe('–');
  });

  it('opens the answers with what they were compared with; a cell without answers opens nothing', () => {
    const onOpen = vi.fn();
    table(false, onOpen);
    fireEvent.click(screen.getByRole('gridcell', { name: /toy-refusal, a @ 4/ }));
    expect(onOpen).toHaveBeenCalledExactlyOnceWith(rows[0]?.cells[1], rows[0]?.cells[0]);
    fireEvent.click(screen.getByRole('gridcell', { name: /Code average, a @ 4/ }));
    expect(onOpen).toHaveBeenCalledOnce();
  });

  it('has one cell in the order of tabs, and arrows go to the others', () => {
    const onOpen = vi.fn();
    table(false, onOpen);
    const inOrder = (): Element[] =>
      screen.getAllByRole('gridcell').filter((element) => element.getAttribute('tabindex') === '0');
    expect(inOrder()).toHaveLength(1);
    const [first] = inOrder();
    fireEvent.keyDown(first as Element, { key: 'ArrowRight' });
    fireEvent.keyDown(document.activeElement as Element, { key: 'ArrowDown' });
    expect(document.activeElement?.textContent).toMatch(/^HarmBench ASR, a @ 4/);
    fireEvent.keyDown(document.activeElement as Element, { key: 'Enter' });
    expect(onOpen).toHaveBeenCalledExactlyOnceWith(rows[1]?.cells[1], rows[1]?.cells[0]);
  });

  it('explains the signs that are in it, and no others', () => {
    show(<Legend matrix={matrix(rows, columns)} />);
    expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      '[95 % interval]',
      'Δ paired by item, Newcombe’s 95 % interval',
      '◪ hatched: partial',
      '⚠ grey: another judge',
    ]);
  });
});

describe('columns', () => {
  it('are chosen at the left, by run', () => {
    const onColumns = vi.fn();
    show(
      <SubjectList
        subjects={[
          subject('a@0'),
          subject('a@4', { evaluations: 3 }),
          subject('model:big', { kind: 'model', runId: null, runName: null, model: 'big', kept: false }),
        ]}
        shown={['a@0']}
        onColumns={onColumns}
      />,
    );
    fireEvent.click(screen.getByLabelText(/Step 4/));
    fireEvent.click(screen.getByLabelText(/Base/));
    expect(onColumns.mock.calls).toEqual([[['a@0', 'a@4']], [[]]]);
    expect(screen.getByText('files are gone')).toBeTruthy();
    expect(screen.queryByText(/Make its checkpoints/)).toBeNull();
    fireEvent.change(screen.getByLabelText('Find a run or model'), { target: { value: 'nobody' } });
    expect(screen.getByRole('status').textContent).toBe('No run or model has this in its name.');
  });
});

describe('columns of the recorded sample', () => {
  const shownOf = (kept: boolean): void => {
    const own = [subject('s@0', { sample: true, kept }), subject('s@2', { sample: true, kept: false })];
    show(<SubjectList subjects={own} shown={[]} onColumns={() => {}} />);
  };

  it('say that its weights do not ship and where some are made again', () => {
    shownOf(false);
    expect(screen.getAllByText('not shipped')).toHaveLength(2);
    expect(screen.getByText(/“Make its checkpoints” in the list of runs/)).toBeTruthy();
  });

  it('say no more where to make them once they are made', () => {
    shownOf(true);
    expect(screen.getAllByText('not shipped')).toHaveLength(1);
    expect(screen.queryByText(/Make its checkpoints/)).toBeNull();
  });
});

describe('an estimate', () => {
  it('tells cells, answers, time and its basis, and why others are left out', () => {
    show(
      <EstimateView
        estimate={{
          items: 164,
          seconds: 125,
          skipped: [
            { subject: 'a@0', suite: 'salad', why: 'Its set is not in the lab.' },
            { subject: 'a@4', suite: 'salad', why: 'Its set is not in the lab.' },
          ],
          cells: [
            { subject: 'a@0', suite: 'toy-refusal', items: 100, seconds: 125, basis: 'measured', done: 0 },
            { subject: 'a@4', suite: 'toy-choice', items: 64, seconds: null, basis: 'unknown', done: 12 },
          ],
        }}
      />,
    );
    expect(screen.getByText('2 cells, 164 answers')).toBeTruthy();
    expect(screen.getByText('About 2 min 05 s (estimated) without 1 cell of unknown pace.')).toBeTruthy();
    expect(screen.getByText('12 answers are graded already and kept.')).toBeTruthy();
    expect(screen.getByText('Left out: salad. Its set is not in the lab.')).toBeTruthy();
  });
  it('with nothing to do says so', () => {
    show(<EstimateView estimate={{ items: 0, seconds: 0, skipped: [], cells: [] }} />);
    expect(screen.getByText(/Nothing is left to be asked/)).toBeTruthy();
  });
});

describe('progress', () => {
  const job = {
    id: 'job-1',
    kind: 'evaluate',
    title: 'Evaluate demo @ 4',
    state: 'running' as const,
    done: 20,
    total: 64,
    unit: 'answer' as const,
    ratePerSecond: 4,
    etaSeconds: 11,
    problem: null,
  };
  it('of a running evaluation has count, rate and end, and can be stopped', () => {
    const onCancel = vi.fn();
    show(
      <EvaluationProgress
        jobs={[job]}
        unfinished={[]}
        isResuming={false}
        onCancel={onCancel}
        onResume={() => {}}
      />,
    );
    expect(screen.getByText('20 of 64 answers · 4/s · 11 s left')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(onCancel).toHaveBeenCalledWith('job-1');
  });
  it('of a cut-off one tells what is kept, and resumes with one button', () => {
    const onResume = vi.fn();
    show(
      <EvaluationProgress
        jobs={[]}
        unfinished={[
          { jobId: null, summary: summary('e1', { state: 'stopped', graded: 20 }) },
          { jobId: 'job-1', summary: summary('e2', { state: 'running' }) },
          // A run at work asks it itself, without a job of its own.
          { jobId: null, summary: summary('e3', { state: 'running' }) },
        ]}
        isResuming={false}
        onCancel={() => {}}
        onResume={onResume}
      />,
    );
    expect(screen.getByText('1 evaluation was cut off')).toBeTruthy();
    expect(screen.getByText(/20 graded answers are kept, 44 are still to be asked/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Resume' }));
    expect(onResume).toHaveBeenCalledWith(['e1']);
  });
  it('is not there when nothing is under way', () => {
    const { container } = show(
      <EvaluationProgress
        jobs={[{ ...job, state: 'done' }]}
        unfinished={[]}
        isResuming={false}
        onCancel={() => {}}
        onResume={() => {}}
      />,
    );
    expect(container.querySelector('.ui-job')).toBeNull();
  });
});

describe('suites', () => {
  it('stand by group with what they need and where their items are from', () => {
    const onPick = vi.fn();
    show(
      <SuiteTable
        suites={[
          suite('toy-refusal'),
          suite('humaneval', {
            title: 'HumanEval+',
            group: 'code',
            secondsPerItem: null,
            needs: { sandbox: true, judge: 'optional', maths: false },
            source: { kind: 'dataset', dataset: 'humaneval-plus', state: 'absent', note: 'Bring it.' },
          }),
        ]}
        picked={[]}
        onPick={onPick}
        selected={null}
        onSelect={() => {}}
      />,
    );
    expect(screen.getAllByRole('rowheader').map(({ textContent }) => textContent)).toEqual([
      'Coding',
      'Toy suites of the embedded policy',
    ]);
    expect(screen.getByText('sandbox, judge (optional)')).toBeTruthy();
    expect(screen.getByTitle('Bring it.').textContent).toBe('to be brought');
    fireEvent.click(screen.getByLabelText('Pick HumanEval+'));
    expect(onPick).toHaveBeenCalledWith('humaneval');
  });
});

describe('how suites ask', () => {
  const way = (name: string, says: string) => ({ name, temperature: 0, maxNewTokens: 96, samples: 1, says });
  const math = suite('math500', {
    title: 'MATH-500',
    protocols: [way('azr', 'Tags.'), way('boxed', 'A box.')],
  });

  it('is chosen for those that know several ways, and each way says what it is', () => {
    const onChosen = vi.fn();
    const { rerender } = show(
      <ProtocolPicker suites={[math, suite('toy-refusal')]} chosen={{}} onChosen={onChosen} />,
    );
    expect(screen.getAllByRole('combobox')).toHaveLength(1);
    expect((screen.getByLabelText('MATH-500') as HTMLSelectElement).value).toBe('azr');
    fireEvent.change(screen.getByLabelText('MATH-500'), { target: { value: 'boxed' } });
    expect(onChosen).toHaveBeenCalledWith('math500', 'boxed');
    rerender(<ProtocolPicker suites={[math]} chosen={{ math500: 'boxed' }} onChosen={onChosen} />);
    expect(screen.getByText('A box.')).toBeTruthy();
  });
  it('is not asked where there is one way only', () => {
    show(<ProtocolPicker suites={[suite('toy-refusal')]} chosen={{}} onChosen={() => {}} />);
    expect(screen.queryByRole('group')).toBeNull();
  });
});

describe('the bar over the figures', () => {
  it('offers the judges there are figures of, and none when there is one at most', () => {
    const onChange = vi.fn();
    const search = evaluationsSearch.parse({});
    const { rerender } = show(
      <MatrixBar
        search={search}
        matrix={{ columns: [], seeds: [1], limits: [64], judges: ['mild', 'strict'] }}
        onChange={onChange}
      />,
    );
    fireEvent.change(screen.getByLabelText('Judge'), { target: { value: 'strict' } });
    expect(onChange).toHaveBeenCalledWith({ judge: 'strict' });
    rerender(
      <MatrixBar
        search={search}
        matrix={{ columns: [], seeds: [1, 7], limits: [64], judges: ['mild'] }}
        onChange={onChange}
      />,
    );
    expect(screen.queryByLabelText('Judge')).toBeNull();
    fireEvent.change(screen.getByLabelText('Seed'), { target: { value: '7' } });
    expect(onChange).toHaveBeenLastCalledWith({ seed: 7 });
  });
});

describe('the items of a suite to be asked', () => {
  it.each([
    ['', { limit: null, isWrong: false }],
    [20, { limit: 20, isWrong: false }],
    [0, { limit: null, isWrong: true }],
    [-5, { limit: null, isWrong: true }],
    ['abc', { limit: null, isWrong: true }],
  ])('%j in the box is all, a number, or wrong', (items, wanted) => {
    expect(limitOf(items)).toEqual(wanted);
  });

  it('are taken as they are typed, also below zero, and nothing starts while they are wrong', () => {
    const request = { subjects: ['a@4'], suites: ['toy-refusal'], seed: 1, context: null };
    const done = { suite: 'toy-refusal', subject: 'a@4', items: 5, done: 0, seconds: 1, basis: 'measured' };
    // What each order would take is known, so that only the box can hold it back.
    for (const limit of [null, 5, 20])
      queryClient.setQueryData(
        ['evaluations.estimate', { ...request, limit, judge: null, protocols: {}, again: false }],
        { cells: [done], items: 5, seconds: 1, skipped: [] },
      );
    queryClient.setQueryData(['evaluations.suites', undefined], []);
    queryClient.setQueryData(['judges.list', undefined], []);
    queryClient.setQueryData(['judges.chosen', undefined], null);
    show(
      <QueryClientProvider client={queryClient}>
        <EvaluationDialog
          isOpen
          request={{ ...request, limit: 20 }}
          onClose={() => {}}
          onStarted={() => {}}
        />
      </QueryClientProvider>,
    );
    const box = screen.getByLabelText<HTMLInputElement>('Items per suite');
    const start = screen.getByRole<HTMLButtonElement>('button', { name: 'Run 1 cell' });
    const typed = (text: string): [string, boolean, boolean] => {
      fireEvent.change(box, { target: { value: text } });
      return [
        box.value,
        screen.queryByText('Between 1 and 100,000; empty for all.') !== null,
        start.disabled,
      ];
    };
    expect(typed('-5')).toEqual(['-5', true, true]);
    expect(typed('0')).toEqual(['0', true, true]);
    expect(typed('5')).toEqual(['5', false, false]);
    expect(typed('')).toEqual(['', false, false]);
  });

  it('that cannot be asked are told in the dialog itself, not in a notice that lies under it', async () => {
    const request = { subjects: ['a@4'], suites: ['toy-refusal'], limit: 5, seed: 1, context: null };
    show(
      <QueryClientProvider client={queryClient}>
        <EvaluationDialog isOpen request={request} onClose={() => {}} onStarted={() => {}} />
      </QueryClientProvider>,
    );
    fireEvent.click(screen.getByRole('button', { name: 'Run 1 cell' }));
    // As an engine that refuses the order would have it: none is there to take it.
    const order = queryClient.getMutationCache().getAll().at(-1);
    await act(async () =>
      order?.options.onError?.(new Error('The disk is full.'), null, undefined, {} as never),
    );
    const dialog = within(screen.getByRole('dialog'));
    expect(dialog.getByRole('alert').textContent).toContain('The disk is full.');
    expect(useNotices.getState().notices).toEqual([]);
  });
});
