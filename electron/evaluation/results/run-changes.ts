import type { RunScore, ScoreChange } from '../../contract/index.ts';
import { compareEvaluations } from './compare.ts';
import type { EvaluationReads } from './reads.ts';

/** One suite at the last evaluated steps of two runs, asked of both in the same way, and how the second differs over the items of both. */
export type RunScoreChange = {
  suite: string;
  withContext: boolean;
  before: RunScore;
  after: RunScore;
  /** After minus before; null where they have no answered item in common. */
  change: ScoreChange | null;
  /** Answers that only the first passed, and that only the second did. */
  lost: number;
  gained: number;
  /** Exact and two-sided, over items. */
  p: number;
  /** Why they cannot be compared as they stand. */
  warnings: string[];
};

/** Every suite that both runs were asked, answers with a run's context in the prompt apart from those without, in the first run's order. */
export function runScoreChanges(
  reads: EvaluationReads,
  first: readonly RunScore[],
  second: readonly RunScore[],
): RunScoreChange[] {
  return first.flatMap((before): RunScoreChange[] => {
    const { suite, withContext } = before;
    const after = second.find((score) => score.suite === suite && score.withContext === withContext);
    if (after === undefined) return [];
    const { difference, low, high, items, lost, gained, exact, warnings } = compareEvaluations(
      reads,
      before.id,
      after.id,
    );
    const change: ScoreChange = { value: difference, low, high, n: items, method: 'paired' };
    return [
      {
        suite,
        withContext,
        before,
        after,
        change: items === 0 ? null : change,
        lost,
        gained,
        p: exact,
        warnings,
      },
    ];
  });
}
