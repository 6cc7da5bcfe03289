import { describe, expect, it } from 'vitest';
import type { ChildState } from '../../../electron/contract/index.ts';
import { summarizeChildren } from '../../../renderer/app/status-strip.tsx';

const child = (name: ChildState['child'], runId: string | null, state: ChildState['state']): ChildState => ({
  child: name,
  runId,
  state,
  seconds: 9,
  limitSeconds: null,
  detail: '',
});

describe('the processes in the status line', () => {
  it('are told once per kind, by the worst of them', () => {
    const told = summarizeChildren(
      [child('trainer', 'a', 'ready'), child('trainer', 'b', 'silent'), child('supervisor', null, 'busy')],
      new Set(['a', 'b']),
    );
    expect(told.map(({ child: name, count, worst }) => [name, count, worst.state])).toEqual([
      ['trainer', 2, 'silent'],
      ['supervisor', 1, 'busy'],
    ]);
  });

  it('count what was told last', () => {
    expect(
      summarizeChildren([child('trainer', 'a', 'lost'), child('trainer', 'a', 'ready')], new Set(['a']))[0]
        ?.worst.state,
    ).toBe('ready');
  });

  it('of runs that have ended are gone; those of all runs stay', () => {
    expect(
      summarizeChildren([child('trainer', 'old', 'ready'), child('runner', null, 'ready')], new Set()).map(
        ({ child: name }) => name,
      ),
    ).toEqual(['runner']);
  });
});
