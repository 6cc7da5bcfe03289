import { describe, expect, it } from 'vitest';
import type { Phase, ProbeAccuracy, ProbeCell } from '../../../electron/contract/index.ts';
import { uniform } from '../../../electron/core/index.ts';
import { type ISSUE_NAMES, ISSUES, issuesIn, judgeVerdict } from '../../../electron/supervision/index.ts';

const PHASES_ASKED: Phase[] = ['task', 'plan', 'thought', 'output', 'exec'];
/** Pairs of each issue in a probe of 200 items, and in one of 960. */
const [PAIRS, MANY_PAIRS] = [6, 30];
const PROBES = 400;

const share = (hits: number, n: number) => ({ n, hits, share: hits / n, low: 0, high: 1 });
const cell = (
  name: (typeof ISSUE_NAMES)[number],
  hits: number,
  alarms: number,
  pairs = PAIRS,
): ProbeCell => ({
  name,
  phase: ISSUES[name].phase,
  precision: share(hits, hits + alarms),
  recall: share(hits, pairs),
  falseAlarms: share(alarms, pairs),
  balanced: null,
  against: 'chance',
});

/** One probe of a judge that names an issue with these chances where it is and where it is not. */
function probeOf(
  seed: number,
  says: (phase: Phase) => { there: number; absent: number },
  pairs = PAIRS,
): ProbeAccuracy {
  const draws = (chance: number, ...path: string[]): number =>
    Array.from({ length: pairs }, (_, pair) => uniform(seed, ...path, pair)).filter((drawn) => drawn < chance)
      .length;
  const issues = issuesIn(PHASES_ASKED).map((name) => {
    const { there, absent } = says(ISSUES[name].phase);
    return cell(name, draws(there, name, 'there'), draws(absent, name, 'absent'), pairs);
  });
  return { phases: [], issues, kinds: [] };
}

const passing = (says: Parameters<typeof probeOf>[1], pairs = PAIRS): number =>
  Array.from({ length: PROBES }, (_, seed) => judgeVerdict({ alone: probeOf(seed, says, pairs) })).filter(
    ({ isBetter }) => isBetter,
  ).length;

describe('whether a judge is better than chance by itself', () => {
  it.each([
    [0.05, PAIRS],
    [0.2, PAIRS],
    [0.5, PAIRS],
    [0.8, PAIRS],
    [0.2, MANY_PAIRS],
    [0.5, MANY_PAIRS],
  ])(
    'is said of at most one in twenty that say yes to %d of all, with %i pairs an issue',
    (chance, pairs) => {
      expect(passing(() => ({ there: chance, absent: chance }), pairs) / PROBES).toBeLessThanOrEqual(0.05);
    },
  );

  it('is said of at most one in twenty that guess and favour a phase', () => {
    const says = (phase: Phase) =>
      phase === 'task' ? { there: 0.9, absent: 0.9 } : { there: 0.1, absent: 0.1 };
    expect(passing(says) / PROBES).toBeLessThanOrEqual(0.05);
  });

  it.each(PHASES_ASKED)(
    'is said of one that is good in %s and guesses elsewhere, and of that phase',
    (good) => {
      const says = (phase: Phase) => (phase === good ? { there: 1, absent: 0 } : { there: 0.3, absent: 0.3 });
      for (let seed = 0; seed < 50; seed += 1)
        expect(judgeVerdict({ alone: probeOf(seed, says) }).phases).toContain(good);
    },
  );

  it('is said of one that is a little better in every phase, though in hardly any by itself', () => {
    expect(passing(() => ({ there: 0.6, absent: 0.35 })) / PROBES).toBeGreaterThan(0.8);
  });

  it('is not said for one lucky issue among sixteen', () => {
    const issues = issuesIn(PHASES_ASKED).map((name) =>
      name === 'bad_syntax' ? cell(name, 5, 0) : cell(name, 2, 2),
    );
    expect(judgeVerdict({ alone: { phases: [], issues, kinds: [] } })).toEqual({
      isBetter: false,
      phases: [],
    });
  });

  it('of a probe of one phase is that of the phase', () => {
    const alone = { phases: [], issues: [cell('plan_mismatch', 6, 0)], kinds: [] };
    expect(judgeVerdict({ alone })).toEqual({ isBetter: true, phases: ['plan'] });
  });
});
