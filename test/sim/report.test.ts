import { afterEach, describe, expect, it, vi } from 'vitest';
import { conclude, merged, type Report } from './report.ts';

const said: string[] = [];
vi.spyOn(process.stderr, 'write').mockImplementation((line) => said.push(String(line)) > 0);
vi.spyOn(process.stdout, 'write').mockReturnValue(true);
afterEach(() => void said.splice(0));

/** Of a run in which everything was met. */
const report = (steps: number, change: Partial<Report> = {}): Report => ({
  seeds: [{ seed: 1, traceHash: 'ab' }],
  counts: {
    steps,
    timers: 1,
    events: 1,
    commits: 1,
    takenUp: 1,
    deaths: 1,
    faults: 1,
    answers: 1,
    refusals: 1,
  },
  processorSeconds: 1,
  violations: [],
  points: { 'a run fails': 2, 'a run is stopped': 1 },
  struck: { hangs: 1 },
  asked: { 'runs.start': 5, 'runs.stop': 3 },
  answered: { 'runs.start': 2, 'runs.stop': 1 },
  ...change,
});

describe('What a simulation came to', () => {
  it('is well where nothing was violated and, in a long run, everything was met', () => {
    expect(conclude(report(100_000))).toBe(true);
    expect(said).toHaveLength(1);
    expect(conclude(report(10, { violations: ['a step is lost'] }))).toBe(false);
    expect(conclude(report(100_000, { violations: ['a step is lost'] }))).toBe(false);
  });

  it.each<[string, Partial<Report>, string]>([
    ['a point that was not reached', { points: { 'a run fails': 0 } }, 'Never reached: a run fails.'],
    ['a fault that did not strike', { struck: { hangs: 0 } }, 'Never struck: hangs.'],
    ['a verb that was not asked for', { asked: { 'runs.stop': 0 }, answered: {} }, 'Never asked: runs.stop.'],
    [
      'a verb that was only ever refused',
      { asked: { 'runs.stop': 9 }, answered: { 'runs.stop': 0 } },
      'Never answered: runs.stop.',
    ],
  ])('is red in a long run for %s, and names it', (_, change, sentence) => {
    expect(conclude(report(100_000, change))).toBe(false);
    expect(said.slice(1)).toEqual([`${sentence}\n`]);
    expect(conclude(report(99_999, change))).toBe(true);
  });

  it('is that of all processes together', () => {
    const half = (points: Report['points']): Report => report(50_000, { points });
    expect(conclude(merged([half({ a: 1, b: 0 }), half({ a: 0, b: 1 })]))).toBe(true);
    expect(conclude(merged([half({ a: 1, b: 0 }), half({ a: 1, b: 0 })]))).toBe(false);
  });
});
