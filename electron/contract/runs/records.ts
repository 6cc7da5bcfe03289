import { z } from 'zod';
import {
  phaseSchema,
  probabilitySchema,
  reviewerKindSchema,
  sha256Schema,
  shortNameSchema,
  taskTypeSchema,
} from '../names.ts';
import type { CheckpointRecord } from './checkpoints.ts';
import { storedRunConfigSchema } from './run-config.ts';

const isoTime = z.iso.datetime();
const step = z.int().nonnegative();

export const RUN_STATES = [
  'queued',
  'setting-up',
  'stepping',
  'pausing',
  'paused',
  'interrupted',
  'done',
  'failed',
] as const;
export const runStateSchema = z.enum(RUN_STATES);
export type RunState = z.infer<typeof runStateSchema>;

export const runRecordSchema = z.strictObject({
  id: z.string().min(1),
  createdAt: isoTime,
  config: storedRunConfigSchema,
  state: runStateSchema,
  /** Why the run is in this state, one sentence; null when there is nothing to say. */
  reason: z.string().nullable(),
  /** Steps committed so far; 0 before the first. */
  committedSteps: step,
  /** SHA-256 of the policy's weights before step 1 and of the supervisor file (null without one). */
  policySha256: sha256Schema.nullable(),
  supervisorSha256: sha256Schema.nullable(),
  /** Directory of checkpoints and step files, relative to the lab folder. */
  folder: z.string(),
});
export type RunRecord = z.infer<typeof runRecordSchema>;

/** A task in a buffer: a triplet (one input, one output) or an induction task (several, with a message). Literal texts are Python. */
export const taskRecordSchema = z.strictObject({
  id: z.string(),
  taskType: taskTypeSchema,
  step,
  /** Where it comes from, such as `seed` or `proposal`. */
  origin: shortNameSchema,
  /** Proposal that created it; null for seeds and rewarded prompts. */
  rolloutId: z.string().nullable(),
  program: z.string(),
  inputs: z.array(z.string()),
  outputs: z.array(z.string()),
  message: z.string().nullable(),
  imports: z.array(z.string()),
  /** Mean accuracy of the Monte-Carlo solutions; null when not estimated. */
  solveRate: probabilitySchema.nullable(),
});
export type TaskRecord = z.infer<typeof taskRecordSchema>;

/** One response to the request for a first task, before step 1. */
export const seedAttemptSchema = z.strictObject({
  /** Rounds are asked one after another, each with the tasks of those before it as references. */
  round: z.int().positive(),
  index: z.int().nonnegative(),
  taskType: taskTypeSchema,
  user: z.string(),
  text: z.string(),
  finish: shortNameSchema,
  newTokens: z.int().nonnegative(),
  /** Why it is no task; null where it is one. */
  reason: z.string().nullable(),
  task: taskRecordSchema.pick({ program: true, inputs: true, outputs: true, message: true }).nullable(),
});
export type SeedAttempt = z.infer<typeof seedAttemptSchema>;

/** What validation or verification found; `reason` is one short machine-readable word per cause (see evolution/azr). */
export const verdictSchema = z.strictObject({
  outcome: z.enum(['passed', 'failed', 'invalid']),
  reason: z.string().nullable(),
  /** Share of hidden induction pairs solved, or 0/1. */
  accuracy: probabilitySchema,
  sandboxLevel: z.enum(['L3', 'L2', 'unsafe']).nullable(),
});
export type Verdict = z.infer<typeof verdictSchema>;

export const rolloutRecordSchema = z.strictObject({
  /** `${step}/${batch}/${index}` for trained rollouts, with `/${sample}` appended for estimates and retries. */
  id: z.string(),
  step,
  batch: shortNameSchema,
  index: z.int().nonnegative(),
  sample: z.int().nonnegative().nullable(),
  purpose: shortNameSchema,
  role: shortNameSchema,
  taskType: taskTypeSchema,
  /** Task solved, or the task a valid proposal became. */
  taskId: z.string().nullable(),
  contextHash: sha256Schema,
  user: z.string(),
  text: z.string(),
  plan: z.string().nullable(),
  thought: z.string().nullable(),
  answer: z.string().nullable(),
  formatOk: z.boolean(),
  finish: z.enum(['stop', 'length', 'cancel', 'error']),
  promptTokens: z.int(),
  newTokens: z.int(),
  logpMean: z.number().nullable(),
  verdict: verdictSchema,
  reward: z.number().nullable(),
  advantage: z.number().nullable(),
});
export type RolloutRecord = z.infer<typeof rolloutRecordSchema>;

/** How a response came about: what it was asked with, heard on its way to the weights, and when its last token was there. */
export const generationRecordSchema = z.strictObject({
  rolloutId: z.string(),
  at: isoTime,
  /** Of the canonical JSON of `{messages}`, or of `{plain}` where the pack writes plain text. */
  promptSha256: sha256Schema,
  /** Text of the system message, C_t in it; null where the prompt is one plain text. */
  system: z.string().nullable(),
});
export type GenerationRecord = z.infer<typeof generationRecordSchema>;

