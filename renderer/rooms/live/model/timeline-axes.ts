import { niceTicks, timeTicks } from '../../../charts/index.ts';
import type { TimelineCell } from './timeline.ts';

export type Tick = { at: number; text: string };

/** Room between two numbers of steps. */
const STEP_PX = 56;
const TIMES = 2;

/** Marks of the strip of steps, in its pixels: numbers of steps from its left, times of a step from its top. */
export function stripTicks(
  cells: readonly TimelineCell[],
  { width, height, ceiling }: { width: number; height: number; ceiling: number },
): { steps: Tick[]; times: Tick[] } {
  const [first, last] = [cells[0], cells.at(-1)];
  if (first === undefined || last === undefined) return { steps: [], times: [] };
  const each = width / cells.length;
  const most = Math.max(1, Math.floor(width / STEP_PX));
  const numbers =
    cells.length <= most
      ? cells.map(({ from }) => from)
      : niceTicks(first.from, last.to, most).filter(Number.isInteger);
  const steps = numbers.flatMap((step): Tick[] => {
    const place = cells.findIndex(({ from, to }) => step >= from && step <= to);
    return place < 0 ? [] : [{ at: (place + 0.5) * each, text: String(step) }];
  });
  const times = timeTicks(ceiling, TIMES).map(({ value, text }) => ({
    at: height * (1 - value / ceiling),
    text,
  }));
  return { steps, times };
}
