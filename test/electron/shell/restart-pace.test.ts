import { describe, expect, it } from 'vitest';
import { MOST_RESTARTS, RestartPace, WINDOW_MS } from '../../../electron/shell/engine-process.ts';

describe('the pace of restarts', () => {
  it('grows with each loss and gives up at last', () => {
    const pace = new RestartPace();
    const pauses = Array.from({ length: MOST_RESTARTS + 1 }, (_, n) => pace.afterLoss(n * 1000));
    expect(pauses).toEqual([250, 1000, 2000, 4000, 8000, null]);
  });
  it('forgets what is long ago', () => {
    const pace = new RestartPace();
    for (let n = 0; n < 20; n += 1) expect(pace.afterLoss(n * WINDOW_MS)).toBe(250);
  });
  it('begins again when a person asks', () => {
    const pace = new RestartPace();
    for (let n = 0; n < 9; n += 1) pace.afterLoss(0);
    pace.forget();
    expect(pace.afterLoss(0)).toBe(250);
  });
});
