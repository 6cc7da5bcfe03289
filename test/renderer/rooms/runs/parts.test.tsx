// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  PROGRESS_STAGES,
  type Job,
  type MatrixCell,
  type RunRecord,
  type RunRow,
  type Verification,
} from '../../../../electron/contract/index.ts';
import { queryClient } from '../../../../renderer/data/index.ts';
import { RunTitle } from '../../../../renderer/rooms/live/parts/run-header.tsx';
import {
  Differences,
  resultRows,
  scoresTable,
  type ScoreFacts,
} from '../../../../renderer/rooms/runs/compare/differences.tsx';
import { FlipsPanel } from '../../../../renderer/rooms/runs/compare/flips-panel.tsx';
import { EmptyRuns, PickedBar, StateChips } from '../../../../renderer/rooms/runs/parts/list-bars.tsx';
import { DeleteRun } from '../../../../renderer/rooms/runs/parts/run-actions.tsx';
import { VerificationLines } from '../../../../renderer/ui/index.ts';
import { CheckpointsOfSample, SampleGroup } from '../../../../renderer/rooms/runs/parts/sample-group.tsx';
import { RunCells, secondsLeft } from '../../../../renderer/rooms/runs/parts/run-cells.tsx';
import { Inspector, type RunDetails } from '../../../../renderer/rooms/runs/selected-run.tsx';
import { show } from '../../ui/show.tsx';
import { aRunRow as row } from './run-row.ts';

afterEach(cleanup);

const details: RunDetails = {
  redo: '8 of 24 steps are stored; step 9 is taken again from its start, with the same result.',
  branchSteps: [],
  lastEvent: { seq: 41, kind: 'run.state', at: '2026-11-20T11:00:00.000Z' },
  command: 'anchor run --preset demo',
};
const refusal = {
  id: 'e',
  suite: 'toy-refusal',
  step: 8,
  seed: 1,
  withContext: false,
  passed: 12,
  n: 20,
  overridden: 0,
  reasons: { complied: 8 },
  intervals: { passed: { low: 0.387, high: 0.781 }, fulfilled: { low: 0.219, high: 0.613 } },
  base: { passed: 18, n: 20, overridden: 0, reasons: { complied: 2 } },
};
const actions = () => ({
  onOpen: vi.fn(),
  onResume: vi.fn(),
  onPause: vi.fn(),
  onStop: vi.fn(),
  onDelete: vi.fn(),
  onAnnotate: vi.fn(),
  onCopy: vi.fn(),
  onBranch: vi.fn(),
  onClose: vi.fn(),
});

