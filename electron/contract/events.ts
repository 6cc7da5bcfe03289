import { z } from 'zod';
import { answerTokenSchema } from './asking.ts';
import { trippedSchema } from './evaluations/request.ts';
import { probabilitySchema, sha256Schema } from './names.ts';
import { reviewRecordSchema, rolloutRecordSchema, runStateSchema, stepPlaceSchema } from './runs/records.ts';

/** Of this program, as package.json has it. */
export const APP_VERSION = '0.1.0';

/** Anything worth telling or auditing. Stored events form a SHA-256 chain per lab: hash = H(prev ‖ canonical JSON). */
export const storedEventSchema = z.strictObject({
  seq: z.int().positive(),
  at: z.iso.datetime(),
  runId: z.string().nullable(),
  kind: z.string(),
  body: z.unknown(),
  prev: sha256Schema,
  hash: sha256Schema,
});
export type StoredEvent = z.infer<typeof storedEventSchema>;

/** What a run at work says it is at. Whatever shows it has a word for each. */
export const PROGRESS_STAGES = [
  'tasks',
  'seeds',
  'generate',
  'estimate',
  'update',
  'supervise',
  'summaries',
  'merge',
  'committed',
  'evaluate',
] as const;
export type ProgressStage = (typeof PROGRESS_STAGES)[number];

/** Live progress of a run; not stored. `seq` grows by one per event of the engine so that a reader notices a gap. */
const progressEventSchema = z.strictObject({
  seq: z.int().positive(),
  at: z.iso.datetime(),
  runId: z.string(),
  step: z.int().nonnegative(),
  steps: z.int().positive(),
  stage: z.enum(PROGRESS_STAGES),
  done: z.number(),
  total: z.number(),
  unit: z.string(),
  ratePerSecond: z.number().nullable(),
  etaSeconds: z.number().nullable(),
  /** Of a framework of several stages: where the step stands in its schedule. */
  place: stepPlaceSchema.optional(),
});
export type ProgressEvent = z.infer<typeof progressEventSchema>;

/** A feed has of the stored steps the newest, whole ones, until they have so many lines: more than a person reads there. */
export const FEED_LINES = 600;

/** A record as a feed shows it: enough for one line; the whole one is read by id once its step is stored. */
const recordHeadSchema = rolloutRecordSchema
  .pick({
    id: true,
    step: true,
    batch: true,
    purpose: true,
    role: true,
    taskType: true,
    finish: true,
    newTokens: true,
    formatOk: true,
    verdict: true,
    reward: true,
  })
  .extend({ /** The answer's or text's beginning, one line. */ excerpt: z.string() });
export type RecordHead = z.infer<typeof recordHeadSchema>;

/** A review as a feed shows it. */
const reviewHeadSchema = reviewRecordSchema.pick({
  id: true,
  step: true,
  batch: true,
  phase: true,
  rolloutId: true,
  status: true,
  decision: true,
  issues: true,
  feedback: true,
  reviewer: true,
  milliseconds: true,
});
export type ReviewHead = z.infer<typeof reviewHeadSchema>;

/** What a job counts. */
const JOB_UNITS = ['byte', 'page', 'part', 'step', 'answer', 'review', 'rollout', 'token', 'record'] as const;
export type JobUnit = (typeof JOB_UNITS)[number];

/** A job of the engine that takes longer than a moment: hashing, importing, testing, backing up, evaluating. */
const jobSchema = z.strictObject({
  id: z.string(),
  kind: z.string(),
  title: z.string(),
  state: z.enum(['running', 'done', 'failed', 'cancelled']),
  done: z.number(),
  total: z.number(),
  unit: z.enum(JOB_UNITS),
  /** Units that are half done, those done among them: an answer that is generated and waits for its verdict. Absent where there are no halves. */
  generated: z.number().optional(),
  /** Units done that a model decided. Absent where none did. */
  judged: z.number().optional(),
  ratePerSecond: z.number().nullable(),
  etaSeconds: z.number().nullable(),
  /** One sentence once the job has ended badly; null otherwise. */
  problem: z.string().nullable(),
});
export type Job = z.infer<typeof jobSchema>;

/**
 * A child process. `silent`: no word for `seconds`; `busy`: alive, but without progress in its request for `seconds`; `lost`: gone and
 * being started again. After `limitSeconds` of silence or standstill it is given up and started again; null where nothing runs out.
 */
const childStateSchema = z.strictObject({
  runId: z.string().nullable(),
  child: z.enum(['trainer', 'supervisor', 'runner', 'grader']),
  state: z.enum(['ready', 'busy', 'silent', 'lost']),
  seconds: z.number(),
  limitSeconds: z.number().nullable(),
  /** Why it was lost; empty otherwise. */ detail: z.string(),
});
export type ChildState = z.infer<typeof childStateSchema>;

const share = probabilitySchema;
const bytes = z.number().nonnegative();

/** What one process of the lab takes, with everything it started. `cpu` counts busy cores (1 = one core); null where the system does not tell. */
const processUsageSchema = z.strictObject({
  name: z.enum(['engine', 'trainer', 'supervisor', 'runner', 'grader']),
  /** Null for a process that serves all runs. */ runId: z.string().nullable(),
  cpu: z.number().nonnegative().nullable(),
  memory: bytes.nullable(),
});
export type ProcessUsage = z.infer<typeof processUsageSchema>;

