import { z } from 'zod';
import { probabilitySchema, sha256Schema } from '../names.ts';

const isoTime = z.iso.datetime();
const count = z.int().nonnegative();

/** What a suite is about; the order of groups in tables. */
export const SUITE_GROUPS = ['code', 'maths', 'safety', 'own', 'toy'] as const;
const suiteGroupSchema = z.enum(SUITE_GROUPS);
export type SuiteGroup = z.infer<typeof suiteGroupSchema>;

/** Who gave a verdict. Two verdicts are of the same judge only when all of it is the same. */
const evaluationJudgeSchema = z.strictObject({
  /** gguf: a model. refusal-matcher, rules, minhash, letters: programs without a model. person: one of us. */
  kind: z.enum(['gguf', 'refusal-matcher', 'rules', 'minhash', 'letters', 'person']),
  name: z.string().min(1),
  sha256: sha256Schema.nullable(),
  promptVersion: z.string().min(1),
});
export type EvaluationJudge = z.infer<typeof evaluationJudgeSchema>;

/**
 * Whose answers are graded. `id` is its text in addresses and commands: "run-…@12" for a checkpoint, "model:name" for a model of the
 * library. `sha256` is of the checkpoint's weights or of the model's files.
 */
export const evaluationSubjectSchema = z.strictObject({
  id: z.string().min(1),
  kind: z.enum(['checkpoint', 'model']),
  label: z.string(),
  runId: z.string().nullable(),
  step: count.nullable(),
  model: z.string(),
  format: z.enum(['safetensors', 'gguf']),
  sha256: sha256Schema,
});
export type EvaluationSubject = z.infer<typeof evaluationSubjectSchema>;

/** How the questions were put. Scores under different protocols are different measurements. */
const evaluationProtocolSchema = z.strictObject({
  /** Name among the suite's protocols, for example "chat", "azr". */
  name: z.string().min(1),
  version: z.string(),
  temperature: z.number().nonnegative(),
  topP: z.number().positive().max(1),
  maxNewTokens: z.int().positive(),
  /** Answers asked for each item. */
  samples: z.int().positive(),
  promptPack: z.string().nullable(),
});
export type EvaluationProtocol = z.infer<typeof evaluationProtocolSchema>;

/** What stood in the prompt besides the question; null for the weights alone. */
const evaluationContextSchema = z.strictObject({
  hash: sha256Schema,
  runId: z.string().nullable(),
  step: count.nullable(),
});

/** What an evaluation is, fixed before its first answer. */
export const evaluationPlanRecordSchema = z.strictObject({
  subject: evaluationSubjectSchema,
  suite: z.string().min(1),
  group: suiteGroupSchema,
  suiteVersion: z.string().min(1),
  /** The data set its items are from and the hash of exactly those bytes; `dataset` is null for items that come with the program. */
  source: z.strictObject({ dataset: z.string().nullable(), sha256: sha256Schema }),
  protocol: evaluationProtocolSchema,
  context: evaluationContextSchema.nullable(),
  judge: evaluationJudgeSchema.nullable(),
  /**
   * How a GGUF model writes its answers: so many rows side by side in windows of so many tokens, and what ends an answer that repeats
   * itself. Absent for other models, and where answers were computed in batches that could mix up their first tokens.
   */
  answered: z
    .strictObject({
      rows: z.int().positive(),
      contextTokens: z.int().positive(),
      loopTokens: z.int().positive(),
    })
    .optional(),
  seed: z.int().nonnegative(),
  limit: z.int().positive().nullable(),
  /** Items that will be asked: the first `limit` of the suite, each `protocol.samples` times. */
  items: count,
  /** The sandbox, limits and versions that grading went by. */
  grader: z.record(z.string(), z.json()),
});
export type EvaluationPlanRecord = z.infer<typeof evaluationPlanRecordSchema>;

/**
 * Answers of a GGUF model from a program that computed questions of different length in one batch, in which one could be given the
 * first token of another; about one batch in five was.
 */
export const maybeMixed = ({ subject, answered }: EvaluationPlanRecord): boolean =>
  subject.format === 'gguf' && answered === undefined;

/** failed and unanswered count against a score, unjudged never counts. */
const ITEM_OUTCOMES = ['passed', 'failed', 'unjudged', 'unanswered'] as const;
const itemOutcomeSchema = z.enum(ITEM_OUTCOMES);
export type ItemOutcome = z.infer<typeof itemOutcomeSchema>;

/** `load-affected`: a time-out while more processes wanted a processor than there are. */
export const LOAD_AFFECTED = 'load-affected';

/** What grading says of one answer. */
const itemGradeSchema = z.strictObject({
  outcome: itemOutcomeSchema,
  /** A number beside the outcome where the suite has one (1 to 5 for harmfulness); null elsewhere. */
  score: z.number().nullable(),
  /** How the verdict was reached: "exact", "sandbox", "judge", "minhash"… */
  method: z.string().min(1),
  reason: z.string().nullable(),
  /** Things to know about the verdict: "forged-equality", "load-affected", "format"… */
  flags: z.array(z.string()),
  judge: evaluationJudgeSchema.nullable(),
  /** Whatever else the grader found; its shape is the suite's. */
  details: z.record(z.string(), z.json()),
});
export type ItemGrade = z.infer<typeof itemGradeSchema>;

