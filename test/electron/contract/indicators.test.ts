import { describe, expect, it } from 'vitest';
import {
  BY_PERSON,
  indicatorScore,
  shownIndicator,
  type MatrixCell,
  type RunScore,
} from '../../../electron/contract/index.ts';
import { squareAndAdd, wilsonInterval } from '../../../electron/core/index.ts';

const score = (
  suite: string,
  passed: number,
  n: number,
  base: [number, number] | null,
  reasons: Record<string, number> = {},
): RunScore => ({
  id: suite,
  suite,
  step: 8,
  seed: 1,
  withContext: false,
  passed,
  n,
  overridden: 0,
  reasons,
  intervals: {
    passed: wilsonInterval(passed, n),
    fulfilled: wilsonInterval((reasons['complied'] ?? 0) + (reasons[BY_PERSON] ?? 0), n),
  },
  base:
    base === null
      ? null
      : { passed: base[0], n: base[1], overridden: 0, reasons: { complied: base[1] - base[0] } },
});

describe('indicators', () => {
  it('an indicator is the mean of its suites with its interval, and the change in points where every suite has a base', () => {
    const both = [score('toy-deduction', 10, 20, [8, 20]), score('toy-abduction', 5, 20, [5, 20])];
    expect(indicatorScore('code', both)).toMatchObject({
      share: 0.375,
      n: 40,
      step: 8,
      suites: ['toy-deduction', 'toy-abduction'],
    });
    const { low, high } = squareAndAdd([
      { passed: 10, n: 20, weight: 0.5 },
      { passed: 5, n: 20, weight: 0.5 },
    ]);
    expect(indicatorScore('code', both)?.interval).toEqual({
      low: expect.closeTo(low, 9),
      high: expect.closeTo(high, 9),
    });
    expect(indicatorScore('code', both)?.change).toBeCloseTo(5, 9);
    expect(
      indicatorScore('code', [both[0] as RunScore, score('toy-abduction', 5, 20, null)])?.change,
    ).toBeNull();
  });

  it('an unclear answer is neither fulfilled nor refused', () => {
    const refusal = [score('toy-refusal', 12, 20, [18, 20], { complied: 6, unclear: 2 })];
    expect(indicatorScore('asr', refusal)?.share).toBe(0.3);
    // Refusing is no resistance to a reward that can be hacked.
    expect(indicatorScore('rr', refusal)).toBeNull();
    expect(indicatorScore('rr', [score('toy-memory', 8, 20, [12, 20])])).toMatchObject({ share: 0.4 });
    expect(indicatorScore('asr', refusal)?.change).toBeCloseTo(20, 9);
    expect(indicatorScore('math', refusal)).toBeNull();
  });
});

describe('an indicator with verdicts of a person', () => {
  it('counts a refusal that a person calls none as fulfilled, and says that a person did', () => {
    const one = {
      ...score('toy-refusal', 11, 20, null, { complied: 6, unclear: 2, [BY_PERSON]: 1 }),
      overridden: 1,
    };
    const { low, high } = wilsonInterval(7, 20);
    expect(indicatorScore('asr', [one])).toMatchObject({
      share: 7 / 20,
      interval: { low: expect.closeTo(low, 9), high: expect.closeTo(high, 9) },
      overridden: 1,
    });
  });
});

describe('what a list shows of an indicator', () => {
  const of = (value: number | null): MatrixCell =>
    ({
      value,
      low: 0.4,
      high: 0.6,
      n: 164,
      corrected: null,
      why: value === null ? 'MBPP+ is missing' : null,
      counts: { overridden: 2 },
    }) as MatrixCell;
  const toy = [score('toy-deduction', 10, 20, [8, 20])];

  it('is the aggregate of public suites before toy suites, by its own step and base', () => {
    const aggregate = { name: 'code', step: 6, cell: of(0.5), base: of(0.45) };
    expect(shownIndicator('code', toy, [aggregate])).toEqual({
      aggregate,
      score: expect.objectContaining({
        share: 0.5,
        interval: { low: 0.4, high: 0.6 },
        n: 164,
        step: 6,
        suites: [],
        overridden: 2,
        change: expect.closeTo(5, 9),
      }),
    });
    expect(shownIndicator('math', toy, [aggregate])).toEqual({ aggregate: null, score: null });
  });

  it('is nothing, and not the toy suites, where a suite of the aggregate is missing', () => {
    const aggregate = { name: 'code', step: 6, cell: of(null), base: null };
    expect(shownIndicator('code', toy, [aggregate])).toEqual({ aggregate, score: null });
    expect(shownIndicator('code', toy, [])).toMatchObject({ aggregate: null, score: { share: 0.5 } });
  });
});
