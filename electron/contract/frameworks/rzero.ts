import { z } from 'zod';
import { REWARDED_BATCHES, type BatchSpec } from './batches.ts';

const positiveInt = z.int().positive();
const count = z.int().nonnegative();
const share = z.number().min(0).max(1);

/** What either of the two learning stages is made of in one step. */
const learningStage = (sizes: { steps: number; prompts: number; samples: number }) =>
  z
    .strictObject({
      /** Steps of the stage in each iteration; every one of them moves the weights. */
      steps: positiveInt.default(sizes.steps),
      /** Prompts of a step. */
      prompts: positiveInt.default(sizes.prompts),
      /** Responses to each prompt, among which an advantage is computed; at least two, or there is nothing to compare with. */
      samples: z.int().min(2).default(sizes.samples),
      /** Responses per optimizer step; all of the step in one when null. Takes the place of train.miniBatch. */
      miniBatch: positiveInt.nullable().default(null),
    })
    .prefault({});

/** How the solver answers where its answers are votes. What is null is as the run samples its estimators. */
const voteSampling = {
  temperature: z.number().positive().nullable().default(null),
  topP: z.number().positive().max(1).nullable().default(null),
  /** Tokens that may be drawn at each place, the likeliest; 0 is all. */
  topK: count.default(0),
};

/**
 * R-Zero (Huang et al. 2025): a challenger learns to ask what a solver is unsure of, the solver learns from the questions on which its own
 * answers are split. Where the original has a fault that changes numbers, the default is the sound behaviour and `rzero-compat` has the
 * original's back, for comparison.
 */
export const rzeroConfigSchema = z.strictObject({
  name: z.literal('rzero'),
  /** separate: challenger and solver have weights of their own. shared: one set is both, and the votes are those of weights that move. */
  roles: z.enum(['separate', 'shared']).default('separate'),
  /** fresh: optimizer and KL reference begin anew with each learning stage, as in the original. carried: they last for the whole run. */
  stageStart: z.enum(['fresh', 'carried']).default('fresh'),
  /** C, the challenger's training. */
  challenge: learningStage({ steps: 5, prompts: 8, samples: 4 }),
  /** The solver's answers that tell how sure it is of a challenger's question. */
  vote: z.strictObject({ samples: z.int().min(2).default(10), ...voteSampling }).prefault({}),
  /** G, the questions of an iteration. */
  pose: z
    .strictObject({
      questions: positiveInt.default(64),
      /** Questions asked for in one step; what a run that is cut off has to ask again. */
      perStep: positiveInt.default(64),
      topP: z.number().positive().max(1).nullable().default(null),
    })
    .prefault({}),
  /** L, their labels: what most of the solver's answers agree on. */
  label: z
    .strictObject({
      samples: z.int().min(2).default(9),
      /** Least and most agreement of a question that is kept, both included. */
      window: z
        .tuple([share, share])
        .refine(([low, high]) => low <= high, 'the first is at most the second')
        .default([0.3, 0.8]),
      /** Where fewer are kept than the solver's batch needs, both ends move by this, at most so many times; what was done is recorded. */
      widenBy: share.default(0.05),
      widenTimes: count.default(0),
      ...voteSampling,
    })
    .prefault({}),
  /** S, the solver's training on what was kept. */
  solve: learningStage({ steps: 15, prompts: 8, samples: 5 }),
  /** strict: a question and a boxed answer, each where it was asked for. rzero-compat: a missing box is no fault. */
  parser: z.enum(['strict', 'rzero-compat']).default('strict'),
  /** outside: samples without an answer do not vote. rzero-compat: they are a class like any other, and may win. */
  abstentions: z.enum(['outside', 'rzero-compat']).default('outside'),
  /** What a challenger's reward loses where nobody answers, times the share of samples without an answer. */
  abstentionPenalty: z.number().min(0).max(10).default(0.5),
  /** strict: answers are the same where mathematics says so. rzero-compat: also any two that contain "no ". */
  equality: z.enum(['strict', 'rzero-compat']).default('strict'),
  /** repository: min(p, 1 - p) less the repetition, without a floor. paper: 1 - 2 |p - 1/2| less the repetition, at least 0, and 0 without the form. */
  challengeReward: z.enum(['repository', 'paper']).default('repository'),
  repetition: z
    .strictObject({
      /** Texts whose mean BLEU distance is below this are one cluster. */
      cut: share.default(0.5),
      weight: z.number().min(0).max(10).default(1),
    })
    .prefault({}),
  /** agreement: 1 for the label, 0 otherwise. rzero-compat: 0.9 for the label and 0.1 for think tags that no prompt asks for. */
  solveReward: z.enum(['agreement', 'rzero-compat']).default('agreement'),
  /** floored: a group's deviation counts as at least deviationFloor. rzero-compat: no floor, so that ties become noise of full size. */
  advantages: z.enum(['floored', 'rzero-compat']).default('floored'),
  deviationFloor: z.number().positive().max(1).default(0.05),
  /** Whom a challenger's response is compared with: all its prompts are the same, so all of the batch is a group as well. */
  challengeBaseline: z.enum(['group', 'batch']).default('group'),
  /** none: every question that can be read. rzero-compat: not those that contain "box" or the Chinese word for "prove". */
  questionFilter: z.enum(['none', 'rzero-compat']).default('none'),
  /** Whether a question that was asked before in the run is left out. */
  duplicates: z.enum(['removed', 'rzero-compat']).default('removed'),
  /** How a solver's text is split into plan, thought and output for its reviewers. */
  splitter: z.literal(1).default(1),
});
export type RzeroConfig = z.infer<typeof rzeroConfigSchema>;

/** In the order of step files. Votes belong to the batch of the questions that they are about; rated answers are the solver's. */
export const RZERO_BATCHES: readonly BatchSpec[] = [
  ...(
    [
      ['challenge', 'proposer'],
      ['pose', 'proposer'],
      ['label', 'solver'],
      ['answer', 'solver'],
    ] as const
  ).map(([name, role]): BatchSpec => ({
    name,
    role,
    taskType: 'question',
    judgedBy: 'agreement',
    heading: 'question',
  })),
  ...REWARDED_BATCHES,
];
