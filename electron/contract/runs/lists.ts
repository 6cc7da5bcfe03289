import { z } from 'zod';
import { frameworkSchema } from '../frameworks/index.ts';
import { phaseSchema, reviewerKindSchema, shortNameSchema, taskTypeSchema } from '../names.ts';
import { judgedOutcomeSchema } from './judged-outcome.ts';
import { reviewRecordSchema, reviewStatusSchema, rolloutRecordSchema, runStateSchema } from './records.ts';
import { phaseProbabilitiesSchema } from './supervision-config.ts';

/**
 * Which records of a run; every given part must hold. Steps are inclusive. `issue`, `phase`, `decision` and `leak` ask for one
 * answered review of which all of them hold: issue "vague-plan" and phase "plan" finds a review of a plan that raised it.
 */
export const recordFilterSchema = z.strictObject({
  fromStep: z.int().optional(),
  toStep: z.int().optional(),
  batch: shortNameSchema.optional(),
  role: shortNameSchema.optional(),
  taskType: taskTypeSchema.optional(),
  outcome: judgedOutcomeSchema.optional(),
  reviewed: z.boolean().optional(),
  issue: z.string().optional(),
  phase: phaseSchema.optional(),
  decision: z.enum(['continue', 'retry']).optional(),
  /** Only records with a review that the leak guard quarantined. */
  leak: z.literal(true).optional(),
});
export type RecordFilter = z.infer<typeof recordFilterSchema>;

/** What a list shows of a review. */
const reviewMarkSchema = z.strictObject({
  phase: phaseSchema,
  status: reviewStatusSchema,
  decision: reviewRecordSchema.shape.decision,
});
export type ReviewMark = z.infer<typeof reviewMarkSchema>;

/** A record as a list shows it; the whole one is read by its id. */
export const recordRowSchema = rolloutRecordSchema
  .pick({
    id: true,
    step: true,
    batch: true,
    index: true,
    sample: true,
    purpose: true,
    role: true,
    taskType: true,
    formatOk: true,
    finish: true,
    newTokens: true,
    verdict: true,
    reward: true,
  })
  .extend({
    /** The answer's beginning, or the text's where there is none; control characters included. */ excerpt:
      z.string(),
    reviews: z.array(reviewMarkSchema),
  });
export type RecordRow = z.infer<typeof recordRowSchema>;

/** Where in a record a search looked. */
export const searchPlaceSchema = z.enum(['agent', 'prompt', 'review']);
export type SearchPlace = z.infer<typeof searchPlaceSchema>;

/** A filter a person has named, kept for the whole lab. */
export const savedFilterSchema = z.strictObject({
  name: z.string().trim().min(1).max(60),
  filter: recordFilterSchema,
  text: z.string().max(400),
});
export type SavedFilter = z.infer<typeof savedFilterSchema>;

/** What a person wrote on a run. Archived runs keep everything and leave the list. */
export const runAnnotationSchema = z.strictObject({
  tags: z
    .array(z.string().trim().min(1).max(40))
    .max(12)
    .overwrite((tags) => [...new Set(tags)]),
  notes: z.string().max(4000),
  archived: z.boolean(),
});
export type RunAnnotation = z.infer<typeof runAnnotationSchema>;

const comparisonSchema = z.strictObject({
  is: z.enum(['=', '<', '<=', '>', '>=']),
  value: z.number(),
});
export type Comparison = z.infer<typeof comparisonSchema>;

/** Which runs a list shows; everything given must hold. */
export const runRowFilterSchema = z.strictObject({
  states: z.array(runStateSchema).optional(),
  /** Words that all occur in name, preset, id, tags or notes. */
  words: z.array(z.string().min(1)).optional(),
  /** Part of the policy's name. */
  model: z.string().optional(),
  /** Part of the supervisor model's name, or a kind of reviewer. */
  reviewer: z.string().optional(),
  framework: frameworkSchema.optional(),
  preset: z.string().optional(),
  tag: z.string().optional(),
  /** Largest review probability of the five phases, 0…1. */
  supervision: comparisonSchema.optional(),
  /** Committed steps. */
  step: comparisonSchema.optional(),
  seed: comparisonSchema.optional(),
  archived: z.enum(['no', 'only', 'all']).optional(),
});
export type RunRowFilter = z.infer<typeof runRowFilterSchema>;

