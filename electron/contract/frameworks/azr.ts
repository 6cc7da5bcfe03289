import { z } from 'zod';
import type { BatchSpec } from './batches.ts';
import { CODE_PROPOSALS, CODE_SOLUTIONS, codeTasksFields } from './code-tasks.ts';
import { REWARDED_BATCHES } from './rewarded-prompts.ts';

const positiveInt = z.int().positive();
const count = z.int().nonnegative();
const nonNegative = z.number().nonnegative();

/** An intrinsic reward adds min(coefficient × value, max) to a positive learnability reward (reward_managers.py:410). */
const intrinsicSchema = z.strictObject({ coefficient: nonNegative.default(0), max: nonNegative.default(1) });

/**
 * Absolute Zero Reasoner. Every point where its paper and its repository differ, or where the repository has a fault,
 * is a switch: the default is the sound behaviour, `azr-*` values reproduce the original for comparison.
 */
export const azrConfigSchema = z.strictObject({
  name: z.literal('azr'),
  ...codeTasksFields,
  /**
   * What the run begins with: a file of JSON Lines in the form of the original's seed files or of resources/suites/seeds.jsonl, or
   * `embedded` for the latter itself, which is programs of the toy world. `embedded` when absent.
   */
  seeds: z
    .string()
    .regex(/^embedded$|\.jsonl$/, 'the name of a .jsonl file, or embedded')
    .optional(),
  /** Monte-Carlo solutions per valid proposal (n_samples). */
  estimateSamples: positiveInt.default(4),
  /** K reference triplets shown to a proposer (io_n). */
  references: count.default(1),
  referenceSampling: z.enum(['uniform', 'recency']).default('uniform'),
  /** Inputs proposed per induction task; the first half is shown to the solver, the rest verifies. */
  inductionInputs: z.int().min(2).default(6),
  /** Which tasks are solved: newest first within a window of one step (max_new), or uniformly from the buffer. */
  taskChoice: z.enum(['newest-first', 'uniform', 'half-new', 'recency']).default('newest-first'),
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
      combine: z.enum(['sum', 'multiply', 'sum-multiply', 'multiply-sum']).default('sum'),
    })
    .prefault({}),
});
export type AzrConfig = z.infer<typeof azrConfigSchema>;

/** In the order of step files, statistics and summaries. */
export const AZR_BATCHES: readonly BatchSpec[] = [...CODE_PROPOSALS, ...CODE_SOLUTIONS, ...REWARDED_BATCHES];
