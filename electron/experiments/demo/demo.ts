import { z } from 'zod';
import {
  everyPhase,
  Failure,
  lineCounts,
  reviewerKindSchema,
  runConfigSchema,
  taskTypesOf,
  type FrameworkName,
  type RunConfig,
  type RunRecord,
} from '../../contract/index.ts';
import { pairedCounts, pairedDifferenceInterval, type Interval } from '../../core/index.ts';
import { EVALUATION_SEED, SUITES, type EvaluationOutcome } from '../../evaluation/index.ts';
import { DEMO_FRAMEWORKS, demoPreset } from '../../evolution/index.ts';
import type { IssueCount, LineHistory, SupervisionCost } from '../../store/index.ts';
import type { ExperimentEngine } from '../engine-port.ts';
import { askedUnder } from '../study/points.ts';

/** Eq. 6 and 7 of the supervised arm. */
export const MERGES = ['model', 'rule'] as const;

export const demoOptionsSchema = z.strictObject({
  framework: z.enum(DEMO_FRAMEWORKS),
  steps: z.int().min(1).max(10_000),
  seed: z.int().min(1),
  /** Share of prompts rated by the misspecified user rating; 0 is self-play alone. The answers of self-play must not vanish. */
  rewardedShare: z.number().min(0).max(0.9),
  /** Review probability of every phase in the supervised arm. */
  probability: z.number().min(0).max(1),
  reviewer: reviewerKindSchema,
  /** Who words summaries and context: the supervisor's model as in the paper, or a rule that takes the trained lines. */
  merge: z.enum(MERGES),
  /** Held-out items per suite. */
  items: z.int().min(1).max(100_000),
  /** How often the suites that are drawn are asked on the way, besides the start. */
  points: z.int().min(1).max(1000),
});
export type DemoOptions = z.infer<typeof demoOptionsSchema> & {
  /** Which checkpoints both runs keep, and of which they keep moments; as the preset says when absent. */
  checkpoints?: RunConfig['checkpoints'];
};

/** What the demo is without being told more, from the terminal and from the window. */
export const DEMO_DEFAULTS: DemoOptions = {
  framework: DEMO_FRAMEWORKS[0],
  steps: 24,
  seed: 1,
  rewardedShare: 0.25,
  probability: 0.3,
  items: 100,
  points: 6,
  reviewer: runConfigSchema.parse(demoPreset(DEMO_FRAMEWORKS[0])).supervision.reviewer,
  merge: 'model',
};

/** The demo of a framework without being told more: as many steps as its preset has. */
export function demoDefaults(framework: FrameworkName): DemoOptions {
  return {
    ...DEMO_DEFAULTS,
    framework,
    steps: runConfigSchema.parse(demoPreset(framework)).steps,
  };
}

/** One column of the result table: whose weights, and whether the final supervision context was in the prompt. */
export type DemoColumn = {
  arm: 'start' | 'alone' | 'supervised';
  withContext: boolean;
  outcomes: EvaluationOutcome[];
};
export type DemoContrast = { suite: string; difference: number; interval: Interval };

export type DemoReport = {
  options: DemoOptions;
  labFolder: string;
  database: string;
  runs: {
    arm: 'alone' | 'supervised';
    run: RunRecord;
    folder: string;
    finalHash: string;
    secondsPerStep: number;
  }[];
  columns: DemoColumn[];
  /** Supervised minus alone, weights only, item by item. */
  contrasts: DemoContrast[];
  issues: IssueCount[];
  lines: (LineHistory & { causes: string[] })[];
  /** What became of what the supervisor's model wrote, over all steps; empty where a rule wrote. */
  wording: Record<string, number>;
  cost: { byPhase: SupervisionCost[]; reviewSeconds: number; hiddenSeconds: number; stepRatio: number };
  seconds: { training: number; evaluation: number };
};

/** Takes up a demo instead of beginning one, with so many items a suite; its other settings come from its runs. */
export type DemoContinuation = { continueWith: number; runs: DemoRuns };
/** Ids of the two runs of a demo. */
export type DemoRuns = Record<'alone' | 'supervised', string>;

export type DemoProgress = { stage: 'training' | 'evaluation'; done: number; total: number };

/**
 * The two arms of the demo: the same seed and first tasks, with and without supervision. Both answer the suites that are drawn every few
 * steps, the supervised one under the context it has reached as well.
 */