export const RUN_ORDERS = [
  'created',
  'name',
  'state',
  'model',
  'supervision',
  'progress',
  'seconds',
  'bytes',
] as const;
export const runOrderSchema = z.strictObject({ by: z.enum(RUN_ORDERS), descending: z.boolean() });
export type RunOrder = z.infer<typeof runOrderSchema>;

/** Stands for the reason of an answer that failed by a person's word alone: its grader passed it and gave none. */
export const BY_PERSON = 'by-person';

/** People's overrides in the verdicts' place. */
const shareSchema = z.strictObject({
  passed: z.int(),
  n: z.int(),
  /** Answers whose verdict is a person's. */ overridden: z.int(),
  /** Items that did not pass, by their reason. */ reasons: z.record(z.string(), z.int()),
});

/** Answers that fulfilled a restricted request: what a person says is no refusal though the grader saw one was fulfilled after all. */
export const fulfilledOf = ({ reasons }: { reasons: Readonly<Record<string, number>> }): number =>
  (reasons['complied'] ?? 0) + (reasons[BY_PERSON] ?? 0);

const intervalSchema = z.strictObject({ low: z.number(), high: z.number() });

/** The newest result of one suite at a run's last evaluated checkpoint, and of the weights the run began with under the same conditions. */
const runScoreSchema = shareSchema.extend({
  id: z.string(),
  suite: z.string(),
  step: z.int().nonnegative(),
  /** Whether the run's context stood in the prompt. */ withContext: z.boolean(),
  seed: z.int(),
  /** 95 % intervals (Wilson) of the shares of n that passed, and that fulfilled the request. */
  intervals: z.strictObject({ passed: intervalSchema, fulfilled: intervalSchema }),
  base: shareSchema.nullable(),
});
export type RunScore = z.infer<typeof runScoreSchema>;

/** A run as a list shows it. */
const runRowSchema = z.strictObject({
  id: z.string(),
  createdAt: z.iso.datetime(),
  name: z.string(),
  preset: z.string(),
  framework: frameworkSchema,
  policyModel: z.string(),
  seed: z.int(),
  state: runStateSchema,
  reason: z.string().nullable(),
  steps: z.int(),
  committedSteps: z.int(),
  phases: phaseProbabilitiesSchema,
  reviewer: reviewerKindSchema,
  supervisorModel: z.string(),
  rewardedShare: z.number(),
  annotation: runAnnotationSchema,
  /** Mean accuracy of the solver's batches over the run, 0…1, in at most `PASS_RATE_POINTS` equal stretches of steps. */
  passRates: z.array(z.number()),
  /** Seconds of all committed steps, and the median of the last ten; null before the first. */
  seconds: z.number(),
  secondsPerStep: z.number().nullable(),
  /** Kept checkpoints. */
  checkpoints: z.int(),
  checkpointBytes: z.number(),
  reviews: z.int(),
  scores: z.array(runScoreSchema),
  /** What was said when one of its tripwires was touched, oldest first. */
  tripped: z.array(z.string()),
});
export type RunRow = z.infer<typeof runRowSchema>;

export const PASS_RATE_POINTS = 32;

/** What comparing runs draws a curve over. */
export const CURVE_AXES = ['step', 'hours', 'reviews', 'tokens'] as const;
export type CurveAxis = (typeof CURVE_AXES)[number];

/** One run's values of one measure, with everything it can be drawn over; all arrays have the same length. */
export type RunCurve = {
  runId: string;
  step: number[];
  /** Wall-clock hours of the run's own steps, reviews answered and tokens generated, from the start to the end of each step. */
  hours: number[];
  reviews: number[];
  tokens: number[];
  values: number[];
};

/**
 * What of a step came to nothing: proposals that became no task, answers that could not be judged, first tries that a reviewer sent back,
 * responses whose advantage is 0 so that the update did not feel them, reviews that do not count.
 */
export const UNUSED_KINDS = ['proposal', 'answer', 'first-try', 'no-advantage', 'review'] as const;
export type UnusedKind = (typeof UNUSED_KINDS)[number];
/** `reason` is the word of a verdict or the status of a review; null where the kind says all. */
export type UnusedCount = { step: number; kind: UnusedKind; reason: string | null; count: number };
