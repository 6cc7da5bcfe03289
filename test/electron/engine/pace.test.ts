import { describe, expect, it } from 'vitest';
import { Pace, PaceOfHalves, standing } from '../../../electron/engine/pace.ts';

describe('the pace of a job', () => {
  it('follows the last eight seconds, not the beginning', () => {
    const pace = new Pace();
    for (let second = 0; second <= 10; second += 0.5) pace.at(second, second * 100, 10_000);
    let last = pace.at(10, 1000, 10_000);
    for (let second = 10.5; second <= 22; second += 0.5)
      last = pace.at(second, 1000 + (second - 10) * 10, 10_000);
    expect(last.ratePerSecond).toBeCloseTo(10, 6);
  });

  it('says nothing before a second has passed, and no end without a total', () => {
    const pace = new Pace();
    expect(pace.at(0, 0, 10)).toEqual({ ratePerSecond: null, etaSeconds: null });
    expect(pace.at(0.5, 5, 10).ratePerSecond).toBeNull();
    expect(pace.at(2, 8, 0)).toEqual({ ratePerSecond: 4, etaSeconds: null });
  });

  it('begins again where the next part of the work is counted from its beginning', () => {
    const pace = new Pace();
    for (let second = 0; second <= 5; second += 1) pace.at(second, second * 100, 500);
    let last = pace.at(6, 0, 20);
    for (let second = 7; second <= 10; second += 1) last = pace.at(second, 2 * (second - 6), 20);
    expect(last).toEqual({ ratePerSecond: 2, etaSeconds: 6 });
  });

  it('that turned out wrong is given up: as long again is left as nothing advanced', () => {
    const measured = { ratePerSecond: 3, etaSeconds: 0.4 };
    expect(standing(measured, 0.3)).toBe(measured);
    expect(standing(measured, 12)).toEqual({ ratePerSecond: null, etaSeconds: 12 });
    expect(standing({ ratePerSecond: 3, etaSeconds: null }, 12).etaSeconds).toBeNull();
  });
});

describe('the pace of a job of two halves', () => {
  type Moment = { seconds: number; generated: number; done: number };
  const paceOver = (moments: readonly Moment[], total: number): ReturnType<Pace['at']> => {
    const pace = new PaceOfHalves();
    let last = pace.at(0, { generated: 0, done: 0, total });
    for (const { seconds, ...counts } of moments) last = pace.at(seconds, { ...counts, total });
    return last;
  };
  const moments = (count: number, at: (index: number) => Moment): Moment[] =>
    Array.from({ length: count }, (_, index) => at(index + 1));

  it('is that of the answers while they are written, and the end that of the slower half', () => {
    const both = moments(40, (n) => ({ seconds: n, generated: 2 * n, done: n }));
    const { ratePerSecond, etaSeconds } = paceOver(both, 200);
    expect(ratePerSecond).toBeCloseTo(2, 6);
    expect(etaSeconds).toBeCloseTo(160, 6);
  });

  it('is that of the verdicts once all answers are written, however long these took', () => {
    const answers = moments(100, (n) => ({ seconds: 12 * n, generated: n, done: 0 }));
    expect(paceOver(answers.slice(0, 50), 100).etaSeconds).toBeCloseTo(600, 6);
    const verdicts = moments(30, (n) => ({ seconds: 1200 + n, generated: 100, done: 2 * n }));
    const { ratePerSecond, etaSeconds } = paceOver([...answers, ...verdicts], 100);
    expect(ratePerSecond).toBeCloseTo(2, 1);
    expect(etaSeconds).toBeCloseTo(20, 0);
  });

  it('is that of the verdicts between two models, and the end counts the answers still to come', () => {
    const first = moments(50, (n) => ({ seconds: n, generated: n, done: 0 }));
    const verdicts = moments(40, (n) => ({ seconds: 50 + n / 2, generated: 50, done: n }));
    const { ratePerSecond, etaSeconds } = paceOver([...first, ...verdicts], 100);
    expect(ratePerSecond).toBeCloseTo(2, 6);
    expect(etaSeconds).toBeGreaterThan(5 + 40);
    const second = moments(20, (n) => ({ seconds: 75 + n, generated: 50 + n, done: 50 }));
    const last = moments(10, (n) => ({ seconds: 70 + n / 2, generated: 50, done: 40 + n }));
    // The pause of the verdicts is no part of an answer's time.
    const after = paceOver([...first, ...verdicts, ...last, ...second], 100);
    expect(after.ratePerSecond).toBeCloseTo(1, 6);
    expect(after.etaSeconds).toBeCloseTo(30, 6);
  });

  it('of units that take a minute is known from the second one on', () => {
    const slow = moments(3, (n) => ({ seconds: 60 * n, generated: n, done: n - 1 }));
    const { ratePerSecond, etaSeconds } = paceOver(slow, 10);
    expect(ratePerSecond).toBeCloseTo(1 / 60, 6);
    expect(etaSeconds).toBeGreaterThan(400);
  });

  it('says no rate that it cannot know', () => {
    expect(paceOver([], 10)).toEqual({ ratePerSecond: null, etaSeconds: null });
    expect(paceOver([{ seconds: 0.5, generated: 3, done: 0 }], 10).etaSeconds).toBeNull();
  });
});
