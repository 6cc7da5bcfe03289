// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ReviewRecord } from '../../../../electron/contract/index.ts';
import {
  matchesRecorded,
  reviewedAt,
  STOPS,
  useTourProgress,
  type Coins,
} from '../../../../renderer/rooms/tour/model.ts';
import { StopList } from '../../../../renderer/rooms/tour/stop-frame.tsx';
import { GateView } from '../../../../renderer/rooms/tour/stops/gate.tsx';
import { mostToRead } from '../../../../renderer/rooms/tour/stops/reviews.tsx';
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

  it('is one that somebody was asked for, where nothing was found', () => {
    const of = (id: string, decision: ReviewRecord['decision']): ReviewRecord =>
      ({ id, phase: 'plan', issues: [], status: 'done', decision }) as unknown as ReviewRecord;
    expect(mostToRead([of('1', null), of('2', 'continue')], 'plan')?.id).toBe('2');
    expect(mostToRead([of('1', null)], 'plan')?.id).toBe('1');
  });
});

describe('the stops', () => {
  it('are four, and a done one is told by words, not by its mark alone', () => {
    useTourProgress.getState().finish('gate');
    const before = useTourProgress.getState();
    useTourProgress.getState().finish('gate');
    expect(useTourProgress.getState()).toBe(before);
    show(<StopList stop="phases" done={before.done} onGo={() => {}} />);
    expect(screen.getAllByRole('button')).toHaveLength(STOPS.length);
    expect(STOPS).toHaveLength(4);
    expect(screen.getByRole('button', { name: /^A coin for every item ?\(done\)$/ })).toBeTruthy();
  });
});
