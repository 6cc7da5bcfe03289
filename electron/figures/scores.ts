import type { CheckpointScore } from '../contract/index.ts';
import type { CurveSeries } from './series.ts';

/** Scores are shares, whatever was measured. */
export const SCORE_BOUNDS: readonly [number, number] = [0, 1];

type ScoreGroup = { suite: string; withContext: boolean; points: CheckpointScore[] };

/**
 * By suite and whether the run's own context stood in the prompt, in the order of suites; of a step that was asked twice the newest
 * counts. Under the context of another step or run, an answer belongs to no curve of this one.
 */
function scoreGroups(scores: readonly CheckpointScore[]): ScoreGroup[] {
  const groups = Map.groupBy(
    scores.filter(({ step, n, isOwnContext }) => step !== null && n > 0 && isOwnContext),
    ({ suite, contextHash }) => `${suite}\n${contextHash === null ? 0 : 1}`,
  );
  return [...groups.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, group]) => {
      const [suite = '', context] = key.split('\n');
      const byStep = new Map(group.map((score) => [score.step as number, score]));
      const points = [...byStep.keys()].sort((a, b) => a - b).map((step) => byStep.get(step)!);
      return { suite, withContext: context === '1', points };
    });
}

/**
 * Suites that were asked along the run: one point makes no curve. Where some were asked on the way and others at its two ends only, the
 * former.
 */
export function followedSuites(scores: readonly CheckpointScore[]): string[] {
  const counts = [...Map.groupBy(scores, ({ suite }) => suite)].map(
    ([suite, own]) => [suite, new Set(own.map(({ step }) => step)).size] as const,
  );
  const least = counts.some(([, steps]) => steps > 2) ? 3 : 2;
  return counts
    .filter(([, steps]) => steps >= least)
    .map(([suite]) => suite)
    .sort();
}

/**
 * Scores of a run's checkpoints as joined points with their 95 % intervals as bands. The weights alone and the weights under a context are
 * a pair: one colour, the latter dashed.
 * @param label what a line is called; null leaves it out.
 */
export function scoreSeries(
  scores: readonly CheckpointScore[],
  label: (suite: string, withContext: boolean) => string | null,
): CurveSeries[] {
  const groups = scoreGroups(scores).filter(({ suite, withContext }) => label(suite, withContext) !== null);
  const suites = [...new Set(groups.map(({ suite }) => suite))];
  return groups.map(({ suite, withContext, points }) => ({
    id: `${suite}\n${withContext ? 'context' : ''}`,
    label: label(suite, withContext) ?? suite,
    kind: 'score',
    x: points.map(({ step }) => step as number),
    y: points.map(({ passed, n }) => passed / n),
    band: {
      low: points.map(({ interval }) => interval.low),
      high: points.map(({ interval }) => interval.high),
    },
    look: { color: suites.indexOf(suite), dash: withContext ? 1 : 0 },
  }));
}