export const reviewStatusSchema = z.enum(['done', 'skipped-by-budget', 'failed', 'quarantined']);
export type ReviewStatus = z.infer<typeof reviewStatusSchema>;
export const reviewRecordSchema = z.strictObject({
  /** `${rolloutId}#${phase}` or `${step}/${batch}#exec`. */
  id: z.string(),
  step,
  batch: shortNameSchema,
  phase: phaseSchema,
  rolloutId: z.string().nullable(),
  status: reviewStatusSchema,
  gateProbability: probabilitySchema,
  decision: z.enum(['continue', 'retry']).nullable(),
  issues: z.array(z.string()),
  feedback: z.string(),
  /** The place in what the reviewer was shown that the finding is about, as it stands there but for spaces and line ends; absent where none was named. */
  quote: z.string().min(1).optional(),
  reviewer: reviewerKindSchema,
  model: z.string().nullable(),
  /** Exactly what the reviewer was shown. */
  prompt: z.string(),
  /** Leak guard findings; a non-empty list means the feedback was quarantined and never reached a summary. */
  leaks: z.array(z.string()),
  tokensIn: z.int(),
  tokensOut: z.int(),
  milliseconds: z.number(),
  createdAt: isoTime,
});
export type ReviewRecord = z.infer<typeof reviewRecordSchema>;

/** Whether a record says that there was nothing to review, so that nobody was asked and nothing is decided. */
export const nobodyAsked = ({ status, decision }: Pick<ReviewRecord, 'status' | 'decision'>): boolean =>
  status === 'done' && decision === null;

/** Aggregation F_t of one batch's reviews (ANCHOR Eq. 6). */
export const summaryRecordSchema = z.strictObject({
  step,
  batch: shortNameSchema,
  scope: z.enum(['verified', 'all']),
  reviewed: z.int(),
  eligible: z.int(),
  points: z.array(
    z.strictObject({
      issue: z.string(),
      feedback: z.string(),
      count: z.int(),
      reviewIds: z.array(z.string()),
    }),
  ),
  text: z.string(),
});
export type SummaryRecord = z.infer<typeof summaryRecordSchema>;

/** Why a line that a model wrote does not stand as it wrote it. */
export const REFUSALS = [
  'leak',
  'deed',
  'instruction',
  'unsupported',
  'repeat',
  'contradiction',
  'empty',
  'too-long',
] as const;

/**
 * What the supervisor's model wrote at the end of a step: the lines of one batch's summary (ANCHOR Eq. 6) or the lines of the
 * next context (Eq. 7), with what it was shown and what it answered.
 */
export const wordingRecordSchema = z.strictObject({
  /** `${step}/summary/${batch}` or `${step}/merge`. */
  id: z.string(),
  step,
  kind: z.enum(['summary', 'merge']),
  batch: shortNameSchema.nullable(),
  /** fallback: no answer could be used, so that the rule took its place. */
  status: z.enum(['done', 'fallback']),
  model: z.string(),
  /** What was asked and answered, in order; a summary asks once for each group of findings. */
  questions: z.array(
    z.strictObject({
      prompt: z.string(),
      /** As the model wrote it; null where none came. */
      answer: z.string().nullable(),
      problem: z.string().nullable(),
      tokensIn: z.int(),
      tokensOut: z.int(),
    }),
  ),
  lines: z.array(
    z.strictObject({
      /** Of a summary `${step}/${batch}/${n}`, of a merge the id of the context's line. */
      id: z.string(),
      text: z.string(),
      /** The kind of finding the line is about. */
      topic: z.string(),
      /** What it rests on: ids of reviews for a summary, of lines for a merge. */
      sources: z.array(z.string()).min(1),
      /** model: in the model's words; source: in the words of what it rests on. */
      wording: z.enum(['model', 'source']),
    }),
  ),
  refused: z.array(
    z.strictObject({ text: z.string(), sources: z.array(z.string()), reason: z.enum(REFUSALS) }),
  ),
  milliseconds: z.number(),
  createdAt: isoTime,
});
export type WordingRecord = z.infer<typeof wordingRecordSchema>;

export const contextLineSchema = z.strictObject({
  /** Stable within a run: `${enteredStep}.${ordinal}`. */
  id: z.string(),
  text: z.string(),
  /** Guidance key when the line belongs to the trained vocabulary. */
  key: z.string().nullable(),
  enteredStep: step,
  lastSupportedStep: step,
  support: z.int(),
  /** Reviews that caused or renewed it. */
  reviewIds: z.array(z.string()),
  /** Of a line that a model wrote: the kind of finding, the lines it was made of, and whose words it has. */
  worded: z
    .strictObject({
      topic: z.string(),
      from: z.array(z.string()).min(1),
      wording: z.enum(['model', 'source']),
    })
    .optional(),
});
export type ContextLine = z.infer<typeof contextLineSchema>;

