import { describe, expect, it } from 'vitest';
import { RestartPolicy } from '../../../electron/processes/child/restarting-process.ts';

const MINUTE_MS = 60_000;

describe('restarting a lost process', () => {
  it('waits 1, 2, 4, 8 and 16 s and gives up at the sixth loss within ten minutes', () => {
    const policy = new RestartPolicy();
    const verdicts = [0, 1, 2, 3, 4, 5].map((minute) => policy.afterLoss(minute * MINUTE_MS));
    expect(verdicts).toEqual([
      { restart: true, afterMs: 1000 },
      { restart: true, afterMs: 2000 },
      { restart: true, afterMs: 4000 },
      { restart: true, afterMs: 8000 },
      { restart: true, afterMs: 16_000 },
      { restart: false, losses: 6 },
    ]);
  });

  it('begins again for a process that lived ten minutes', () => {
    const policy = new RestartPolicy();
    policy.afterLoss(0);
    policy.afterLoss(1);
    expect(policy.afterLoss(10 * MINUTE_MS + 1)).toEqual({ restart: true, afterMs: 1000 });
  });

  it('never gives up on losses three minutes apart', () => {
    const policy = new RestartPolicy();
    const verdicts = Array.from({ length: 50 }, (_, loss) => policy.afterLoss(loss * 3 * MINUTE_MS));
    expect(verdicts.every((verdict) => verdict.restart && verdict.afterMs <= 8000)).toBe(true);
  });

  it('takes its pauses from the caller', () => {
    const policy = new RestartPolicy((restart) => restart * 7);
    expect(policy.afterLoss(0)).toEqual({ restart: true, afterMs: 7 });
    expect(policy.afterLoss(1)).toEqual({ restart: true, afterMs: 14 });
  });
});
