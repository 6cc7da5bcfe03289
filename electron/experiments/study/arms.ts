import { join } from 'node:path';
import { runConfigSchema, type CodeTaskType, type RunConfig } from '../../contract/index.ts';
import { PRESETS } from '../../evolution/index.ts';

/**
 * What is compared. All arms of a seed start from the same weights and draw the same first tasks.
 * alone: nobody reviews. supervised, rubric: 30 % of every phase reviewed, by the embedded model or by rules. filler: supervised,
 * but the policy is shown neutral text of as many tokens in place of what the reviews brought. always: supervised, everything
 * reviewed. traced: alone, with the guidance to trace fixed in every prompt. practice: as traced, on fixed tasks in place of proposed
 * ones, as hard as the suite's from the first step to the last. worded: supervised, with summaries and context in the words of the
 * supervisor's model in place of the rule. Controls of what supervision owes to what: constant: alone, with one line about safety fixed
 * in every prompt. told: alone, with the lines of the supervised run's last context fixed from the first step on. yoked: each place
 * gets the review that the supervised run of another seed got there. shuffled: supervised, with each review standing for a random item of
 * its step and phase.
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
};

/** Practice has another framework than what it would stand beside, and the others came after the published study: they are asked for by name. */
const BY_NAME: readonly Arm[] = ['practice', 'worded', 'constant', 'told', 'yoked', 'shuffled'];

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

export type StudyOptions = {
  seeds: number;
  firstSeed: number;
  steps: number;
  /** Steps between two evaluations. */
  every: number;
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
};

/** The supervised run that an arm of `LENT` is made of: its id in the same lab and the lines of its last context. */
export type Lender = { id: string; context: readonly string[] };

const lentBy = (arm: Arm, lender: Lender): Supervision =>
  arm === 'told' ? { fixedContext: [...lender.context] } : { reviewerSettings: { run: lender.id } };

export type StudyRun = { arm: Arm; rewardedShare: RewardedShare; seed: number };

/** `alone/0.25/101`: names a run of the study in its state, in its lab and on the screen. */
export const runKey = ({ arm, rewardedShare, seed }: StudyRun): string => `${arm}/${rewardedShare}/${seed}`;

/**
 * The configuration of a run: the demo's, with smaller batches so that many runs fit into an hour. Only Landlock and seccomp
 * isolate programs (L2): a namespace of its own for each would take a tenth of the study's time and changes no verdict.
 */
export function configOf(
  { arm, rewardedShare, seed }: StudyRun,
  steps: number,
  every: number,
  lender: Lender | null = null,
): RunConfig {
  const preset = PRESETS.demo;
  const { tasks, taskTypes, batchSize, learningRate } = PRACTICE;
  const trained =
    arm !== 'practice'
      ? {
          framework: {
            ...preset.framework,
            batchSize: BATCH_SIZE[rewardedShare],
            estimateSamples: ESTIMATES,
          },
        }
      : {
          framework: { name: 'fixed-tasks', tasks, taskTypes, batchSize },
          train: { ...preset.train, learningRate },
        };
  return runConfigSchema.parse({
    ...preset,
    ...trained,
    name: `study ${runKey({ arm, rewardedShare, seed })}`,
    preset: 'study',
    steps,
    seed,
    rewardedPrompts: { ...preset.rewardedPrompts, share: rewardedShare },
    supervision: {
      ...preset.supervision,
      ...SUPERVISION[arm],
      ...(lender === null ? {} : lentBy(arm, lender)),
    },
    sandbox: { ...preset.sandbox, level: 'L2', workers: 1 },
    checkpoints: { keepEvery: every },
  } satisfies Record<keyof Omit<RunConfig, 'generation' | 'policy' | 'train' | 'evaluation'>, unknown>);
}
