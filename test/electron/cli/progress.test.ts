import { expect, it } from 'vitest';
import { progressLine, type ProgressView } from '../../../electron/cli/progress.ts';

/** What the terminal draws of one job. */
function drawn(part: Partial<ProgressView>): string {
  let text = '';
  const stream = { isTTY: true, columns: 200, write: (piece: string) => void (text += piece) };
  const view: ProgressView = {
    label: 'Export whole',
    done: 0,
    total: 0,
    unit: 'byte',
    ratePerSecond: null,
    etaSeconds: null,
    detail: '',
    ...part,
  };
  progressLine(stream as unknown as Parameters<typeof progressLine>[0], () => 0).show([view]);
  return text;
}

it('a job of bytes says how far it is, how fast and how long it still takes, in units that are read at a glance', () => {
  expect(drawn({ done: 1.2e9, total: 3.4e9, ratePerSecond: 250e6, etaSeconds: 8.8 })).toContain(
    ' 1.2 GB/3.4 GB 250 MB/s, 9 s left',
  );
});

it('a job that stands still has no rate, and says how long it may take', () => {
  expect(drawn({ done: 3, total: 12, unit: 'step', ratePerSecond: 0, etaSeconds: 60 })).toContain(
    ' 3/12 steps, 1 min 00 s left',
  );
});
