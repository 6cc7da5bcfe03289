import { rmSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { Failure, type RunRecord } from '../../contract/index.ts';
import type { EvaluationRequest } from '../../evaluation/index.ts';
import type { Evaluate, ExperimentEngine } from '../engine-port.ts';
import { configOf, runKey, type Lender, type StudyPlan, type StudyRun } from './arms.ts';
import { askedContext, askedUnder, lenderOf, pointsOf, startPoints, type Point } from './points.ts';
import { evaluationKey, type RunEntry, type StudyState } from './state.ts';

export type StudyWork = StudyPlan & {
  engine: ExperimentEngine;
  state: StudyState;
  evaluate: Evaluate;
  items: number;
  seeds: number;
  firstSeed: number;
  signal: AbortSignal;
  /** Resolves when the run of this key is done; it stands before this one in the order of runs. */
  whenTaken: (key: string) => Promise<void>;
  onEvaluated: () => void;
};

/** Name of the untouched weights in the state; their noise depends on the seed like that of the runs compared with them. */
export const startKey = (seed: number): string => `start//${seed}`;

/** Asks the untouched weights, under the noise of one seed. */
export async function askStart(work: StudyWork, seed: number): Promise<void> {
  const config = configOf({ arm: 'alone', rewardedShare: 0, seed }, work);
  await askPoints(
    work,
    startKey(seed),
    startPoints(askedUnder(work.framework)),
    seed,
    () => ({ policy: { model: config.policy.model }, config }),
    null,
  );
}

/** Takes one run to its last step, asks all its points, and lets its checkpoints go. What is there already is not done again. */
export async function takeRun(work: StudyWork, planned: StudyRun): Promise<void> {
  const key = runKey(planned);
  if (work.state.run(key) !== undefined) return;
  const run = await evolve(work, planned);
  await askPoints(
    work,
    key,
    pointsOf(planned, work),
    planned.seed,
    (step) => ({ policy: { runId: run.id, step } }),
    { id: run.id, steps: work.steps },
  );
  dropCheckpoints(work.engine, run);
  work.state.add({ kind: 'run', run: key, id: run.id, ...endOf(work.engine, run, work.every) });
}

/** Starts the run, or continues the one that an earlier program began. @throws Failure when it fails or is stopped. */
async function evolve(work: StudyWork, planned: StudyRun): Promise<RunRecord> {
  const { engine, steps } = work;
  const config = configOf(planned, work, await lenderFor(work, planned));
  const before = engine.store
    .listRuns({ text: config.name }, { limit: 500 })
    .rows.find((run) => run.config.name === config.name);
  if (before?.state === 'done') return before;
  const id = before?.id ?? engine.startRun(config).id;
  if (before !== undefined) engine.resume(id);
  const run = await engine.waitFor(id);
  if (run.state !== 'done')
    throw new Failure(
      'stopped',
      `The study was stopped in its run ${runKey(planned)} after ${run.committedSteps} of ${steps} steps; the same command goes on from there.`,
    );
  return run;
}

/** What the supervised run brought that this one is made of. @throws Failure `noStudy` when that run is in another lab. */
async function lenderFor(work: StudyWork, planned: StudyRun): Promise<Lender | null> {
  const from = lenderOf(planned, work);
  if (from === null) return null;
  const key = runKey(from);
  await work.whenTaken(key);
  const done = work.state.run(key);
  if (done === undefined || work.engine.store.getRun(done.id) === null)
    throw new Failure(
      'noStudy',
      `The run ${runKey(planned)} is made of what ${key} brought, which is not in this lab; take both with --only supervised,${planned.arm} and a --folder of their own, without --from.`,
      2,
    );
  return { id: done.id, context: done.context };
}

/** One request per weights and set of suites, whatever the contexts: they are answered as one batch. */
async function askPoints(
  { evaluate, state, items, signal, onEvaluated }: StudyWork,
  key: string,
  points: readonly Point[],
  seed: number,
  policyAt: (step: number) => Pick<EvaluationRequest, 'policy' | 'config'>,
  run: { id: string; steps: number } | null,
): Promise<void> {
  const open = points.filter(({ step, context }) => !state.has(evaluationKey(key, step, context)));
  for (const [, together] of Map.groupBy(open, ({ step, suites }) => `${step} ${suites.join()}`)) {
    const { step, suites } = together[0] as Point;
    signal.throwIfAborted();
    const began = performance.now();
    const outcomes = await evaluate({
      ...policyAt(step),
      suites,
      limit: items,
      seed,
      contexts: together.map(({ context }) => askedContext(context, run)),
      signal,
    });
    const seconds = Math.round(performance.now() - began) / 1000;
    for (const [index, { context }] of together.entries()) {
      const own = outcomes.slice(index * suites.length, (index + 1) * suites.length);
      state.add({
        kind: 'evaluation',
        run: key,
        step,
        context,
        weightsSha256: own[0]?.weightsSha256 ?? '',
        seconds,
        passed: Object.fromEntries(
          own.map((outcome) => [
            outcome.suite,
            outcome.items.map((item) => (item.passed ? '1' : '0')).join(''),
          ]),
        ),
      });
    }
    onEvaluated();
  }
}

/** The records stay in the lab; 200 MB of weights a run do not. The database is told before files go. */
function dropCheckpoints({ store, lab }: ExperimentEngine, run: RunRecord): void {
  const folder = lab.run(run.folder);
  for (const { step } of store.listCheckpoints(run.id)) store.markCheckpointPruned(run.id, step);
  rmSync(folder.checkpoints, { recursive: true, force: true });
  rmSync(folder.spool, { recursive: true, force: true });
}

/** Metrics that a table shows from the first to the last part of a run, where its steps have them. */
const FOLLOWED = ['label/agreement', 'label/computed_accuracy', 'pose/distinct_2', 'pose/question_terms'];

/** The mean of a metric over the first and the last steps that have it, as many of either as lie between two evaluations. */
function followed(steps: readonly { step: number; metrics: Record<string, number> }[], every: number) {
  const last = steps.at(-1)?.step ?? 0;
  const mean = (name: string, from: number, to: number): number | null => {
    const values = steps.flatMap(({ step, metrics }) =>
      step > from && step <= to ? (metrics[name] ?? []) : [],
    );
    return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  return Object.fromEntries(
    FOLLOWED.flatMap((name) => {
      const [first, end] = [mean(name, 0, every), mean(name, last - every, last)];
      return first === null || end === null ? [] : [[name, [first, end] as [number, number]]];
    }),
  );
}

function endOf(
  { store }: ExperimentEngine,
  run: RunRecord,
  every: number,
): Omit<RunEntry, 'kind' | 'run' | 'id'> {
  const steps = store.listSteps(run.id, { limit: run.committedSteps });
  const sum = (name: string): number => steps.reduce((total, step) => total + (step.timings[name] ?? 0), 0);
  const reviews = steps.reduce(
    (total, { metrics }) =>
      total +
      Object.entries(metrics).reduce(
        (count, [name, value]) => (/^supervision\/\w+\/reviews$/.test(name) ? count + value : count),
        0,
      ),
    0,
  );
  const along = followed(steps, every);
  return {
    finalHash: steps.at(-1)?.stepHash ?? '',
    context: store.getContext(run.id, run.committedSteps + 1)?.lines.map(({ text }) => text) ?? [],
    reviews,
    secondsPerStep: Math.round((1000 * sum('step')) / Math.max(1, steps.length)) / 1000,
    reviewSeconds: Math.round(1000 * sum('supervise')) / 1000,
    ...(Object.keys(along).length === 0 ? {} : { along }),
  };
}
