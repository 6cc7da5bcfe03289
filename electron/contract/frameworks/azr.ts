import { z } from 'zod';
import { REWARDED_BATCHES, type BatchSpec } from './batches.ts';
import { CODE_PROPOSALS, CODE_SOLUTIONS, codeTasksFields } from './code-tasks.ts';
import type { FrameworkView } from './view.ts';

const positiveInt = z.int().positive();
const count = z.int().nonnegative();
const nonNegative = z.number().nonnegative();

/** What of a proposal may be rewarded for its own sake. */
export const INTRINSIC_NAMES = [
  'complexity',
  'editDistance',
  'halstead',
  'answerDiversity',
  'inputDiversity',
  'outputDiversity',
] as const;
export type IntrinsicName = (typeof INTRINSIC_NAMES)[number];

/** An intrinsic reward adds min(coefficient × value, max) to a positive learnability reward (reward_managers.py:410). */
const intrinsicSchema = z.strictObject({ coefficient: nonNegative.default(0), max: nonNegative.default(1) });

/** The original's 256 are its batch of 64 times seed_batch_factor 4. */
export const ownSeedsSchema = z.strictObject({
  /** Programs with an input, and as many problems for induction where it is trained. */
  count: positiveInt.default(256),
  /** Texts asked for at most, of each of the two kinds. */
  attempts: positiveInt.default(4096),
  /** As proposers are sampled when null. */
  temperature: z.number().positive().nullable().default(null),
  /** Where a smaller share of the texts becomes tasks, the run stops and says why. */
  leastUsable: z.number().min(0).max(1).default(0.05),
});
export type OwnSeeds = z.infer<typeof ownSeedsSchema>;

/**
 * Absolute Zero Reasoner. Every point where its paper and its repository differ, or where the repository has a fault,
 * is a switch: the default is the sound behaviour, `azr-*` values reproduce the original for comparison.
 */
export const azrConfigSchema = z.strictObject({
  name: z.literal('azr'),
  ...codeTasksFields,
  /**
   * What the run begins with: a file of JSON Lines in the form of the original's seed files or of resources/suites/seeds.jsonl;
   * `embedded` for the latter itself, which is programs of the toy world; `own` for tasks that the policy writes before step 1, as the
   * original's. When absent `embedded`, with which only the embedded policy begins: for any other a run has to name one.
   */
  seeds: z
    .string()
    .regex(/^(?:embedded|own)$|\.jsonl$/, 'the name of a .jsonl file, embedded, or own')
    .optional(),
  /** How the policy writes its own first tasks (azr_ray_trainer.py:_init_seed_dataset); read where seeds are `own`. */
  ownSeeds: ownSeedsSchema.optional(),
  /** Monte-Carlo solutions per valid proposal (n_samples). */
  estimateSamples: positiveInt.default(4),
  /** K reference triplets shown to a proposer (io_n). */
  references: count.default(1),
  referenceSampling: z.enum(['uniform', 'recency']).default('uniform'),
  /** Inputs proposed per induction task; the first half is shown to the solver, the rest verifies. */
  inductionInputs: z.int().min(2).default(6),
  /**
   * Which tasks are solved: newest first within a window of one step, half of the batch new, newer ones more often, or all alike.
   * azr-max-new, azr-half-new, azr-step: the original's mixes to the letter (pred_data_mix_strategy; see TaskBuffers.chooseTasks).
   */
  taskChoice: z
    .enum(['newest-first', 'uniform', 'half-new', 'recency', 'azr-max-new', 'azr-half-new', 'azr-step'])
    .default('newest-first'),
  /** `sampled` estimates at temperature 1; `greedy` repeats the master branch's fault (val_kwargs.temperature 0). */
  estimateSampling: z.enum(['sampled', 'greedy']).default('sampled'),
  /** Reward of a valid proposal that nobody or everybody solves: paper 0, repository −0.5. */
  zeroLearnability: z.enum(['paper', 'repository']).default('repository'),
  /** one_minus: 1−a for 0<a; inverse: 1−a also at a=0. */
  learnability: z.enum(['one-minus', 'inverse']).default('one-minus'),
  /** all: every valid proposal enters its buffer; others drop tasks everybody (or nobody) solves. */
  bufferFilter: z.enum(['all', 'non-one', 'non-extremes']).default('all'),
  /** Reject proposals identical to a task already in the buffer; the original never does. */
  rejectDuplicates: z.boolean().default(false),
  intrinsic: z
    .strictObject({
      complexity: intrinsicSchema.prefault({}),
      editDistance: intrinsicSchema.prefault({}),
      halstead: intrinsicSchema.prefault({}),
      answerDiversity: intrinsicSchema.prefault({}),
      /** Of induction tasks only, and then of their inputs and outputs apart (f_input_answer_diversity_reward and its twin). Absent: off. */
      inputDiversity: intrinsicSchema.optional(),
      outputDiversity: intrinsicSchema.optional(),
      /**
       * tokens: the edit distance is that of two programs' tokens, and every literal of every task counts as an answer. azr-compat: it is
       * difflib's over both syntax trees as JSON; what counts as an answer is what a solver of the task has to find; and an induction task
       * has inputDiversity and outputDiversity and nothing else (reward_managers.py:404). tokens when absent.
       */
      measures: z.enum(['tokens', 'azr-compat']).optional(),
      /** How rare an answer is: among all of them, or the mean of its type's rarity and its own within the type. flat when absent. */
      surprise: z.enum(['flat', 'hierarchical']).optional(),
      combine: z.enum(['sum', 'multiply', 'sum-multiply', 'multiply-sum']).default('sum'),
    })
    .prefault({}),
});
export type AzrConfig = z.infer<typeof azrConfigSchema>;

/** In the order of step files, statistics and summaries. */
export const AZR_BATCHES: readonly BatchSpec[] = [...CODE_PROPOSALS, ...CODE_SOLUTIONS, ...REWARDED_BATCHES];

/** What is to be seen of a run whose policy proposes programs to itself. */
export const AZR_VIEW: FrameworkView<AzrConfig> = {
  stages: [],
  rates: [{ title: 'How often the tasks of a step are solved', stage: null }],
  keptRates: () => null,
  figures: [],
  labels: null,
  watches: [],
};
