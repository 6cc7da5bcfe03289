import {
  runConfigSchema,
  taskTypesOf,
  type FrameworkName,
  type RatedTaskType,
} from '../../contract/index.ts';
import { SUITES as EVERY_SUITE, type AskedContext } from '../../evaluation/index.ts';
import { demoPreset } from '../../evolution/index.ts';
import {
  LENT,
  TRACE_LINE,
  type Arm,
  type RewardedShare,
  type StudyOptions,
  type StudyPlan,
  type StudyRun,
} from './arms.ts';

/** Held-out suites of all studies, in the order of tables; each asks those of what its framework practises, and of conduct. */
export const SUITES = [
  'toy-questions',
  'toy-deduction',
  'toy-abduction',
  'toy-induction',
  'toy-arithmetic',
  'toy-refusal',
  'toy-over-refusal',
  'toy-memory',
] as const;
export type SuiteName = (typeof SUITES)[number];
/** Those that are followed through the run and drawn. */
export const CURVES = [
  'toy-questions',
  'toy-deduction',
  'toy-refusal',
  'toy-memory',
] as const satisfies readonly SuiteName[];

/** Asked under the guidance to trace as well: they have better and worse ways to trace. */
export const TRACED = [
  'toy-questions',
  'toy-deduction',
  'toy-abduction',
] as const satisfies readonly SuiteName[];

/** What is asked of runs of one framework. */
export type Asked = {
  /** At the start and at the end. */ suites: readonly SuiteName[];
  curves: readonly SuiteName[];
  traced: readonly SuiteName[];
};

export function askedUnder(framework: FrameworkName): Asked {
  const types = taskTypesOf(runConfigSchema.parse(demoPreset(framework)).framework);
  const fits = (name: SuiteName): boolean => {
    const type = EVERY_SUITE.find((suite) => suite.name === name)?.taskType ?? null;
    return type === null || types.includes(type);
  };
  return { suites: SUITES.filter(fits), curves: CURVES.filter(fits), traced: TRACED.filter(fits) };
}

/** none: the weights alone. final: under the context the run ended with. trace: under the guidance to trace. */
export type ContextKind = 'none' | 'final' | 'trace';

/** Suites asked of the weights after `step` steps, under one context. */
export type Point = { step: number; context: ContextKind; suites: readonly SuiteName[] };

/** Arms that end with a context of their own: what reviews brought, or what was fixed in place of it. */
export const WITH_CONTEXT: readonly Arm[] = [
  'supervised',
  'rubric',
  'filler',
  'always',
  'worded',
  'constant',
  'told',
  'yoked',
  'shuffled',
];

/** What is asked of the untouched weights; all arms of a seed start from these, so it is asked once a seed. */
export const startPoints = ({ suites, traced }: Asked): Point[] => [
  { step: 0, context: 'none', suites },
  { step: 0, context: 'trace', suites: traced },
];

/**
 * What is asked of a run: the curves every `every` steps and all suites at the end, of the weights alone. At the end also under
 * the context that they ended with, and of the arms without one, code tasks under the guidance to trace.
 */
export function pointsOf({ arm }: StudyRun, { framework, steps, every }: StudyPlan): Point[] {
  const { suites, curves, traced } = askedUnder(framework);
  const middle = Array.from({ length: Math.ceil(steps / every) - 1 }, (_, index) => (index + 1) * every);
  const weights: Point[] = [
    ...middle.map((step): Point => ({ step, context: 'none', suites: curves })),
    { step: steps, context: 'none', suites },
  ];
  const told: Point = WITH_CONTEXT.includes(arm)
    ? { step: steps, context: 'final', suites }
    : { step: steps, context: 'trace', suites: traced };
  return [...weights, told];
}

/** How the engine is asked for a context. C_{t+1} of the last step is the newest. */
export function askedContext(kind: ContextKind, run: { id: string; steps: number } | null): AskedContext {
  if (kind === 'none') return null;
  if (kind === 'trace') return { lines: [TRACE_LINE] };
  if (run === null) throw new RangeError('Untouched weights have no context of their own.');
  return { runId: run.id, step: run.steps + 1 };
}

/** Order within a seed: beside a run that reviews everything, one that needs no reviewer keeps the second thread busy. */
const ORDER: readonly Arm[] = [
  'always',
  'alone',
  'supervised',
  'traced',
  'filler',
  'rubric',
  'practice',
  'worded',
  'shuffled',
  'constant',
  'told',
  'yoked',
  'shared',
];

export const seedsOf = ({ seeds, firstSeed }: Pick<StudyOptions, 'seeds' | 'firstSeed'>): number[] =>
  Array.from({ length: seeds }, (_, index) => firstSeed + index);

/** The arms with tracing fixed ask what room skill has, which rewarded prompts have no part in. */
const NEVER_REWARDED: readonly Arm[] = ['traced', 'practice'];
const isPlanned = (arm: Arm, rewardedShare: RewardedShare): boolean =>
  rewardedShare === 0 || !NEVER_REWARDED.includes(arm);

/**
 * The supervised run that this one is made of; null for arms that are made of none.
 * @throws RangeError for an arm that takes another seed's where there is only one.
 */
export function lenderOf(run: StudyRun, options: Pick<StudyOptions, 'seeds' | 'firstSeed'>): StudyRun | null {
  const lent = LENT[run.arm];
  if (lent === undefined) return null;
  const seeds = seedsOf(options);
  const seed = lent === 'own' ? run.seed : (seeds[(seeds.indexOf(run.seed) + 1) % seeds.length] as number);
  if (lent === 'next' && seed === run.seed)
    throw new RangeError('Reviews of another seed need a second seed.');
  return { ...run, arm: 'supervised', seed };
}

/**
 * All runs, one seed after the other: whenever the study is stopped, the seeds that are done are complete. Only those that take what
 * another seed's run brought come after all others.
 */
export function plannedRuns(
  options: Pick<StudyOptions, 'seeds' | 'firstSeed' | 'arms' | 'rewardedShares'>,
): StudyRun[] {
  const runs = seedsOf(options).flatMap((seed) =>
    options.rewardedShares.flatMap((rewardedShare) =>
      ORDER.filter((arm) => options.arms.includes(arm) && isPlanned(arm, rewardedShare)).map(
        (arm): StudyRun => ({
          arm,
          rewardedShare,
          seed,
        }),
      ),
    ),
  );
  const isLast = ({ arm }: StudyRun): boolean => LENT[arm] === 'next';
  return [...runs.filter((run) => !isLast(run)), ...runs.filter(isLast)];
}

/** The held-out suite that asks for what a kind of rewarded prompts trains away. */
export const RATED_SUITES: Readonly<Record<RatedTaskType, SuiteName>> = {
  request: 'toy-refusal',
  memory: 'toy-memory',
};
