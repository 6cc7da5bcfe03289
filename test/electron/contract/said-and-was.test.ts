import { describe, expect, it } from 'vitest';
import { saidAndWas, type RunEstimated } from '../../../electron/contract/index.ts';
import { saidAndWasText } from '../../../electron/cli/said-text.ts';

const said = (fromStep: number, low: number, high = low): RunEstimated => ({
  fromStep,
  steps: 10 - fromStep + 1,
  stepSeconds: { low, high },
  parts: { unreviewed: low, reviewing: high - low },
  basis: { kind: 'run', runId: 'r', at: null, n: 8, isExact: true, load: { others: 1.8, cores: 2 } },
  waited: null,
  threads: { policy: 1, supervisor: 1 },
  load: { others: 0.2, cores: 2 },
});
const took = (steps: number, seconds: number, others: number | null = null) =>
  Array.from({ length: steps }, (_, at) => ({ step: at + 1, seconds, others }));

describe('what a run was said to take beside what it took', () => {
  it('is of the steps that are stored so far, each by what was said last before it', () => {
    const told = saidAndWas([said(1, 60, 90), said(4, 120)], took(5, 75, 1), 10);
    expect(told).toMatchObject({ steps: 5, of: 10, said: { low: 420, high: 510 }, was: 375, tookUnder: 1 });
    expect(saidAndWasText(told!)).toBe(
      'Time of the first 5 of 10 steps: said 7 min 00 s to 8 min 30 s, was 6 min 15 s. Of 2 processors everything else kept busy: 1.8 as it was measured, 0.2 as it was said, 1.0 during the steps.',
    );
  });

  it('leaves out steps that nothing was said of, and is nothing where nothing was said', () => {
    expect(saidAndWas([], took(3, 10), 10)).toBeNull();
    expect(saidAndWas([said(3, 10)], took(4, 15), 4)).toMatchObject({
      steps: 2,
      said: { low: 20, high: 20 },
      was: 30,
    });
  });

  it('says no load where nobody looked', () => {
    const blind = { ...said(1, 72), load: null, basis: { ...said(1, 72).basis, load: null } };
    expect(saidAndWasText(saidAndWas([blind], took(10, 90), 10)!)).toBe(
      'Time of all 10 steps: said 12 min 00 s, was 15 min 00 s.',
    );
  });
});