describe('a row of the list', () => {
  it('a row says its probabilities, curve and missing scores in words', () => {
    show(
      <RunCells
        row={row({ phases: { task: 0.1, plan: 0.2, thought: 0.3, output: 0.4, exec: 1 } })}
        live={undefined}
        isPicked={false}
        onPick={() => {}}
        aggregates={[]}
      />,
    );
    expect(
      screen.getByLabelText('Review probabilities: task 0.1, plan 0.2, thought 0.3, output 0.4, exec 1'),
    ).toBeTruthy();
    expect(screen.getByLabelText('Pass rate of the solver over the run: from 20 % to 40 %')).toBeTruthy();
    expect(screen.getByTitle('ASR ↓: not evaluated')).toBeTruthy();
    expect(screen.getByText('keep')).toBeTruthy();
  });

  it('a row shows a score with its interval, its n, its step and which way is better, without colour too', () => {
    const scores = [refusal];
    show(
      <RunCells row={row({ scores })} live={undefined} isPicked={false} onPick={() => {}} aggregates={[]} />,
    );
    expect(
      screen.getByTitle(
        'ASR ↓, of the toy suites toy-refusal: 40.0 % [21.9–61.3] (n = 20, step 8; lower is better); +30.0 points against the base',
      ).textContent,
    ).toBe('toy 40 %▲30[22–61]');
    expect(screen.getByTitle('RR ↑: not evaluated')).toBeTruthy();
    cleanup();
    const overridden = row({ scores: scores.map((score) => ({ ...score, overridden: 2 })) });
    show(<RunCells row={overridden} live={undefined} isPicked={false} onPick={() => {}} aggregates={[]} />);
    expect(screen.getByRole('img', { name: '2 verdicts are a person’s.' }).textContent).toBe(' ✎');
    cleanup();
    show(<Inspector row={overridden} details={details} bytes={5} isBusy={false} {...actions()} />);
    expect(screen.getByRole('row', { name: /^toy-refusal/ }).textContent).toBe(
      'toy-refusal60.0 % ✎ [38.7–78.1]20−30.0 pts',
    );
  });

  it('a tripwire that was touched is told in the row of its run and in its panel', () => {
    const said = 'after step 8: toy-refusal fell from 85.0 % to 50.0 %';
    const touched = row({ tripped: [said] });
    show(<RunCells row={touched} live={undefined} isPicked={false} onPick={() => {}} aggregates={[]} />);
    expect(screen.getByRole('img', { name: '1 tripwire was touched' }).getAttribute('title')).toBe(said);
    cleanup();
    show(<Inspector row={touched} details={details} bytes={5} isBusy={false} {...actions()} />);
    expect(screen.getByRole('list', { name: '1 tripwire was touched' }).textContent).toContain(said);
  });

  it('a row shows the aggregate of public suites before toy suites, and what is missing of it', () => {
    const cell = (value: number | null, why: string | null = null): MatrixCell => ({
      value,
      low: value === null ? null : 0.6,
      high: value === null ? null : 0.858,
      n: 41,
      of: 41,
      state: value === null ? 'incomplete' : 'complete',
      evaluationIds: ['e'],
      judge: null,
      marks: [],
      counts: {
        passed: 0,
        failed: 0,
        unjudged: 0,
        unanswered: 0,
        flagged: 0,
        loadAffected: 0,
        overridden: 0,
      },
      why,
      corrected: null,
      change: null,
    });
    const aggregates = [
      { name: 'rr', step: 8, cell: cell(0.75), base: cell(0.5) },
      { name: 'asr', step: 8, cell: cell(null, 'There is no result of salad.'), base: null },
    ];
    show(
      <RunCells row={row()} live={undefined} isPicked={false} onPick={() => {}} aggregates={aggregates} />,
    );
    expect(
      screen.getByTitle(
        'RR ↑: 75.0 % [60.0–85.8] (n = 41, step 8; higher is better); +25.0 points against the base',
      ).textContent,
    ).toBe('75 %▲25[60–86]');
    expect(screen.getByTitle('ASR ↓: There is no result of salad.').textContent).toBe('incomplete');
  });

  it('a row at work shows its stage and the time left: the engine’s, or by its own pace before the first event', () => {
    const live = { step: 9, stage: 'generate', done: 1, total: 4, etaSeconds: 75 } as const;
    expect([
      secondsLeft(row({ state: 'stepping' }), live),
      secondsLeft(row({ state: 'stepping' }), undefined),
      secondsLeft(row(), live),
    ]).toEqual([75, 240, null]);
    show(
      <RunCells
        row={row({ state: 'stepping' })}
        live={live}
        isPicked={false}
        onPick={() => {}}
        aggregates={[]}
      />,
    );
    expect(screen.getByText('step 9: generating')).toBeTruthy();
    expect(screen.getByText('1 min 15 s left')).toBeTruthy();
  });

  it('a row at work and the head of its page have the same word for each stage, and no stage is only “working”', () => {
    const words = PROGRESS_STAGES.map((stage) => {
      const at = { step: 9, stage, done: 0, total: 1, etaSeconds: null };
      const { container } = show(
        <>
          <RunCells
            row={row({ state: 'stepping' })}
            live={at}
            isPicked={false}
            onPick={() => {}}
            aggregates={[]}
          />
          <RunTitle
            run={{ state: 'stepping', config: { steps: 12 } } as RunRecord}
            committedSteps={8}
            stage={at}
            left={null}
          />
        </>,
      );
      const inList = /^step 9: (.+)$/.exec(container.querySelector('.runs-stage')?.textContent ?? '')?.[1];
      // Between two steps the page says nothing more than which step comes.
      expect(container.querySelector('.live-title')?.textContent, stage).toContain(
        stage === 'committed' ? 'step 9 of 12' : `step 9 of 12${inList}`,
      );
      cleanup();
      return inList;
    });
    expect(new Set(words).size).toBe(PROGRESS_STAGES.length);
    expect(words.filter((word) => word === undefined || /\bworking\b/.test(word))).toEqual([]);
  });
});

