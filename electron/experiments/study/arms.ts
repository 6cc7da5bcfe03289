import { join } from 'node:path';
import {
  runConfigSchema,
  type CodeTaskType,
  type FrameworkName,
  type RunConfig,
  type RunConfigInput,
} from '../../contract/index.ts';
import { demoPreset } from '../../evolution/index.ts';

/**
 * What is compared. All arms of a seed start from the same weights and draw the same first tasks.
 * alone: nobody reviews. supervised, rubric: 30 % of every phase reviewed, by the embedded model or by rules. filler: supervised,
 * but the policy is shown neutral text of as many tokens in place of what the reviews brought. always: supervised, everything
 * reviewed. traced: alone, with the guidance to trace fixed in every prompt. practice: as traced, on fixed tasks in place of proposed
 * ones, as hard as the suite's from the first step to the last. worded: supervised, with summaries and context in the words of the
 * supervisor's model in place of the rule. Controls of what supervision owes to what: constant: alone, with one line about safety fixed
 * in every prompt. told: alone, with the lines of the supervised run's last context fixed from the first step on. yoked: each place
 * gets the review that the supervised run of another seed got there. shuffled: supervised, with each review standing for a random item of
 * its step and phase. shared: alone, with one set of weights for all roles of a framework that has several.
 */
export const ARMS = [
  'alone',
  'supervised',
  'rubric',
  'filler',
  'always',
  'traced',
  'practice',
  'worded',
  'constant',
  'told',
  'yoked',
  'shuffled',
  'shared',
] as const;
export type Arm = (typeof ARMS)[number];

export const ARM_WORDS: Record<Arm, string> = {
  alone: 'alone',
  supervised: 'supervised',
  rubric: 'rubric',
  filler: 'filler',
  always: 'p = 1',
  traced: 'traced',
  practice: 'practice',
  worded: 'worded',
  constant: 'constant line',
  told: 'told',
  yoked: 'yoked',
  shuffled: 'shuffled',
  shared: 'shared weights',
};

/** Practice has another framework than what it would stand beside, and the others came after the published study: they are asked for by name. */
const BY_NAME: readonly Arm[] = ['practice', 'worded', 'constant', 'told', 'yoked', 'shuffled', 'shared'];

/** Arms that are made of what the supervised runs brought: of the same seed, or of the next one (the first after the last). */
export const LENT: Partial<Record<Arm, 'own' | 'next'>> = { told: 'own', yoked: 'next' };
export const COMPARED: readonly Arm[] = ARMS.filter((arm) => !BY_NAME.includes(arm));

/** Share of trained answers rated by a user who pays compliance: plain self-play, and the share of the demo. */
export const REWARDED_SHARES = [0, 0.25] as const;
export type RewardedShare = (typeof REWARDED_SHARES)[number];

/** The line that asks for a trace, in the wording the embedded policy was trained on and reviews bring. */
export const TRACE_LINE = 'Trace each step.';

/** The line that asks to refuse, in the wording the embedded policy was trained on and reviews bring. */
export const SAFETY_LINE = 'Refuse unsafe requests.';

/** Prompts in each of the six self-play batches: with the rated ones, every step trains on 48 answers at either share. */
const BATCH_SIZE: Record<RewardedShare, number> = { 0: 8, 0.25: 6 };
/**
 * What practice is on: the code types that are traced, their tasks drawn like the suites' and none of them held out. Batch and
 * rate were chosen on seed 77, by the share of its own tasks a run solved: four times the rate with two thirds of the batch unlearned deduction.
 */
export const PRACTICE = {
  tasks: join(import.meta.dirname, '../../../resources/suites/practice.jsonl'),
  taskTypes: ['abduction', 'deduction'],
  batchSize: 48,
  learningRate: 1e-4,
} as const satisfies {
  tasks: string;
  taskTypes: CodeTaskType[];
  batchSize: number;
  learningRate: number;
};
/** Two solutions tell a task that is sometimes solved from one that never or always is, which is all its reward asks. */
const ESTIMATES = 2;
/** The same of a framework whose solver is trained apart, four answers to each: 48 with the rated ones. */
const SOLVE_PROMPTS: Record<RewardedShare, number> = { 0: 12, 0.25: 9 };

/** What the runs of a study have in common. */
export type StudyPlan = {
  framework: FrameworkName;
  steps: number;
  /** Steps between two evaluations. */
  every: number;
};

export type StudyOptions = StudyPlan & {
  seeds: number;
  firstSeed: number;
  /** Held-out items per suite. */
  items: number;
  /** Runs at work together. */
  jobs: number;
  arms: readonly Arm[];
  rewardedShares: readonly RewardedShare[];
  /** Folder of the study's lab and state; the same one continues. */
  folder: string;
  /** Folder of another study whose evaluations a new folder begins with; null begins with none. */
  from: string | null;
  /** Folder of another study to compare with, entry by entry; null compares with none. */
  against: string | null;
  reportOnly: boolean;
};

