import type { JudgeProbe, MeasuredJudge, ProbeCell } from '../../../electron/contract/index.ts';

const share = (hits: number, n: number) => ({ n, hits, share: hits / n, low: 0, high: 1 });
const cell = (phase: ProbeCell['phase'], accuracy: number, against: ProbeCell['against']): ProbeCell => ({
  name: phase,
  phase,
  precision: share(3, 6),
  recall: share(3, 6),
  falseAlarms: share(3, 6),
  balanced: { accuracy, low: 0.3, high: 0.9 },
  against,
});
const accuracy = (...cells: ProbeCell[]) => ({ phases: cells, issues: cells, kinds: [] });

/** A finished probe of two phases: as in a run the first is told and the second is not, by itself as is said. */
export function probed(mode: JudgeProbe['plan']['mode'], alone: ProbeCell['against']): MeasuredJudge {
  return {
    id: 'probe-1',
    createdAt: '2026-11-24T01:00:00.000Z',
    model: 'a judge',
    plan: {
      modelSha256: 'a'.repeat(64),
      version: 1,
      mode,
      promptsSha256: 'b'.repeat(64),
      itemsSha256: 'c'.repeat(64),
      items: 200,
      phases: ['task', 'plan'],
      seed: 1,
    },
    planSha256: 'd'.repeat(64),
    results: {
      answered: 450,
      failed: 0,
      run: accuracy(cell('task', 0.98, 'better'), cell('plan', 0.55, 'chance')),
      alone: accuracy(cell('task', 0.41, 'chance'), cell('plan', 0.62, alone)),
      computedAdds: [],
      position: null,
      length: null,
      leaks: { n: 0, hits: 0, share: null, low: 0, high: 1 },
      again: { agreement: share(6, 6), kappa: null },
      seconds: null,
    },
    finishedAt: '2026-11-24T02:00:00.000Z',
    verdict: alone === 'better' ? { isBetter: true, phases: ['plan'] } : { isBetter: false, phases: [] },
  };
}

/** The same with a figure of every kind. */
export function probedInFull(): MeasuredJudge {
  const probe = probed('words', 'chance');
  const issue = {
    ...cell('task', 0.74, 'better'),
    name: 'bad_syntax',
    precision: { ...share(4, 5), low: 0.38, high: 0.96 },
  };
  const compared = { short: share(1, 2), long: share(3, 4), difference: 0.25, low: -0.1, high: 0.5 };
  return {
    ...probe,
    results: {
      ...probe.results!,
      failed: 3,
      alone: { phases: [cell('task', 0.5, 'chance')], issues: [issue], kinds: [] },
      computedAdds: [{ phase: null, n: 200, difference: 0.41, low: 0.34, high: 0.48 }],
      position: { places: [share(1, 10), share(2, 10)], chiSquared: 1, degrees: 1, p: 0.42 },
      length: compared,
      lengthOfControls: compared,
      leaks: { n: 13, hits: 1, share: 1 / 13, low: 0.01, high: 0.33 },
      again: { agreement: share(48, 50), kappa: { kappa: 0.9, low: 0.8, high: 1 } },
      seconds: { n: 91, mean: 16.1, low: 14, high: 18.2 },
    },
  };
}
