// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ReviewRecord } from '../../../../electron/contract/index.ts';
import {
  differenceFrom,
  lineChanges,
  matchesRecorded,
  reviewedAt,
  STOPS,
  weightScores,
  useTourProgress,
  type Coins,
  type Evaluation,
} from '../../../../renderer/rooms/tour/model.ts';
import { StopList } from '../../../../renderer/rooms/tour/stop-frame.tsx';
import { BaselineView } from '../../../../renderer/rooms/tour/stops/baseline.tsx';
import { DiffView } from '../../../../renderer/rooms/tour/stops/contexts.tsx';
import { GateView } from '../../../../renderer/rooms/tour/stops/gate.tsx';
import { mostToRead, reviewedSolution } from '../../../../renderer/rooms/tour/stops/reviews.tsx';
import { show } from '../../ui/show.tsx';

afterEach(cleanup);

const coins: Coins = {
  step: 4,
  coins: { task: [0.1, 0.2, 0.5], plan: [0.295, 0.305], thought: [0.9], output: [], exec: [0.05] },
  recorded: { task: 2, plan: 1, thought: 0, output: 0, exec: 1 },
};

describe('the gate', () => {
  it('reviews the items whose coin is below p: none at 0, all at 1', () => {
    expect(Object.values(reviewedAt(coins.coins, 0))).toEqual([0, 0, 0, 0, 0]);
    expect(Object.values(reviewedAt(coins.coins, 1))).toEqual([3, 2, 1, 0, 1]);
    expect([0.28, 0.3, 0.32].map((p) => matchesRecorded(coins, p))).toEqual([false, true, false]);
  });

  it('is done when the slider stands where the run stood', () => {
    const onDone = vi.fn();
    show(<GateView coins={coins} onDone={onDone} />);
    const slider = screen.getByRole('slider', { name: 'Review probability p in every phase' });
    for (let presses = 0; presses < 49; presses += 1) fireEvent.keyDown(slider, { key: 'ArrowLeft' });
    expect(onDone).not.toHaveBeenCalled();
    fireEvent.keyDown(slider, { key: 'ArrowLeft' });
    expect(onDone).toHaveBeenCalledOnce();
    expect(screen.getByRole('status').textContent).toContain('p = 0.30');
  });
});

describe('a context against the one before', () => {
  it('tells what stayed, came and left', () => {
    expect(lineChanges(['a', 'b'], ['b', 'c'])).toEqual([
      { text: 'b', change: 'kept' },
      { text: 'c', change: 'added' },
      { text: 'a', change: 'removed' },
    ]);
  });

  it('is done at a step at which a line left, and says why it did', () => {
    const onRemoval = vi.fn();
    const { rerender } = show(
      <DiffView step={3} changes={lineChanges([], ['a'])} reasons={new Map()} onRemoval={onRemoval} />,
    );
    expect(onRemoval).not.toHaveBeenCalled();
    rerender(
      <DiffView
        step={4}
        changes={lineChanges(['a'], [])}
        reasons={new Map([['a', 'conflict']])}
        onRemoval={onRemoval}
      />,
    );
    expect(onRemoval).toHaveBeenCalledOnce();
    expect(screen.getByRole('listitem').textContent).toContain('it contradicts a new line');
  });
});

describe('scores', () => {
  const evaluation = (
    suite: string,
    runId: string,
    step: number,
    passed: number,
    contextHash: string | null = null,
  ): Evaluation => ({ suite, runId, step, passed, n: 60, contextHash }) as Evaluation;
  const rows = weightScores([
    evaluation('toy-refusal', 'sample-supervised', 0, 48),
    evaluation('toy-refusal', 'sample-alone', 20, 18),
    evaluation('toy-refusal', 'sample-supervised', 20, 33),
    evaluation('toy-refusal', 'sample-supervised', 20, 60, 'f0'),
  ]);

  it('are those of the weights alone, of the start and both ends', () => {
    expect(rows).toEqual([
      {
        suite: 'toy-refusal',
        scores: {
          start: { passed: 48, n: 60 },
          alone: { passed: 18, n: 60 },
          supervised: { passed: 33, n: 60 },
        },
      },
    ]);
    expect(differenceFrom(rows[0] as (typeof rows)[number], 'alone', 'supervised')).toBeCloseTo(0.25, 10);
    expect(differenceFrom({ suite: 'x', scores: {} }, 'alone', 'start')).toBeNull();
  });

  it('read the other way round when the baseline is flipped', () => {
    const onFlip = vi.fn();
    show(<BaselineView rows={rows} onFlip={onFlip} />);
    expect(screen.getByText('↓ −25.0 points')).toBeTruthy();
    fireEvent.click(screen.getByRole('radio', { name: 'alone' }));
    expect(onFlip).toHaveBeenCalledOnce();
    expect(screen.getByText('↑ +25.0 points')).toBeTruthy();
    expect(screen.getByText('higher is better')).toBeTruthy();
  });
});

describe('the record to judge', () => {
  it('is a reviewed solution, one that was sent back before any other', () => {
    const review = (
      id: string,
      rolloutId: string | null,
      decision: 'continue' | 'retry',
      batch = 'pred_code_o',
    ): ReviewRecord => ({ id, rolloutId, decision, batch, status: 'done' }) as ReviewRecord;
    expect(
      reviewedSolution([
        review('1', 'a', 'continue'),
        review('2', 'a', 'continue'),
        review('3', 'b', 'retry'),
        review('4', 'c', 'retry', 'gen_code_o'),
        review('5', null, 'continue'),
      ]),
    ).toBe('b');
    expect(reviewedSolution([])).toBeNull();
  });
});

describe('the review of a phase', () => {
  it('is one that found something, where there is one', () => {
    const review = (id: string, phase: string, issues: string[], status = 'done'): ReviewRecord =>
      ({ id, phase, issues, status }) as ReviewRecord;
    const reviews = [
      review('1', 'plan', []),
      review('2', 'plan', ['no_trace']),
      review('3', 'task', []),
      review('4', 'exec', ['x'], 'failed'),
    ];
    expect([
      mostToRead(reviews, 'plan')?.id,
      mostToRead(reviews, 'task')?.id,
      mostToRead(reviews, 'exec'),
    ]).toEqual(['2', '3', null]);
  });
});

describe('the stops', () => {
  it('are nine, and a done one is told by words, not by its mark alone', () => {
    useTourProgress.getState().finish('gate');
    const before = useTourProgress.getState();
    useTourProgress.getState().finish('gate');
    expect(useTourProgress.getState()).toBe(before);
    show(<StopList stop="live" done={before.done} onGo={() => {}} />);
    expect(screen.getAllByRole('button')).toHaveLength(STOPS.length);
    expect(STOPS).toHaveLength(9);
    expect(screen.getByRole('button', { name: /^A coin for every item ?\(done\)$/ })).toBeTruthy();
  });
});