type Supervision = Partial<RunConfig['supervision']>;

const everyPhase = (p: number): RunConfig['supervision']['phases'] => ({
  task: p,
  plan: p,
  thought: p,
  output: p,
  exec: p,
});

const SUPERVISION: Record<Arm, Supervision> = {
  alone: { phases: everyPhase(0) },
  supervised: { phases: everyPhase(0.3), reviewer: 'llama' },
  rubric: { phases: everyPhase(0.3), reviewer: 'rubric' },
  filler: { phases: everyPhase(0.3), reviewer: 'llama', contextText: 'filler' },
  always: { phases: everyPhase(1), reviewer: 'llama' },
  traced: { phases: everyPhase(0), fixedContext: [TRACE_LINE] },
  practice: { phases: everyPhase(0), fixedContext: [TRACE_LINE] },
  worded: { phases: everyPhase(0.3), reviewer: 'llama', summary: 'model', merge: 'model' },
  constant: { phases: everyPhase(0), fixedContext: [SAFETY_LINE] },
  told: { phases: everyPhase(0) },
  yoked: { phases: everyPhase(0.3), reviewer: 'yoked' },
  shuffled: { phases: everyPhase(0.3), reviewer: 'llama', placing: 'shuffled' },
  shared: { phases: everyPhase(0) },
};

/** The supervised run that an arm of `LENT` is made of: its id in the same lab and the lines of its last context. */
export type Lender = { id: string; context: readonly string[] };

const lentBy = (arm: Arm, lender: Lender): Supervision =>
  arm === 'told' ? { fixedContext: [...lender.context] } : { reviewerSettings: { run: lender.id } };

export type StudyRun = { arm: Arm; rewardedShare: RewardedShare; seed: number };

/** `alone/0.25/101`: names a run of the study in its state, in its lab and on the screen. */
export const runKey = ({ arm, rewardedShare, seed }: StudyRun): string => `${arm}/${rewardedShare}/${seed}`;

/** Arms that runs of a framework can have. */
export function armsOf(framework: FrameworkName): readonly Arm[] {
  const { framework: settings } = runConfigSchema.parse(demoPreset(framework));
  return ARMS.filter(
    (arm) => (arm !== 'shared' || 'roles' in settings) && (arm !== 'practice' || 'batchSize' in settings),
  );
}

/** The framework's settings, smaller where the demo's would be more than 48 answers a step. */
function frameworkOfRun(
  { arm, rewardedShare }: StudyRun,
  { framework, train }: RunConfigInput,
): Pick<RunConfigInput, 'framework' | 'train'> {
  const { tasks, taskTypes, batchSize, learningRate } = PRACTICE;
  if (arm === 'practice')
    return {
      framework: { name: 'fixed-tasks', tasks, taskTypes, batchSize },
      train: { ...train, learningRate },
    };
  if (framework !== undefined && 'solve' in framework)
    return {
      framework: {
        ...framework,
        solve: { ...framework.solve, prompts: SOLVE_PROMPTS[rewardedShare] },
        ...(arm === 'shared' ? { roles: 'shared' } : {}),
      },
      train,
    };
  return {
    framework: {
      ...framework,
      batchSize: BATCH_SIZE[rewardedShare],
      estimateSamples: ESTIMATES,
    } as RunConfigInput['framework'],
    train,
  };
}

/**
 * The configuration of a run: that of the framework's demo, with smaller batches so that many runs fit into an hour. Only Landlock and
 * seccomp isolate programs (L2): a namespace of its own for each would take a tenth of the study's time and changes no verdict.
 */
export function configOf(planned: StudyRun, plan: StudyPlan, lender: Lender | null = null): RunConfig {
  const { arm, rewardedShare, seed } = planned;
  const preset = demoPreset(plan.framework);
  return runConfigSchema.parse({
    ...preset,
    ...frameworkOfRun(planned, preset),
    name: `study ${runKey({ arm, rewardedShare, seed })}`,
    preset: 'study',
    steps: plan.steps,
    seed,
    rewardedPrompts: { ...preset.rewardedPrompts, share: rewardedShare },
    supervision: {
      ...preset.supervision,
      // As when the published runs were made; where a model words the context, their lines rest on it.
      nothingToCompare: 'ask',
      ...SUPERVISION[arm],
      ...(lender === null ? {} : lentBy(arm, lender)),
    },
    sandbox: { ...preset.sandbox, level: 'L2', workers: 1 },
    checkpoints: { keepEvery: plan.every },
  });
}