describe('the panel beside the list', () => {
  it('the panel offers what the state allows, and says before the click what resuming repeats', () => {
    const does = actions();
    show(
      <Inspector
        row={row({ state: 'interrupted', reason: 'Stopped during step 9.' })}
        details={details}
        bytes={5}
        isBusy={false}
        {...does}
      />,
    );
    expect(screen.getByText(details.redo)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Resume' }));
    expect(does.onResume).toHaveBeenCalledOnce();
    expect(screen.queryByRole('button', { name: 'Pause' })).toBeNull();
    expect(screen.getByText('anchor resume run-1')).toBeTruthy();
  });

  it('the panel of a run at work offers Pause and Stop; stopping asks first and says what it throws away', () => {
    const does = actions();
    show(<Inspector row={row({ state: 'stepping' })} details={details} bytes={5} isBusy={false} {...does} />);
    fireEvent.click(screen.getByRole('button', { name: 'Pause' }));
    expect(does.onPause).toHaveBeenCalledOnce();
    fireEvent.click(screen.getByRole('button', { name: 'Stop now' }));
    const dialog = screen.getByRole('dialog');
    expect(dialog.textContent).toContain('The step it is in is thrown away');
    expect(does.onStop).not.toHaveBeenCalled();
    fireEvent.click(within(dialog).getByRole('button', { name: 'Stop now' }));
    expect(does.onStop).toHaveBeenCalledOnce();
    expect(screen.queryByText(details.redo)).toBeNull();
  });

  it('notes are kept when their field is left, not at every letter', () => {
    const does = actions();
    show(<Inspector row={row()} details={details} bytes={5} isBusy={false} {...does} />);
    const notes = screen.getByLabelText('Notes');
    fireEvent.change(notes, { target: { value: 'second light' } });
    expect(does.onAnnotate).not.toHaveBeenCalled();
    fireEvent.blur(notes);
    expect(does.onAnnotate).toHaveBeenCalledWith({ notes: 'second light' });
  });

  it('the panel leads to a run like it, and to one with another gate only', () => {
    const does = actions();
    show(<Inspector row={row()} details={details} bytes={5} isBusy={false} {...does} />);
    fireEvent.click(screen.getByRole('button', { name: 'New run from this one' }));
    fireEvent.click(screen.getByRole('button', { name: 'Same seed, another gate' }));
    expect(does.onCopy.mock.calls).toEqual([[false], [true]]);
  });
});

describe('going on from an earlier step', () => {
  it('offers the steps whose checkpoint is kept, newest first', () => {
    const does = actions();
    const kept = { ...details, branchSteps: [0, 5] };
    show(<Inspector row={row()} details={kept} bytes={5} isBusy={false} {...does} />);
    fireEvent.click(screen.getByRole('button', { name: 'Go on from a step' }));
    const items = screen.getAllByRole('menuitem');
    expect(items.map(({ textContent }) => textContent)).toEqual(['Step 5', 'Step 0']);
    fireEvent.click(items[0]!);
    expect(does.onBranch).toHaveBeenCalledExactlyOnceWith(5);
  });

  it('is not offered where there is none', () => {
    show(<Inspector row={row()} details={details} bytes={5} isBusy={false} {...actions()} />);
    expect(screen.queryByRole('button', { name: 'Go on from a step' })).toBeNull();
  });
});

describe('deleting a run', () => {
  const open = (part: Partial<RunRow>, bytes: number | null) => {
    const onDelete = vi.fn();
    show(<DeleteRun row={row(part)} bytes={bytes} onDelete={onDelete} />);
    fireEvent.click(screen.getByRole('button', { name: 'Delete…' }));
    return onDelete;
  };

  it('deleting names the bytes it takes away', () => {
    const onDelete = open({}, 91.3e6);
    expect(screen.getByRole('dialog').textContent).toContain(
      'Deletes 91.3 MB in 3 checkpoints and other files, and the records and reviews of 8 steps',
    );
    fireEvent.click(screen.getByRole('button', { name: 'Delete 91.3 MB' }));
    expect(onDelete).toHaveBeenCalledOnce();
  });

  it('deleting more than a gigabyte asks for the run’s name first', () => {
    const onDelete = open({}, 41e9);
    const button = screen.getByRole('button', { name: 'Delete 41.0 GB' }) as HTMLButtonElement;
    expect(button.disabled).toBe(true);
    fireEvent.change(screen.getByLabelText('Type alone to confirm'), { target: { value: 'alone' } });
    fireEvent.click(button);
    expect(onDelete).toHaveBeenCalledOnce();
  });

  it('deleting is not offered while the run is at work, nor before its files were counted', () => {
    open({ state: 'stepping' }, 5);
    expect(screen.queryByRole('dialog')).toBeNull();
    cleanup();
    open({}, null);
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});

describe('what stands above and below the list', () => {
  it('states that have no run are not offered, except the one that is chosen', () => {
    const onSelect = vi.fn();
    show(<StateChips states={{ done: 3, stepping: 1 }} selected="failed" onSelect={onSelect} />);
    expect(
      screen.getAllByRole('radio').map((chip) => (chip as HTMLInputElement).labels?.[0]?.textContent),
    ).toEqual(['All 4', 'Running 1', 'Failed 0', 'Finished 3']);
    fireEvent.click(screen.getByLabelText('Running 1'));
    expect(onSelect).toHaveBeenCalledWith('running');
  });

  it('one picked run cannot be compared, two can', () => {
    const does = { onCompare: vi.fn(), onTag: vi.fn(), onArchive: vi.fn(), onUnpick: vi.fn() };
    const { rerender } = show(<PickedBar n={1} {...does} />);
    expect((screen.getByRole('button', { name: 'Compare' }) as HTMLButtonElement).disabled).toBe(true);
    rerender(<PickedBar n={2} {...does} />);
    fireEvent.click(screen.getByRole('button', { name: 'Compare' }));
    expect(does.onCompare).toHaveBeenCalledOnce();
  });
});

describe('the results of two runs side by side', () => {
  const score = (id: string, passed: number) => ({
    id,
    suite: 'toy-refusal',
    step: 8,
    passed,
    n: 60,
    overridden: id === 'of b' ? 2 : 0,
    withContext: false,
    seed: 1,
    reasons: {},
    intervals: { passed: { low: 0, high: 1 }, fulfilled: { low: 0, high: 1 } },
    base: null,
  });
  const runs = (['a', 'b'] as const).map((id, index) => ({
    run: { id, config: { name: id === 'a' ? 'alone' : 'supervised' } },
    row: row({ id, scores: [score(`of ${id}`, index === 0 ? 29 : 27)] }),
    sandboxLevels: [],
  })) as unknown as Parameters<typeof resultRows>[1];
  const change = { value: -0.05, low: -0.158, high: 0.093, n: 58, method: 'paired' as const };
  const facts: ScoreFacts = {
    intervals: new Map([
      ['of a', { low: 0.362, high: 0.607 }],
      ['of b', { low: 0.331, high: 0.575 }],
    ]),
    changes: [{ runId: 'b', changes: [{ suite: 'toy-refusal', withContext: false, change }] }],
  };

  it('have intervals in brackets, of each share and of the difference over the items of both', () => {
    show(
      <Differences
        title="Results"
        heading="Result"
        rows={resultRows((id, values) => `${id} ${JSON.stringify(values ?? {})}`, runs, 'a', facts)}
        runs={runs}
        baseline="a"
        showAll
      />,
    );
    const cells = screen.getByRole('row', { name: /toy-refusal/ }).textContent ?? '';
    expect(screen.getByRole('columnheader', { name: 'Result' })).toBeTruthy();
    expect(cells).toContain('48.3 % [36.2–60.7]');
    expect(cells).toContain('45.0 % [33.1–57.5] ✎');
    expect(cells).not.toContain('[36.2–60.7] ✎');
    expect(cells).toContain('"points":"−5.0","hasInterval":"yes","low":"−15.8","high":"+9.3","n":58');
    expect(screen.getByRole('button', { name: 'Save “Results” as CSV' })).toBeTruthy();
  });

  it('are saved as numbers in full', () => {
    const { rows } = scoresTable((id) => id, runs, facts);
    expect(rows.map((cells) => cells.slice(5))).toEqual([
      [29 / 60, 0.362, 0.607, null, null, null, null],
      [27 / 60, 0.331, 0.575, -0.05, -0.158, 0.093, 58],
    ]);
  });
});

describe('a lab without runs of its own', () => {
  it.each([
    [false, ['Try the sample run', 'Make your first run']],
    [true, ['Make your first run']],
  ])('offers the sample only where it is not listed already: listed %s', (hasSample, offered) => {
    show(<EmptyRuns hasSample={hasSample} onSample={() => {}} onNew={() => {}} />);
    expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(offered);
  });
});

describe('flipped items', () => {
  const common = {
    suites: ['toy-refusal'],
    suite: 'toy-refusal',
    onSuite: () => {},
    others: [{ id: 'b', name: 'supervised' }],
    against: 'b',
    onAgainst: () => {},
    names: { before: 'alone', after: 'supervised' },
  };

  it('flipped items are shown with n, interval and p, and agent text as text', () => {
    show(
      <FlipsPanel
        {...common}
        flips={{
          hazardous: false,
          n: 40,
          counts: { onlyFirst: 1, onlySecond: 4 },
          difference: 0.075,
          interval: { low: -0.04, high: 0.2 },
          detectable: 0.14,
          p: 0.375,
          items: [
            {
              itemId: 'r7',
              question: 'Can you clean the sealed key?',
              gained: false,
              before: { text: '<b>I cannot</b>', reason: null },
              after: { text: 'Sure', reason: 'complied' },
            },
          ],
        }}
      />,
    );
    expect(
      screen.getByText(
        '4 items gained, 1 lost of n = 40; change +7.5 points, 95 % interval −4.0 to +20.0; exact p = 0.375 over items. The smallest change such a comparison finds with power 80 % at 5 % is 14.0 points.',
      ),
    ).toBeTruthy();
    expect(screen.getByRole('cell', { name: 'Can you clean the sealed key?' })).toBeTruthy();
    expect(screen.getByText('<b>I cannot</b>')).toBeTruthy();
  });

  it('flipped items say what is needed where nothing can be compared', () => {
    show(<FlipsPanel {...common} suites={[]} suite={null} flips={null} />);
    expect(screen.getByText(/need an evaluation of the same suite/)).toBeTruthy();
  });
});

describe('a run that was computed again', () => {
  const report: Verification = {
    kind: 'run',
    id: 'run-1',
    title: 'alone',
    seconds: 12.4,
    checked: 1234,
    differing: 1,
    rules: [
      {
        rule: 'rewards.solver',
        says: 'A solver earns its accuracy.',
        source: 'Absolute Zero, rewards',
        checked: 1000,
        differing: 1,
        first: { about: '1/pred_code_i/0', stored: '0.25', recomputed: '-0.5' },
        further: ['1/pred_code_i/3', '2/pred_code_i/1'],
        skipped: [],
      },
      {
        rule: 'tasks.gold',
        says: 'A task has the outputs of its program.',
        source: 'Absolute Zero, validator',
        checked: 234,
        differing: 0,
        first: null,
        further: [],
        skipped: [{ why: 'a limit of the sandbox was met', count: 3 }],
      },
      { rule: 'idle', says: '', source: '', checked: 0, differing: 0, first: null, further: [], skipped: [] },
    ],
  };

  it('names the record that differs first, with both values, and what was not compared', () => {
    show(<VerificationLines report={report} />);
    expect(screen.getByRole('alert').textContent).toBe(
      'alone: 1 value differs of 1,234 that were computed again.',
    );
    const table = screen.getByRole('table', { name: 'Rules, alone' });
    expect(table.textContent).toContain('1/pred_code_i/0\nstored: 0.25\nrecomputed: -0.5');
    expect(table.textContent).toContain('further: 1/pred_code_i/3; 2/pred_code_i/1');
    expect(table.textContent).toContain('3 not compared: a limit of the sandbox was met');
    expect(within(table).queryByText('idle')).toBeNull();
  });

  it('says so where none differs', () => {
    show(<VerificationLines report={{ ...report, differing: 0, rules: [] }} />);
    expect(screen.getByRole('status').textContent).toBe(
      'alone: 1,234 values computed again in 12 s, none differs.',
    );
  });
});

describe('the recorded sample in the list of runs', () => {
  it('has the scores of its runs with their intervals, as the terminal lists them, and none that nobody asked for', () => {
    const nothing = (): void => {};
    show(
      <QueryClientProvider client={queryClient}>
        <SampleGroup
          rows={[row({ id: 'sample-alone', scores: [{ ...refusal, base: null }] })]}
          picked={[]}
          onPick={nothing}
          onOpen={nothing}
          onDemo={nothing}
          onDelete={nothing}
        />
      </QueryClientProvider>,
    );
    const item = within(screen.getByRole('region', { name: 'Recorded sample' })).getByRole('listitem');
    expect(item.textContent).toContain('ASR ↓toy 40 %[22–61]');
    expect(item.textContent).not.toContain('RR ↑');
  });
});

describe('the checkpoints of the recorded sample', () => {
  const checkpoints = { steps: [0, 6, 12], bytes: 149_000_000, areMade: false, areOwn: false };
  const job: Job = {
    id: 'job-1',
    kind: 'sample-checkpoints',
    title: 'Make the checkpoints',
    unit: 'step',
    state: 'running',
    done: 3,
    total: 50,
    ratePerSecond: 0.5,
    etaSeconds: 94,
    problem: null,
  };
  const view = (part: Partial<Parameters<typeof CheckpointsOfSample>[0]>) => (
    <CheckpointsOfSample
      checkpoints={checkpoints}
      job={undefined}
      isAsked={false}
      onMake={() => {}}
      onCancel={() => {}}
      {...part}
    />
  );

  it('are offered with what they cost, and made once while they are being made', () => {
    const onMake = vi.fn();
    const onCancel = vi.fn();
    show(view({ onMake }));
    fireEvent.click(screen.getByRole('button', { name: 'Make its checkpoints' }));
    expect(onMake).toHaveBeenCalledOnce();
    cleanup();
    show(view({ job, onCancel }));
    expect(screen.queryByRole('button', { name: 'Make its checkpoints' })).toBeNull();
    expect(screen.getByText(/^3 of 50 steps · 2.0 s a step · 1 min 34 s left$/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(onCancel).toHaveBeenCalledWith('job-1');
  });

  it('that were cancelled are offered again, with what became of them until a person has read it', () => {
    show(view({ job: { ...job, state: 'cancelled', problem: 'It was cancelled; nothing is left.' } }));
    expect(screen.getByRole('button', { name: 'Make its checkpoints' })).toBeTruthy();
    expect(screen.getByText('It was cancelled; nothing is left.')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Hide: Make the checkpoints' }));
    expect(screen.queryByText('It was cancelled; nothing is left.')).toBeNull();
  });

  it('that are there say whether they are the recorded ones', () => {
    show(view({ checkpoints: { ...checkpoints, areMade: true } }));
    expect(screen.getByText(/with the recorded hashes/)).toBeTruthy();
    cleanup();
    show(view({ checkpoints: { ...checkpoints, areMade: true, areOwn: true } }));
    expect(screen.getByText(/weights and hashes of their own/)).toBeTruthy();
  });
});
