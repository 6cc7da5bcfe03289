import type { Bar } from '../../../charts/index.ts';
import type { Translate } from '../../../i18n/index.ts';
import type { Score } from './curve-choices.ts';

type ScoreWithInterval = Score & { interval: { low: number; high: number } };

/** The scores of the newest evaluated checkpoint, each suite once with and once without context; of repeats the newest. */
export function newestScores(
  scores: readonly ScoreWithInterval[],
  t: Translate,
): { step: number | null; bars: Bar[] } {
  const steps = scores.flatMap(({ step, n }) => (step === null || n === 0 ? [] : [step]));
  if (steps.length === 0) return { step: null, bars: [] };
  const step = Math.max(...steps);
  const newest = new Map(
    scores
      .filter((score) => score.step === step && score.n > 0)
      .map((score) => [`${score.suite} ${score.contextHash === null ? 0 : 1}`, score]),
  );
  const bars = [...newest.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, { suite, passed, n, contextHash, interval }]) => ({
      id,
      label: t(contextHash === null ? 'live.score.alone.n' : 'live.score.withContext.n', { suite, n }),
      value: passed / n,
      low: interval.low,
      high: interval.high,
      color: contextHash === null ? 0 : 1,
    }));
  return { step, bars };
}
