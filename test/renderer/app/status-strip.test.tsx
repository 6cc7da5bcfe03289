// @vitest-environment happy-dom
import { cleanup } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { ChildState, GpuSample } from '../../../electron/contract/index.ts';
import { Cards, summarizeChildren } from '../../../renderer/app/status-strip.tsx';
import { show } from '../ui/show.tsx';

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

describe('the cards in the status line', () => {
  const card = (index: number, busy: number | null): GpuSample => ({
    index,
    name: 'H100',
    busy,
    memoryUsed: 49.3e9,
    memoryTotal: 85.5e9,
    memoryOurs: null,
    memoryOthers: null,
    celsius: 50,
    watts: 300,
    wattsLimit: 700,
    isSplit: false,
    slowedBy: [],
  });
  const shown = (gpus: GpuSample[]): [string | null, string | null] => {
    const { container } = show(<Cards gpus={gpus} />);
    const figure = container.querySelector('.numbers');
    const told: [string | null, string | null] = [
      figure?.textContent ?? null,
      figure?.getAttribute('title') ?? null,
    ];
    cleanup();
    return told;
  };

  it('are one figure, of one card or of the busiest of several', () => {
    expect(shown([card(0, 0.98)])).toEqual([
      'GPU 98 % 49.3 GB of 85.5 GB',
      '0: H100, GPU 98 % 49.3 GB of 85.5 GB',
    ]);
    const [text, title] = shown([card(0, 0.98), card(1, 0), card(2, null)]);
    expect(text).toBe('3 GPUs, busiest 98 %');
    expect(title?.split('\n')).toHaveLength(3);
    expect(shown([card(0, null), card(1, null)])[0]).toBe('2 GPUs');
  });
});
