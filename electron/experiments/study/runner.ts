import { Failure } from '../../contract/index.ts';
import { estimateProgress, type ProgressPoint } from '../../core/index.ts';
import type { ExperimentEngine } from '../engine-port.ts';
import { runKey, type StudyOptions, type StudyRun } from './arms.ts';
import { plannedRuns, seedsOf } from './points.ts';
import { askStart, takeRun, type StudyWork } from './run-one.ts';
import type { StudyState } from './state.ts';

export type StudyProgress = {
  steps: number;
  totalSteps: number;
  runs: number;
  totalRuns: number;
  ratePerSecond: number | null;
  etaSeconds: number | null;
  atWork: string;
};

/** Points of the rate are this far apart, so that it spans evaluations as well as steps. */
const SAMPLE_SECONDS = 30;

/**
 * Does what of the study is not done yet, `jobs` runs at a time; each job keeps one process for its evaluations.
 * The first failure ends the study with what is done kept.
 */
export async function runStudy(
  engine: ExperimentEngine,
  state: StudyState,
  options: StudyOptions,
  signal: AbortSignal,
  onProgress: (progress: StudyProgress) => void,
): Promise<void> {
  const runs = plannedRuns(options);
  const progress = watch(engine, state, options, runs, onProgress);
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  // A run at work ends at once and is resumed by the next start; its checkpoint holds all steps but the one it was in.
  const stopRuns = (): void =>
    engine.store
      .listRuns({ states: ['queued', 'setting-up', 'stepping', 'pausing'] }, { limit: 500 })
      .rows.forEach(({ id }) => engine.isActive(id) && engine.stop(id));
  ended.addEventListener('abort', stopRuns, { once: true });
  const taken = new Map(runs.map((run) => [runKey(run), Promise.withResolvers<void>()]));
  ended.addEventListener('abort', () => taken.forEach(({ resolve }) => resolve()), { once: true });
  const tasks = [
    ...seedsOf(options).map((seed) => (work: StudyWork) => askStart(work, seed)),
    ...runs.map((run) => async (work: StudyWork) => {
      await takeRun(work, run);
      taken.get(runKey(run))?.resolve();
    }),
  ];
  const job = (): Promise<void> =>
    engine.withEvaluator(1, async (evaluate) => {
      const work: StudyWork = {
        engine,
        state,
        evaluate,
        framework: options.framework,
        steps: options.steps,
        every: options.every,
        items: options.items,
        seeds: options.seeds,
        firstSeed: options.firstSeed,
        signal: ended,
        whenTaken: async (key) => {
          await taken.get(key)?.promise;
          ended.throwIfAborted();
        },
        onEvaluated: progress.show,
      };
      for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
        ended.throwIfAborted();
        await task(work);
        progress.show();
      }
    });
  try {
    const outcomes = await Promise.allSettled(
      Array.from({ length: options.jobs }, async () =>
        job().catch((error: unknown) => {
          stop.abort(error);
          throw error;
        }),
      ),
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (signal.aborted)
      throw new Failure('stopped', 'The study was stopped; the same command goes on from there.');
    if (failed !== undefined) throw stop.signal.reason ?? failed.reason;
  } finally {
    ended.removeEventListener('abort', stopRuns);
    progress.end();
  }
}

/** Counts committed steps of all runs, those of earlier programs included, and estimates the rest from this program's speed. */
function watch(
  engine: ExperimentEngine,
  state: StudyState,
  options: StudyOptions,
  runs: readonly StudyRun[],
  onProgress: (progress: StudyProgress) => void,
): { show: () => void; end: () => void } {
  const names = new Map(runs.map((run) => [`study ${runKey(run)}`, runKey(run)]));
  const committed = new Map<string, number>(
    runs.filter((run) => state.run(runKey(run)) !== undefined).map((run) => [runKey(run), options.steps]),
  );
  for (const run of engine.store.allRuns())
    if (names.has(run.config.name)) committed.set(names.get(run.config.name) as string, run.committedSteps);
  const atWork = new Map<string, string>();
  const history: ProgressPoint[] = [];
  const began = engine.clock.monotonicMs();
  const show = (): void => {
    const done = [...committed.values()].reduce((sum, steps) => sum + steps, 0);
    const seconds = (engine.clock.monotonicMs() - began) / 1000;
    if (
      seconds - (history.at(-1)?.seconds ?? -Infinity) >= SAMPLE_SECONDS ||
      done === runs.length * options.steps
    )
      history.push({ done, seconds });
    const finished = runs.filter((run) => state.run(runKey(run)) !== undefined).length;
    onProgress({
      steps: done,
      totalSteps: runs.length * options.steps,
      runs: finished,
      totalRuns: runs.length,
      ...estimateProgress(history, runs.length * options.steps),
      atWork: [...atWork.values()].join(', '),
    });
  };
  const unsubscribe = engine.onProgress(({ runId, step, stage }) => {
    const key = names.get(engine.store.getRun(runId)?.config.name ?? '');
    if (key === undefined) return;
    atWork.set(runId, `${key} step ${step}${stage === 'committed' ? '' : ` ${stage}`}`);
    if (stage === 'committed') {
      committed.set(key, step);
      if (step === options.steps) atWork.delete(runId);
    }
    show();
  });
  return { show, end: unsubscribe };
}
