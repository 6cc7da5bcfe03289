// @vitest-environment happy-dom
import { act, cleanup, render } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LiveEvent, SequencedEvent } from '../../../electron/contract/index.ts';
import type * as DataModule from '../../../renderer/data/index.ts';

type Data = typeof DataModule;
let data: Data;
beforeEach(async () => {
  vi.resetModules(); // where a window stands belongs to the window: each test is one that was just opened
  data = await import('../../../renderer/data/index.ts');
  for (const path of ['runs.list', 'runs.get', 'records.page', 'jobs.list', 'library.models'])
    data.queryClient.setQueryData([path, {}], {});
});
afterEach(cleanup);

const progress = (runId: string, step: number): LiveEvent => ({
  kind: 'progress',
  runId,
  step,
  steps: 9,
  stage: 'generate',
  done: 0,
  total: 1,
  unit: 'step',
  ratePerSecond: null,
  etaSeconds: null,
});
const numbered = (from: number, ...events: LiveEvent[]): SequencedEvent[] =>
  events.map((event, index) => ({ seq: from + index, at: '2026-01-01T00:00:00.000Z', event }));
const stale = (): string[] =>
  data.queryClient
    .getQueryCache()
    .getAll()
    .filter((query) => query.state.isInvalidated)
    .map((query) => String(query.queryKey[0]))
    .sort();
const everything = ['jobs.list', 'library.models', 'records.page', 'runs.get', 'runs.list'];

/** Shows a component that hears live events; returns what it heard. */
function listen(): number[] {
  const heard: number[] = [];
  function Listener() {
    data.useLiveEvents((events) => heard.push(...events.map(({ seq }) => seq)));
    return null;
  }
  render(<Listener />);
  return heard;
}
const receive = (epoch: string, events: SequencedEvent[], missed = false): void =>
  act(() => data.receive({ epoch, events, missed }));

describe('live events', () => {
  it('are heard once and in order, also when a batch comes twice or overlaps', () => {
    const heard = listen();
    receive('a', []);
    receive('a', numbered(5, progress('r', 1), progress('r', 2)));
    receive('a', numbered(5, progress('r', 1), progress('r', 2)));
    receive('a', numbered(6, progress('r', 2), progress('r', 3)));
    expect(heard).toEqual([5, 6, 7]);
    expect(data.useLiveState.getState().gaps).toBe(0);
  });

  it('keep the newest progress of each run, and the newest state of machine, processes, queues and jobs', () => {
    const job = {
      id: 'job-1',
      kind: 'hash',
      title: 'Hash',
      state: 'running',
      done: 1,
      total: 2,
      unit: 'byte',
      ratePerSecond: null,
      etaSeconds: null,
      problem: null,
    } as const;
    receive(
      'a',
      numbered(
        1,
        progress('r', 1),
        progress('s', 4),
        progress('r', 2),
        { kind: 'job', job },
        {
          kind: 'queue',
          runId: 'r',
          step: 2,
          waiting: 3,
          answering: 1,
          answered: 2,
          failed: 0,
          skipped: 0,
          answerSeconds: 4,
          budgetLeftSeconds: null,
          waitedSeconds: 0,
          waitsSince: null,
        },
        {
          kind: 'child',
          child: 'trainer',
          runId: 'r',
          state: 'silent',
          seconds: 9,
          limitSeconds: 30,
          detail: '',
        },
      ),
    );
    const state = data.useLiveState.getState();
    expect([
      state.progress['r']?.step,
      state.progress['s']?.step,
      state.jobs['job-1']?.done,
      state.queues['r']?.waiting,
      state.children[data.childKey({ child: 'trainer', runId: 'r' })]?.state,
    ]).toEqual([2, 4, 1, 3, 'silent']);
  });

  it.each<[string, LiveEvent, string[]]>([
    ['progress', progress('r', 1), []],
    [
      'a stored step',
      { kind: 'step', runId: 'r', step: 1, timings: {}, metrics: {} },
      ['records.page', 'runs.get', 'runs.list'],
    ],
    [
      "a run's new state",
      { kind: 'run', runId: 'r', state: 'done', reason: null, committedSteps: 9 },
      ['runs.get', 'runs.list'],
    ],
    ['another model', { kind: 'changed', what: 'library', runId: null }, ['library.models']],
    ['one read of a room', { kind: 'changed', what: 'runs.get', runId: null }, ['runs.get']],
  ])('of %s have read again what it changes and nothing else', (_what, event, expected) => {
    receive('a', numbered(1, event));
    expect(stale()).toEqual(expected);
  });
});

describe('missed events', () => {
  it('that the engine tells of have everything read again', () => {
    receive('a', numbered(1, progress('r', 1)));
    receive('a', [], true);
    expect([stale(), data.useLiveState.getState().gaps, data.useLiveState.getState().progress]).toEqual([
      everything,
      1,
      {},
    ]);
  });

  it('that nobody tells of are noticed by their numbers', () => {
    receive('a', numbered(1, progress('r', 1)));
    receive('a', numbered(3, progress('r', 3)));
    expect([stale(), data.useLiveState.getState().gaps]).toEqual([everything, 1]);
  });

  it('are told once: numbers that go on after a told hole are no second one', () => {
    receive('a', numbered(1, progress('r', 1)));
    receive('a', [], true);
    receive('a', numbered(90, progress('r', 3)));
    expect(data.useLiveState.getState().gaps).toBe(1);
  });

  it('of an engine before this one do not exist: a new engine counts from one, and everything is read again', () => {
    const heard = listen();
    receive('a', numbered(41, progress('r', 1)));
    receive('b', [], true);
    receive('b', numbered(1, progress('r', 2)));
    const { gaps, restarts } = data.useLiveState.getState();
    expect([heard, gaps, restarts, stale()]).toEqual([[41, 1], 1, 1, everything]);
  });
});

describe('a component that leaves', () => {
  it('hears no more', () => {
    const heard = listen();
    receive('a', numbered(1, progress('r', 1)));
    cleanup();
    receive('a', numbered(2, progress('r', 2)));
    expect(heard).toEqual([1]);
  });
});
