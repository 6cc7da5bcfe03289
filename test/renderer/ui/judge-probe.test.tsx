// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Job, MeasuredJudge } from '../../../electron/contract/index.ts';
import { judgeProbeText } from '../../../electron/cli/judge-probe-text.ts';
import { JudgeProbeNote } from '../../../renderer/ui/index.ts';
import { probed, probedInFull } from './made-probe.ts';
import { show } from './show.tsx';

afterEach(cleanup);

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

function note(probe: MeasuredJudge | null, running: Job | null = null) {
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
    const { text } = note(probed('asks', 'better'));
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
    expect(screen.getByRole('note').textContent).toContain(
      'By itself no better than chance: trust what was computed',
    );
  });

  it('warns of one that is better as in a run only by what was computed there', () => {
    note(probed('asks', 'chance'));
    expect(screen.getByRole('note').textContent).toContain(
      'By itself no better than chance: what it finds beside what was computed',
    );
  });

  it('opens every figure of the probe: both tables, what leans, leaks, agreement, time, and what was asked when', async () => {
    note(probedInFull());
    const opener = screen.getByRole('button', { name: 'All figures' });
    expect(screen.queryByRole('dialog')).toBeNull();
    fireEvent.click(opener);
    const dialog = await screen.findByRole('dialog', { name: 'a judge as a judge' });
    const tables = within(dialog).getAllByRole('table');
    const rows = tables.map((table) =>
      within(table)
        .getAllByRole('row')
        .map(({ children }) => [...children].map(({ textContent }) => textContent)),
    );
    expect(tables.map((table) => table.querySelector('caption')?.textContent)).toEqual([
      'As in a run',
      'By itself: the same items without what was computed',
    ]);
    expect(rows[1]).toEqual([
      ['Phase, issue', 'Items', 'Precision', 'Recall', 'Balanced accuracy', 'Against chance'],
      ['Task', '12', '50 % [0–100]', '50 % [0–100]', '50 % [30–90]', 'not told apart'],
      [expect.any(String), '12', '80 % [38–96]', '50 % [0–100]', '74 % [30–90]', 'better'],
    ]);
    const said = dialog.textContent?.replaceAll('\u00a0', ' ');
    for (const sentence of [
      'It only words what was computed',
      'By itself it is not better than chance in any phase, nor over all of them.',
      'What was computed adds +41 [+34, +48] points of right answers.',
      'Place in the order (by itself): found 10 % [0–100], 20 % [0–100]; no place favoured: p = 0.420.',
      'Length (by itself): found in long items minus in short ones +25 [−10, +50] points.',
      'something named in 75 % [0–100] of long items and 50 % [0–100] of short ones, +25 [−10, +50] points.',
      'Leaks: 1 of 13 reviews in its own words state an answer or code, 8 % [1–33].',
      'Agreement with itself (by itself): 96 % [0–100] of 50 items, kappa 0.90 [0.80, 1.00].',
      'Time of a review that it takes part in: 16.1 s (14.0 to 18.2), 224 an hour.',
      '200 items, seed 1, 450 answers, 3 of them unusable. Version 1 of the probe',
      '24 Nov',
    ])
      expect(said).toContain(sentence);
    // The terminal shows these figures as well, each as the same text.
    const terminal = judgeProbeText(probedInFull());
    for (const figure of [
      '80 % [38–96]',
      '+41 [+34, +48]',
      'p = 0.420',
      '8 % [1–33]',
      '0.90 [0.80, 1.00]',
      '224 an hour',
    ])
      expect(terminal).toContain(figure);
    expect(terminal).toContain('Version 1 of the probe, ended 2026-11-24T02:00:00.000Z.');
  });

  it('opens nothing of a probe that is not finished', () => {
    note({ ...probed('words', 'chance'), results: null, finishedAt: null, verdict: null });
    expect(screen.queryByRole('button', { name: 'All figures' })).toBeNull();
  });

  it('shows a probe under way, which can be cancelled and not begun again', () => {
    const { onStart, onCancel } = note(probed('asks', 'chance'), job);
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(onCancel).toHaveBeenCalledOnce();
    fireEvent.click(screen.getByRole('button', { name: 'Measure again' }));
    expect(onStart).not.toHaveBeenCalled();
  });
});