/** One message of a question. A last one of the assistant is the beginning of its answer. */
const askedMessageSchema = z.strictObject({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.string(),
});
export type AskedMessage = z.infer<typeof askedMessageSchema>;

/** One graded answer. `ordinal` counts answers from 0 in the suite's order, samples of an item side by side. */
export const gradedItemSchema = z.strictObject({
  ordinal: count,
  itemId: z.string().min(1),
  sample: count,
  asked: z.array(askedMessageSchema),
  /** What would have been right, for people; null where nothing of the kind exists. */
  target: z.string().nullable(),
  text: z.string(),
  newTokens: count,
  grade: itemGradeSchema,
});
export type GradedItem = z.infer<typeof gradedItemSchema>;

/** A person's verdict, kept beside the program's and never in its place. */
export const itemOverrideSchema = z.strictObject({
  ordinal: count,
  outcome: z.enum(['passed', 'failed']),
  by: z.string().min(1).max(120),
  note: z.string().max(2000),
  at: isoTime,
});
export type ItemOverride = z.infer<typeof itemOverrideSchema>;

/** Names are unique within an evaluation; the first score of an evaluation is the one that stands for it. */
export const evaluationScoreSchema = z.strictObject({
  name: z.string().min(1),
  /** Null when there is nothing to measure it by. share: 0 to 1. scale: the suite's own scale. */
  value: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  unit: z.enum(['share', 'scale', 'count']),
  /** Observations behind it. */
  n: count,
  better: z.enum(['higher', 'lower', 'neither']),
  /** Where the interval comes from; null where there is none. */
  interval: z.enum(['wilson', 'bootstrap']).nullable(),
});
export type EvaluationScore = z.infer<typeof evaluationScoreSchema>;

const EVALUATION_STATES = ['running', 'stopped', 'failed', 'done'] as const;
export const evaluationStateSchema = z.enum(EVALUATION_STATES);
export type EvaluationState = z.infer<typeof evaluationStateSchema>;

export const outcomeCountsSchema = z.strictObject({
  passed: count,
  failed: count,
  unjudged: count,
  unanswered: count,
  flagged: count,
  loadAffected: count,
  overridden: count,
});
export type OutcomeCounts = z.infer<typeof outcomeCountsSchema>;

/**
 * An evaluation without its items. Those stored by earlier programs have form 1 and are shown in this shape too.
 * `scores` are as graded; `corrected` are the same with people's overrides in the verdicts' place, null without any. Where they are not
 * null, `counts` are of the same verdicts as they.
 */
export const evaluationSummarySchema = z.strictObject({
  id: z.string().min(1),
  form: z.union([z.literal(1), z.literal(2)]),
  createdAt: isoTime,
  finishedAt: isoTime.nullable(),
  state: evaluationStateSchema,
  /** Why it stopped or failed, one sentence. */
  problem: z.string().nullable(),
  plan: evaluationPlanRecordSchema,
  weightsSha256: sha256Schema,
  /** Answers that will be graded, and those that are. */
  planned: count,
  graded: count,
  counts: outcomeCountsSchema,
  /** Time spent on it, all sittings together. */
  milliseconds: z.number().nonnegative(),
  scores: z.array(evaluationScoreSchema),
  corrected: z.array(evaluationScoreSchema).nullable(),
});
export type EvaluationSummary = z.infer<typeof evaluationSummarySchema>;

/** The scores that are shown where there is room for one figure: with people's overrides where there are any. */
export const countedScores = ({
  scores,
  corrected,
}: Pick<EvaluationSummary, 'scores' | 'corrected'>): EvaluationScore[] => corrected ?? scores;

/** A score of a run's checkpoint with its 95 % interval (Wilson), people's overrides in the verdicts' place. `contextHash` is null for the weights alone. */
export type CheckpointScore = {
  id: string;
  suite: string;
  step: number | null;
  passed: number;
  n: number;
  /** Answers whose verdict is a person's. */
  overridden: number;
  contextHash: string | null;
  /** False where the context is that of another run or step, such as the one a run ended with asked of its start. */
  isOwnContext: boolean;
  interval: { low: number; high: number };
};

/** How a judge agrees with people on a labelled set. */
export const judgeCalibrationSchema = z.strictObject({
  id: z.string(),
  at: isoTime,
  set: z.string(),
  setSha256: sha256Schema,
  judge: evaluationJudgeSchema,
  path: z.string().nullable(),
  n: count,
  unjudged: count,
  tied: count,
  agreement: z.strictObject({ share: probabilitySchema.nullable(), low: z.number(), high: z.number() }),
  kappa: z.strictObject({ kappa: z.number(), low: z.number(), high: z.number() }).nullable(),
  humanRate: probabilitySchema.nullable(),
  judgeRate: probabilitySchema.nullable(),
  unanimous: z.strictObject({ n: count, agreed: count }),
});
export type JudgeCalibration = z.infer<typeof judgeCalibrationSchema>;