/** C_t: what the proposer, the solver and the estimation solver of step t all see. */
export const contextRecordSchema = z.strictObject({
  step,
  hash: sha256Schema,
  text: z.string(),
  tokens: z.int(),
  lines: z.array(contextLineSchema),
  removed: z.array(
    z.strictObject({
      id: z.string(),
      text: z.string(),
      reason: z.enum(['expired', 'conflict', 'repeat', 'budget', 'model']),
    }),
  ),
});
export type ContextRecord = z.infer<typeof contextRecordSchema>;

/** Where a step stands in a schedule of several stages: metrics of that step. `globalStep` counts the steps that trained, up to this one. */
export const POSITION_METRICS = {
  iteration: 'schedule/iteration',
  stageStep: 'schedule/stage_step',
  globalStep: 'schedule/global_step',
} as const;

export const stepPlaceSchema = z.strictObject({
  stage: shortNameSchema,
  iteration: z.int().positive(),
  /** Which step of its stage within the iteration. */
  stageStep: z.int().positive(),
  globalStep: z.int().nonnegative(),
});
export type StepPlace = z.infer<typeof stepPlaceSchema>;

/** The place of a stored step; null for a framework of one stage, whose steps are all alike. */
export function placeOfStep({
  stage,
  iteration,
  metrics,
}: Pick<StepRecord, 'stage' | 'iteration' | 'metrics'>): StepPlace | null {
  const [stageStep, globalStep] = [metrics[POSITION_METRICS.stageStep], metrics[POSITION_METRICS.globalStep]];
  return stageStep === undefined || globalStep === undefined
    ? null
    : { stage, iteration, stageStep, globalStep };
}

export const stepRecordSchema = z.strictObject({
  step,
  startedAt: isoTime,
  finishedAt: isoTime,
  contextHash: sha256Schema,
  /** The stage of the framework's schedule that the step belongs to, and which round of that schedule it is, counted from 1. */
  stage: shortNameSchema,
  iteration: z.int().positive(),
  /** The weight set the step trains; null where it trains none. */
  role: shortNameSchema.nullable(),
  /** Of the weights after the step; null where it trains none. */
  weightsSha256: sha256Schema.nullable(),
  /** SHA-256 chain over everything of the step that must repeat: records, rewards, weights, context; no times, no ids of the run. */
  stepHash: sha256Schema,
  /** Seconds by sub-phase; hidden = supervision seconds that ran while the trainer was busy. */
  timings: z.record(z.string(), z.number()),
  metrics: z.record(z.string(), z.number()),
});
export type StepRecord = z.infer<typeof stepRecordSchema>;

/** Everything one step adds, written in one transaction. */
export type StepCommit = {
  step: StepRecord;
  tasks: TaskRecord[];
  rollouts: RolloutRecord[];
  reviews: ReviewRecord[];
  summaries: SummaryRecord[];
  /** What the supervisor's model wrote of them; empty where summaries and contexts are made by rule. */
  wordings: WordingRecord[];
  /** C_{t+1}. */
  nextContext: ContextRecord;
  /** Of the weight set the step trains; null where it trains none. */
  checkpoint: CheckpointRecord | null;
  /** One for each rollout, in their order; absent for steps taken before they were recorded. No part of the step hash. */
  generations?: GenerationRecord[] | undefined;
};

export const modelRecordSchema = z.strictObject({
  name: z.string().min(1),
  kind: z.enum(['policy', 'supervisor']),
  format: z.enum(['safetensors', 'gguf']),
  path: z.string(),
  sha256: sha256Schema,
  architecture: z.string(),
  parameters: z.number().nullable(),
  contextLength: z.int().nullable(),
  bytes: z.int(),
  addedAt: isoTime,
  embedded: z.boolean(),
});
export type ModelRecord = z.infer<typeof modelRecordSchema>;

export const evaluationItemSchema = z.strictObject({
  itemId: z.string(),
  text: z.string(),
  passed: z.boolean(),
  reason: z.string().nullable(),
  newTokens: z.int(),
});
export const evaluationRecordSchema = z.strictObject({
  id: z.string(),
  createdAt: isoTime,
  runId: z.string().nullable(),
  step: step.nullable(),
  model: z.string(),
  weightsSha256: sha256Schema,
  suite: z.string(),
  suiteKind: z.enum(['toy', 'public']),
  suiteSha256: sha256Schema,
  contextHash: sha256Schema.nullable(),
  temperature: z.number(),
  seed: z.int(),
  n: z.int(),
  passed: z.int(),
  milliseconds: z.number(),
  items: z.array(evaluationItemSchema),
});
export type EvaluationRecord = z.infer<typeof evaluationRecordSchema>;
export type EvaluationItem = z.infer<typeof evaluationItemSchema>;