export function demoConfigs(options: DemoOptions): Record<'alone' | 'supervised', RunConfig> {
  const preset = demoPreset(options.framework);
  const { probability: p } = options;
  const every = Math.max(1, Math.round(options.steps / options.points));
  const suites = [...askedUnder(options.framework).curves];
  const make = (name: string, supervision: Partial<RunConfig['supervision']>): RunConfig =>
    runConfigSchema.parse({
      ...preset,
      name,
      steps: options.steps,
      seed: options.seed,
      rewardedPrompts: { ...preset.rewardedPrompts, share: options.rewardedShare },
      supervision: { ...preset.supervision, reviewer: options.reviewer, ...supervision },
      evaluation: { every, suites, items: options.items, contexts: ['none', 'run'] },
      ...(options.checkpoints === undefined ? {} : { checkpoints: options.checkpoints }),
    });
  return {
    alone: make(armName('alone'), { phases: everyPhase(0) }),
    supervised: make(armName('supervised'), {
      phases: everyPhase(p),
      ...(options.merge === 'model' ? { summary: 'model', merge: 'model' } : {}),
    }),
  };
}

/**
 * Evolves the same policy twice side by side, once alone and once supervised, and compares both ends on held-out items.
 * Nothing about the outcome is prepared: the report holds what was measured.
 * @throws Failure when an arm fails or is stopped.
 */
export async function runDemo(
  engine: ExperimentEngine,
  wanted: DemoOptions | DemoContinuation,
  onProgress: (progress: DemoProgress) => void,
  signal: AbortSignal,
): Promise<DemoReport> {
  const began = engine.clock.monotonicMs();
  const { options, started } =
    'continueWith' in wanted
      ? takeUpDemo(engine, wanted)
      : { options: wanted, started: beginDemo(engine, wanted) };
  const stopAll = (): void => started.forEach(({ id }) => engine.isActive(id) && engine.stop(id));
  signal.addEventListener('abort', stopAll, { once: true });
  const ends = started.map(({ id }) => engine.waitFor(id));
  const arms = await Promise.all(
    started.map(async ({ arm, id }, at) => {
      const run = (await ends[at]) as RunRecord;
      if (run.state !== 'done')
        throw new Failure(
          'stopped',
          `The demo was stopped: its run "${id}" is ${run.state} after ${run.committedSteps} steps; go on with it in the Demo, or with "anchor demo --continue".`,
        );
      return { arm, run };
    }),
  ).finally(async () => {
    signal.removeEventListener('abort', stopAll);
    // Whoever stopped both may go on at once, so neither is still ending then.
    if (signal.aborted) await Promise.allSettled(ends);
  });
  const trained = engine.clock.monotonicMs();
  const columns = await evaluateEnds(engine, options, arms, onProgress, signal);
  const evaluated = engine.clock.monotonicMs();

  const supervised = arms[1] as { arm: 'supervised'; run: RunRecord };
  return {
    options,
    labFolder: engine.lab.root,
    database: `${engine.lab.root}/lab.sqlite`,
    runs: arms.map(({ arm, run }) => ({
      arm,
      run,
      folder: engine.lab.run(run.folder).root,
      ...summaryOf(engine, run),
    })),
    columns,
    contrasts: contrastsOf(columns),
    issues: engine.store.issueCounts(supervised.run.id),
    lines: engine.store.contextLines(supervised.run.id).map((line) => ({
      ...line,
      causes:
        engine.store.lineageOf(supervised.run.id, line.id, 3)?.causes.map((cause) => cause.review.id) ?? [],
    })),
    wording: lineCounts(
      Array.from({ length: supervised.run.committedSteps }, (_, index) =>
        engine.store.listWordings(supervised.run.id, index + 1),
      ).flat(),
    ),
    cost: supervisionPrice(engine.store, arms[0]!.run.id, supervised.run.id),
    seconds: { training: (trained - began) / 1000, evaluation: (evaluated - trained) / 1000 },
  };
}

export type StartedArm = { arm: 'alone' | 'supervised'; id: string };

/** Starts both arms and returns at once; `anchor demo --continue` makes the comparison later. */
export function beginDemo(engine: ExperimentEngine, options: DemoOptions): StartedArm[] {
  const configs = demoConfigs(options);
  return (['alone', 'supervised'] as const).map((arm) => ({ arm, id: engine.startRun(configs[arm]).id }));
}

/** The runs of a demo, resumed where they are not done and not at work. */
function takeUpDemo(
  engine: ExperimentEngine,
  { continueWith: items, runs }: DemoContinuation,
): { options: DemoOptions; started: StartedArm[] } {
  const alone = engine.store.requireRun(runs.alone);
  const supervised = engine.store.requireRun(runs.supervised);
  for (const run of [alone, supervised])
    if (run.state !== 'done' && !engine.isActive(run.id)) engine.resume(run.id);
  const { steps, seed, framework, rewardedPrompts, supervision, evaluation } = supervised.config;
  return {
    options: {
      framework: framework.name,
      steps,
      seed,
      rewardedShare: rewardedPrompts.share,
      probability: supervision.phases.task,
      reviewer: supervision.reviewer,
      merge: supervision.merge === 'model' ? 'model' : 'rule',
      items,
      points: evaluation === undefined ? 0 : Math.round(steps / evaluation.every),
    },
    started: [
      { arm: 'alone', id: alone.id },
      { arm: 'supervised', id: supervised.id },
    ],
  };
}

