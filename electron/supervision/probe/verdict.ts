import {
  PHASES,
  type JudgeProbe,
  type JudgeProbeResults,
  type JudgeVerdict,
  type MeasuredJudge,
  type Phase,
} from '../../contract/index.ts';
import { pooledExact } from '../../core/index.ts';

/** Of judges that only guess, at most so many pass for better than chance anywhere. */
const GUESSES_THAT_PASS = 0.05;

/**
 * Where a judge is better than chance by itself. Items without what was computed are all that tells: in a run computed findings stand
 * beside or in place of its own, whatever it says. Of sixteen issues that are tested one by one, one passes by luck for many a judge that
 * guesses, and a dozen items each are too few to see one that is good; so each phase is tested over its issues together, and all
 * phases together, and what passes is corrected for the number of tests (Holm 1979).
 */
export function judgeVerdict({ alone }: Pick<JudgeProbeResults, 'alone'>): JudgeVerdict {
  const chanceIn = (phases: readonly Phase[]): number =>
    pooledExact(
      alone.issues
        .filter(({ phase }) => phases.includes(phase))
        .map(({ recall, falseAlarms }) => [
          { passed: recall.hits, n: recall.n },
          { passed: falseAlarms.hits, n: falseAlarms.n },
        ]),
    );
  const asked = PHASES.filter((name) => alone.issues.some(({ phase }) => phase === name));
  const tests = [
    ...asked.map((phase) => ({ phase, p: chanceIn([phase]) })),
    ...(asked.length > 1 ? [{ phase: null, p: chanceIn(asked) }] : []),
  ].toSorted((a, b) => a.p - b.p);
  const failed = tests.findIndex(({ p }, index) => p > GUESSES_THAT_PASS / (tests.length - index));
  const passed = failed === -1 ? tests : tests.slice(0, failed);
  return {
    isBetter: passed.length > 0,
    phases: asked.filter((name) => passed.some(({ phase }) => phase === name)),
  };
}

/** A probe with its verdict, which is read from its figures, so that one stored long ago has it too. */
export const measuredJudge = (probe: JudgeProbe): MeasuredJudge => ({
  ...probe,
  verdict: probe.results === null ? null : judgeVerdict(probe.results),
});