/** Why no card is seen: nvidia-smi was not asked yet, is not here, did not answer in time, or refused to answer. */
export const GPU_PROBLEMS = ['not-asked', 'missing', 'no-answer', 'refused'] as const;
export type GpuProblem = (typeof GPU_PROBLEMS)[number];
/** What slows a card down: its power limit, its temperature, its hardware's own guard, the brake of its power supply. */
export const GPU_SLOWDOWNS = ['power', 'heat', 'hardware', 'power-brake'] as const;

/** A card as nvidia-smi tells it; null is what it does not tell. Memory is bytes. */
const gpuSampleSchema = z.strictObject({
  index: z.int().nonnegative(),
  name: z.string(),
  busy: share.nullable(),
  memoryUsed: bytes.nullable(),
  memoryTotal: bytes.nullable(),
  /** Of the lab's own processes, and of all others. */
  memoryOurs: bytes.nullable(),
  memoryOthers: bytes.nullable(),
  celsius: z.number().nullable(),
  watts: z.number().nonnegative().nullable(),
  wattsLimit: z.number().nonnegative().nullable(),
  /** Into instances (MIG), of which nvidia-smi tells no use. */
  isSplit: z.boolean(),
  slowedBy: z.array(z.enum(GPU_SLOWDOWNS)),
});
export type GpuSample = z.infer<typeof gpuSampleSchema>;

/** The machine at one moment. Shares are 0…1; memory and disk are bytes. */
const resourceSampleSchema = z.strictObject({
  at: z.iso.datetime(),
  /** Of all cores, since the sample before; null for the first. */
  cpu: share.nullable(),
  cores: z.int().positive(),
  /** Cores that programs which are not the lab's kept busy since the sample before; null for the first, and where processes are not told. */
  others: z.number().nonnegative().nullable(),
  memory: z.strictObject({ used: bytes, total: bytes }),
  /** Where the lab lies; null when the system does not tell. */
  disk: z.strictObject({ free: bytes, total: bytes }).nullable(),
  /** Cards of NVIDIA's, and why there are none. */
  gpus: z.array(gpuSampleSchema),
  gpuProblem: z.enum(GPU_PROBLEMS).nullable(),
  processes: z.array(processUsageSchema),
});
export type ResourceSample = z.infer<typeof resourceSampleSchema>;

/** The reviewer's items in a step, and what the step loses by them. What a person is asked is not among them. */
const reviewQueueSchema = z.strictObject({
  waiting: z.int().nonnegative(),
  /** Asked and not answered yet. */
  answering: z.int().nonnegative(),
  /** With an answer, whether or not the leak guard let it through. */
  answered: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  /** Passed over because the step's time for reviews was used up. */
  skipped: z.int().nonnegative(),
  /** Of those with an answer, together. */
  answerSeconds: z.number().nonnegative(),
  /** Time for reviews that the step still has; null where it has no limit. */
  budgetLeftSeconds: z.number().nonnegative().nullable(),
  /** How long the step stood still for reviews so far, and since when it does now; null where it goes on meanwhile. */
  waitedSeconds: z.number().nonnegative(),
  waitsSince: z.iso.datetime().nullable(),
});
export type ReviewQueue = z.infer<typeof reviewQueueSchema>;

/** What happens in the engine, as it happens. Whatever is worth keeping is stored elsewhere; this is how a window gets it. */
const liveEventSchema = z.discriminatedUnion('kind', [
  progressEventSchema.omit({ seq: true, at: true }).extend({ kind: z.literal('progress') }),
  /** A rollout of the step under way was read and verified. Estimates are not reported. */
  z.strictObject({ kind: z.literal('record'), runId: z.string(), record: recordHeadSchema }),
  z.strictObject({ kind: z.literal('review'), runId: z.string(), review: reviewHeadSchema }),
  /** A step is stored: everything about it can be read now. */
  z.strictObject({
    kind: z.literal('step'),
    runId: z.string(),
    step: z.int(),
    timings: z.record(z.string(), z.number()),
    metrics: z.record(z.string(), z.number()),
  }),
  z.strictObject({
    kind: z.literal('run'),
    runId: z.string(),
    state: runStateSchema.nullable(),
    reason: z.string().nullable(),
    committedSteps: z.int(),
  }),
  z.strictObject({ kind: z.literal('job'), job: jobSchema }),
  /** What a model that was asked has written since, behind the first `from` tokens of its answer; later ones that were told are void. */
  z.strictObject({
    kind: z.literal('answer'),
    questionId: z.string(),
    side: z.int().nonnegative(),
    state: z.enum(['waiting', 'loading', 'answering', 'ended']),
    from: z.int().nonnegative(),
    tokens: z.array(answerTokenSchema),
  }),
  /** A tripwire of a run was touched. */
  z.strictObject({ kind: z.literal('tripped'), tripped: trippedSchema }),
  /** Something of this name changed and should be read again: models, settings, reviews waiting for a person, evaluations… */
  z.strictObject({ kind: z.literal('changed'), what: z.string(), runId: z.string().nullable() }),
  /** How the processes of the lab are doing; sent only when that changes. */
  childStateSchema.extend({ kind: z.literal('child') }),
  /** How far the reviewer of a step has come; sent when that changes. */
  reviewQueueSchema.extend({ kind: z.literal('queue'), runId: z.string(), step: z.int() }),
  z.strictObject({ kind: z.literal('resources'), sample: resourceSampleSchema }),
]);
export type LiveEvent = z.infer<typeof liveEventSchema>;

/** `seq` grows by one per event since the engine started. */
export type SequencedEvent = { seq: number; at: string; event: LiveEvent };

/** What a subscription yields: events in order, or the note that some are gone (the engine was restarted, or the reader was away too long), so that the reader asks for the present state again. */
export type LiveBatch = { epoch: string; events: SequencedEvent[]; missed: boolean };