/** What the runs of a demo are called, and found by. */
export const armName = (arm: keyof DemoRuns): string => `demo: ${arm}`;

/** Start, alone and supervised, each with weights only and under the supervised arm's final context; two trainers side by side. */
async function evaluateEnds(
  engine: ExperimentEngine,
  options: DemoOptions,
  arms: { arm: 'alone' | 'supervised'; run: RunRecord }[],
  onProgress: (progress: DemoProgress) => void,
  signal: AbortSignal,
): Promise<DemoColumn[]> {
  const supervised = arms.find(({ arm }) => arm === 'supervised') as { run: RunRecord };
  const finalContext = { runId: supervised.run.id, step: supervised.run.committedSteps + 1 };
  const taskTypes = taskTypesOf(supervised.run.config.framework);
  const suites = SUITES.filter(({ taskType }) => taskType === null || taskTypes.includes(taskType)).map(
    (suite) => suite.name,
  );
  const jobs = [
    { arm: 'start' as const, policy: { runId: supervised.run.id, step: 0 } },
    ...arms.map(({ arm, run }) => ({ arm, policy: { runId: run.id, step: run.committedSteps } })),
  ];
  const total = jobs.length * 2 * suites.length;
  let done = 0;
  let finished = 0;
  const columns: DemoColumn[] = [];
  const evaluateOne = async ({ arm, policy }: (typeof jobs)[number]): Promise<void> => {
    const outcomes = await engine.evaluate({
      policy,
      suites,
      limit: options.items,
      seed: EVALUATION_SEED,
      contexts: [null, finalContext],
      // What was asked on the way, the last step among it, is not asked again.
      reuse: true,
      signal,
      onProgress: () => onProgress({ stage: 'evaluation', done: (done += 1), total }),
    });
    finished += 1;
    done = Math.max(done, finished * 2 * suites.length);
    onProgress({ stage: 'evaluation', done, total });
    for (const withContext of [false, true])
      columns.push({
        arm,
        withContext,
        outcomes: outcomes.filter((outcome) => outcome.withContext === withContext),
      });
  };
  const queue = [...jobs];
  await Promise.all(
    [0, 1].map(async () => {
      for (let job = queue.shift(); job !== undefined; job = queue.shift()) await evaluateOne(job);
    }),
  );
  const order = ['start', 'alone', 'supervised'];
  return columns.sort(
    (a, b) => order.indexOf(a.arm) - order.indexOf(b.arm) || Number(a.withContext) - Number(b.withContext),
  );
}

function summaryOf(engine: ExperimentEngine, run: RunRecord): { finalHash: string; secondsPerStep: number } {
  const steps = engine.store.listSteps(run.id, { limit: run.committedSteps });
  return {
    finalHash: steps.at(-1)?.stepHash ?? '',
    secondsPerStep:
      steps.reduce((sum, step) => sum + (step.timings['step'] ?? 0), 0) / Math.max(1, steps.length),
  };
}

/** Supervised minus alone in share passed, item by item; positive where the supervised arm passes more. */
export function contrastsOf(
  columns: readonly Pick<DemoColumn, 'arm' | 'withContext' | 'outcomes'>[],
): DemoContrast[] {
  const weightsOnly = (arm: DemoColumn['arm']): EvaluationOutcome[] =>
    columns.find((column) => column.arm === arm && !column.withContext)?.outcomes ?? [];
  return weightsOnly('supervised').map((outcome) => {
    const other = weightsOnly('alone').find((candidate) => candidate.suite === outcome.suite);
    const passed = (from: EvaluationOutcome | undefined): boolean[] =>
      from?.items.map((item) => item.passed) ?? [];
    const { difference, low, high } = pairedDifferenceInterval(pairedCounts(passed(other), passed(outcome)));
    return { suite: outcome.suite, difference, interval: { low, high } };
  });
}

/** What the supervised run was charged for its reviews, and how long its steps took beside those of the run without. */
export function supervisionPrice(
  store: ExperimentEngine['store'],
  alone: string,
  supervised: string,
): DemoReport['cost'] {
  const timing = (runId: string, name: string): number =>
    store
      .listSteps(runId, { limit: store.requireRun(runId).committedSteps })
      .reduce((sum, step) => sum + (step.timings[name] ?? 0), 0);
  return {
    byPhase: store.supervisionCost(supervised),
    reviewSeconds: timing(supervised, 'supervise'),
    hiddenSeconds: timing(supervised, 'supervise_hidden'),
    stepRatio: timing(supervised, 'step') / timing(alone, 'step'),
  };
}
