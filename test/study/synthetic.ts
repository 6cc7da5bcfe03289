import { uniform } from '../../electron/core/index.ts';
import { runKey } from '../../electron/experiments/study/arms.ts';
import type { StudyOptions } from '../../electron/experiments/index.ts';
import {
  plannedRuns,
  seedsOf,
  askedUnder,
  pointsOf,
  startPoints,
  SUITES,
  type ContextKind,
  type SuiteName,
} from '../../electron/experiments/study/points.ts';
import { startKey } from '../../electron/experiments/study/run-one.ts';
import type { StudyState } from '../../electron/experiments/study/state.ts';

/** Probability that an item is passed; `arm` is `start` for the untouched weights. */
export type Truth = (place: {
  arm: string;
  rewardedShare: number;
  step: number;
  context: ContextKind;
  suite: SuiteName;
}) => number;

/** Fills a state with what a study would have found if `truth` were true: the same noise for the same seed and item, as in a real one. */
export function fillState(state: StudyState, options: StudyOptions, truth: Truth): void {
  const answers = (seed: number, place: Parameters<Truth>[0]): string => {
    const seedShift = 0.04 * (uniform(9, 'seed', seed, place.arm, String(place.rewardedShare)) - 0.5);
    return Array.from({ length: options.items }, (_, item) =>
      uniform(9, 'noise', seed, SUITES.indexOf(place.suite), item) < truth(place) + seedShift ? '1' : '0',
    ).join('');
  };
  const evaluation = (
    run: string,
    seed: number,
    at: { step: number; context: ContextKind; suites: readonly SuiteName[] },
    arm: string,
    rewardedShare: number,
  ): void =>
    state.add({
      kind: 'evaluation',
      run,
      step: at.step,
      context: at.context,
      weightsSha256: 'w',
      seconds: 1,
      passed: Object.fromEntries(
        at.suites.map((suite) => [
          suite,
          answers(seed, { arm, rewardedShare, step: at.step, context: at.context, suite }),
        ]),
      ),
    });
  for (const seed of seedsOf(options))
    for (const point of startPoints(askedUnder(options.framework)))
      evaluation(startKey(seed), seed, point, 'start', 0);
  for (const run of plannedRuns(options)) {
    const key = runKey(run);
    for (const point of pointsOf(run, options)) evaluation(key, run.seed, point, run.arm, run.rewardedShare);
    state.add({
      kind: 'run',
      run: key,
      id: `id-${key}`,
      finalHash: 'f',
      context: [],
      reviews: 0,
      secondsPerStep: 1,
      reviewSeconds: 0,
    });
  }
}
