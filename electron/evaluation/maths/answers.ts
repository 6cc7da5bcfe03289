import type { GraderClient } from '../../processes/index.ts';
import { quickVerdict } from './grade.ts';
import { LONGEST_ANSWER } from './normal/compatible.ts';
import { repairedForm } from './normal/repaired.ts';

/** Tells whether two final answers mean the same, for a vote or against a label. */
export type AnswerChecker = {
  /**
   * Whether `a` is `b`, as a response of a model against an answer that it is graded by; the other way round can end otherwise. Exact text,
   * then exact numbers, then the comparison process. A pair that runs out of time or ends the process twice is not the same, and is
   * counted in `setAside`. @throws ProcessFailure only when no process can be started.
   */
  same(a: string, b: string): Promise<boolean>;
  /** Pairs that were taken for different because nobody could tell, since the checker was made; each pair once. */
  readonly setAside: Readonly<{ timeouts: number; lost: number }>;
};

/** Pairs whose verdict is kept, the last asked ones: answers of a vote come again and again. */
const KEPT_PAIRS = 20_000;

/**
 * A checker of its own memory over a comparison process that others may share.
 * @param grader asked for when the first pair needs it, so that whoever compares nothing, or numbers alone, starts no process.
 */
export function checkAnswers(grader: () => Promise<Pick<GraderClient, 'compare'>>): AnswerChecker {
  const verdicts = new Map<string, Promise<boolean>>();
  const setAside = { timeouts: 0, lost: 0 };
  const decide = async (answer: string, gold: string): Promise<boolean> => {
    const comparison = await (await grader()).compare({ gold, answer });
    if (comparison.outcome === 'compared') return comparison.equal;
    if (comparison.outcome === 'timeout') setAside.timeouts += 1;
    else setAside.lost += 1;
    return false;
  };
  return {
    setAside,
    async same(a, b) {
      if (a === b) return true;
      if (a.length > LONGEST_ANSWER || b.length > LONGEST_ANSWER) return false;
      const [answer, gold] = [repairedForm(a), repairedForm(b)];
      if (answer === '' || gold === '') return false;
      const quick = quickVerdict(answer, gold, true);
      if (quick !== null) return quick.passed;
      const key = JSON.stringify([answer, gold]);
      // A promise, so that whoever asks for the same pair meanwhile waits for the one comparison.
      const verdict = verdicts.get(key) ?? decide(answer, gold);
      verdicts.delete(key);
      verdicts.set(key, verdict);
      if (verdicts.size > KEPT_PAIRS) verdicts.delete(verdicts.keys().next().value as string);
      verdict.catch(() => verdicts.delete(key));
      return verdict;
    },
  };
}
