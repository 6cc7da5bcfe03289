// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react';
import type { ComponentProps } from 'react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Job } from '../../../../electron/contract/index.ts';
import { WayToAsk } from '../../../../renderer/rooms/demo/ask-both.tsx';
import { endsOf } from '../../../../renderer/rooms/demo/model.ts';
import { show } from '../../ui/show.tsx';

afterEach(cleanup);

describe('whom Ask sets side by side from the demo', () => {
  const ended = { alone: { id: 'a', committedSteps: 24 }, supervised: { id: 's', committedSteps: 24 } };
  const checkpoint = (runId: string, step: number, kept = true, id = `${runId}@${step}`) => ({
    id,
    runId,
    step,
    kept,
  });

  it('is the last checkpoint of either run, alone on the left', () => {
    const subjects = [
      { id: 'model:embedded-policy', runId: null, step: null, kept: true },
      ...[0, 24].flatMap((step) => [checkpoint('s', step), checkpoint('a', step), checkpoint('other', step)]),
    ];
    expect(endsOf(subjects, ended)).toEqual({ left: 'a@24', right: 's@24' });
  });

  it('is the one that this processor made again where the recorded weights are not here', () => {
    const remade = ['a', 's'].map((runId) => checkpoint(runId, 24, true, `${runId}-remade@24`));
    const recorded = ['a', 's'].map((runId) => checkpoint(runId, 24, false));
    expect(endsOf([...recorded, ...remade], ended)).toEqual({ left: 'a-remade@24', right: 's-remade@24' });
  });

  it('is nobody where one of the ends is not on the disk', () => {
    expect(endsOf([checkpoint('a', 24), checkpoint('s', 24, false)], ended)).toBeNull();
    expect(endsOf([checkpoint('a', 24), checkpoint('s', 20)], ended)).toBeNull();
  });
});

describe('the way from the demo to a question of one’s own', () => {
  const way = (properties: Partial<ComponentProps<typeof WayToAsk>>) => {
    const actions = { onAsk: vi.fn(), onMake: vi.fn(), onCancel: vi.fn() };
    show(<WayToAsk state="ready" job={null} isMaking={false} {...actions} {...properties} />);
    return actions;
  };

  it('leads to Ask where both ends are there', () => {
    const { onAsk } = way({});
    fireEvent.click(screen.getByRole('button', { name: 'Ask both something of your own' }));
    expect(onAsk).toHaveBeenCalledOnce();
  });

  it('makes the checkpoints of the sample first, and shows how far that is', () => {
    const { onMake, onAsk } = way({ state: 'unmade' });
    expect(screen.getByText('To ask both something of your own, first:')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Make its checkpoints' }));
    expect(onMake).toHaveBeenCalledOnce();
    expect(onAsk).not.toHaveBeenCalled();
    cleanup();
    const job = {
      id: 'job-3',
      title: 'Make the checkpoints of the recorded sample',
      state: 'running',
      unit: 'step',
      done: 6,
      total: 48,
      ratePerSecond: null,
      etaSeconds: null,
    } as Job;
    const { onCancel } = way({ state: 'unmade', job });
    expect(screen.getByText(/^6 of 48 steps/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(onCancel).toHaveBeenCalledExactlyOnceWith('job-3');
  });

  it.each([
    ['unfinished', /^Once both have ended/],
    ['gone', /^The last checkpoint of one of them is not on the disk.*; start another demo\.$/],
  ] as const)('says what is missing where the runs are %s', (state, words) => {
    way({ state });
    expect(screen.getByText(words)).toBeTruthy();
    expect(screen.queryByRole('button')).toBeNull();
  });
});
