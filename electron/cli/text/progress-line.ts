import type { Screen } from '../program.ts';
import { formatDuration } from './table.ts';

export type ProgressView = {
  label: string;
  done: number;
  total: number;
  unit: string;
  ratePerSecond: number | null;
  etaSeconds: number | null;
  detail: string;
};

const BAR_WIDTH = 24; // characters; leaves room for rate, ETA and a label in 100 columns
const PLAIN_INTERVAL_MS = 10_000; // without a terminal, one line this often

/** Draws progress on stderr: one line redrawn in place on a terminal, a plain line now and then elsewhere. */
export function progressLine(
  stream: Screen,
  monotonicMs: () => number,
): { show: (views: ProgressView[]) => void; end: () => void } {
  let lastPlain = -Infinity;
  let drawn = 0;
  const text = (view: ProgressView): string => {
    const share = view.total === 0 ? 0 : Math.min(1, view.done / view.total);
    const bar = '█'.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '░');
    const rate =
      view.ratePerSecond === null
        ? ''
        : ` ${view.ratePerSecond >= 1 ? `${view.ratePerSecond.toFixed(1)} ${view.unit}/s` : `${(1 / view.ratePerSecond).toFixed(1)} s/${view.unit}`}`;
    const eta = view.etaSeconds === null ? '' : `, ${formatDuration(view.etaSeconds)} left`;
    return `${view.label.padEnd(12)} ${bar} ${view.done}/${view.total} ${view.unit}s${rate}${eta}  ${view.detail}`;
  };
  return {
    show(views) {
      if (stream.isTTY) {
        const columns = stream.columns ?? 100;
        stream.write(
          `${drawn > 0 ? `\u001B[${drawn}A` : ''}${views.map((view) => `\u001B[2K${text(view).slice(0, columns - 1)}\n`).join('')}`,
        );
        drawn = views.length;
      } else if (monotonicMs() - lastPlain >= PLAIN_INTERVAL_MS) {
        lastPlain = monotonicMs();
        stream.write(`${views.map((view) => text(view).replace(/[█░]+ /, '')).join('\n')}\n`);
      }
    },
    end() {
      drawn = 0;
    },
  };
}
