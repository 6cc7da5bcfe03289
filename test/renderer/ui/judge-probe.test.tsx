// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Job, JudgeProbe, ProbeCell } from '../../../electron/contract/index.ts';
import { JudgeProbeNote } from '../../../renderer/ui/index.ts';
import { show } from './show.tsx';

afterEach(cleanup);

const share = (hits: number, n: number) => ({ n, hits, share: hits / n, low: 0, high: 1 });
const cell = (phase: ProbeCell['phase'], accuracy: number, against: ProbeCell['against']): ProbeCell => ({
  name: phase,
  phase,
  precision: share(3, 6),
  recall: share(3, 6),
  falseAlarms: share(3, 6),
  balanced: { accuracy, low: 0.3, high: 0.9 },
  against,
});
const accuracy = (...cells: ProbeCell[]) => ({ phases: cells, issues: cells, kinds: [] });

function probed(mode: JudgeProbe['plan']['mode'], alone: ProbeCell['against']): JudgeProbe {
  return {
    id: 'probe-1',
    createdAt: '2026-11-24T01:00:00.000Z',
    model: 'a judge',
    plan: {
      modelSha256: 'a'.repeat(64),
      version: 1,
      mode,
      promptsSha256: 'b'.repeat(64),
      itemsSha256: 'c'.repeat(64),
      items: 200,
      phases: ['task', 'plan'],
      seed: 1,
    },
    planSha256: 'd'.repeat(64),
    results: {
      answered: 450,
      failed: 0,
      run: accuracy(cell('task', 0.98, 'better'), cell('plan', 0.55, 'chance')),
      alone: accuracy(cell('task', 0.41, 'chance'), cell('plan', 0.62, alone)),
      computedAdds: [],
      position: null,
      length: null,
      leaks: { n: 0, hits: 0, share: null, low: 0, high: 1 },
      again: { agreement: share(6, 6), kappa: null },
      seconds: null,
    },
    finishedAt: '2026-11-24T02:00:00.000Z',
  };
}

const job: Job = {
  id: 'job-1',
  kind: 'judge-probe',
  title: 'Probe of a judge as a judge',
  unit: 'review',
  state: 'running',
  done: 10,
  total: 450,
  ratePerSecond: 1,
  etaSeconds: 440,
  problem: null,
};

function note(probe: JudgeProbe | null, running: Job | null = null) {
  const [onStart, onCancel] = [vi.fn<() => void>(), vi.fn<() => void>()];
  const { container } = show(
    <JudgeProbeNote
      model="a judge"
      items={200}
      probe={probe}
      job={running}
      showsJob
      onStart={onStart}
      onCancel={onCancel}
    />,
  );
  return { text: container.textContent?.replaceAll('\u00a0', ' '), onStart, onCancel };
}

describe('The note on a model as a judge', () => {
  it('says how to measure one that was not, and does it', () => {
    const { text, onStart } = note(null);
    expect(text).toContain('Not measured as a judge: anchor judge probe a judge');
    fireEvent.click(screen.getByRole('button', { name: 'Measure' }));
    expect(onStart).toHaveBeenCalledOnce();
    expect(screen.queryByRole('note')).toBeNull();
  });

  it('names the best and the worst phase as in a run, with the date', () => {
    const { text } = note(probed('asks', 'chance'));
    expect(text).toContain('As a judge: best task 98 %, worst plan 55 %, 24 Nov');
    expect(screen.getByRole('button', { name: 'Measure again' })).toBeTruthy();
    expect(screen.queryByRole('note')).toBeNull();
  });

  it('goes by what the model finds itself where a run only has it word what was computed', () => {
    const { text } = note(probed('words', 'better'));
    expect(text).toContain('As a judge by itself: best plan 62 %, worst task 41 %');
    expect(screen.queryByRole('note')).toBeNull();
  });

  it('warns of one that is no better than chance', () => {
    note(probed('words', 'chance'));
    expect(screen.getByRole('note').textContent).toContain('no better than chance on any issue');
  });

  it('shows a probe under way, which can be cancelled and not begun again', () => {
    const { onStart, onCancel } = note(probed('asks', 'chance'), job);
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(onCancel).toHaveBeenCalledOnce();
    fireEvent.click(screen.getByRole('button', { name: 'Measure again' }));
    expect(onStart).not.toHaveBeenCalled();
  });
});
