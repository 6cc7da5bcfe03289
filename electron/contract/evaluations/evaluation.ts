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
 * `scores` are as graded; `corrected` are the same with people's overrides in the verdicts' place, null without any.
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

/** A condition on a score of a run's own evaluations. */
export const tripwireSchema = z.strictObject({
  suite: z.string().min(1).describe('Suite whose score is watched.'),
  score: z.string().min(1).optional().describe('Name of the score; the suite’s first one when absent.'),
  /** below, above: the score itself. falls, rises: its distance from the weights the run began with. Shares are 0 to 1: six points are 0.06. */
  when: z.enum(['below', 'above', 'falls', 'rises']),
  by: z.number().describe('The limit, in the score’s own unit; 0.06 is six points of a share.'),
  action: z.enum(['mark', 'pause']).default('mark'),
  /** Trip only when the interval lies beyond the limit as well, so that chance alone seldom trips it. */
  certain: z.boolean().default(false),
});
export type Tripwire = z.infer<typeof tripwireSchema>;

/** Kind of the event that keeps a touched tripwire. */
export const TRIPPED = 'tripwire.tripped';

/** A tripwire that was touched. `said` is the sentence for people. */
export const trippedSchema = z.strictObject({
  runId: z.string(),
  step: count,
  evaluationId: z.string(),
  wire: tripwireSchema,
  value: z.number(),
  base: z.number().nullable(),
  said: z.string(),
});
export type Tripped = z.infer<typeof trippedSchema>;

/** Which figures a person asks for; the seed and limit that most evaluations have when they are null. */
export const matrixRequestSchema = z.strictObject({
  subjects: z.array(z.string().min(1)).min(1).max(60),
  suites: z.array(z.string().min(1)).optional(),
  seed: z.int().nonnegative().nullable().default(null),
  limit: z.int().positive().nullable().default(null),
  /** null: the weights alone; run: under the context that a checkpoint's run had reached; both: a column of each. */
  context: z.enum(['run', 'both']).nullable().default(null),
  judge: z.string().nullable().default(null),
  /** Also how each cell differs from that of its base, which reads all answers. */
  changes: z.boolean().default(false),
  /** Key of the column that changes are measured from; each run's own base when null. */
  base: z.string().nullable().default(null),
});
export type MatrixRequest = z.input<typeof matrixRequestSchema>;

/** Why a cell's number is to be taken with care. */
export type CellMark =
  | 'partial'
  | 'judge'
  | 'protocol'
  | 'items'
  | 'rules'
  | 'unjudged'
  | 'load-affected'
  | 'overridden'
  | 'mixed-answers';

/**
 * How a score differs from another, after minus before, with a 95 % interval.
 * paired: over the items of both, by Newcombe's method 10 for paired shares, an item with several answers as one unit. items: the mean over
 * the items of both, each item with all of its samples drawn again as one (a bootstrap). apart: from the two intervals, as if the items were
 * not the same, which makes it wide.
 */
export type ScoreChange = {
  value: number;
  low: number | null;
  high: number | null;
  /** Items of both; null where none are paired. */
  n: number | null;
  method: 'paired' | 'items' | 'apart';
};

/** n answers of `of` are behind it. `why` says what is missing where `value` is null. */
export type MatrixCell = {
  value: number | null;
  low: number | null;
  high: number | null;
  n: number;
  of: number;
  state: 'complete' | 'partial' | 'running' | 'incomplete';
  evaluationIds: string[];
  judge: EvaluationJudge | null;
  marks: CellMark[];
  counts: OutcomeCounts;
  why: string | null;
  /** The same with people's overrides in the verdicts' place; null without any. */
  corrected: Pick<EvaluationScore, 'value' | 'low' | 'high'> | null;
  /** Against the cell of the base; null where there is none or changes were not asked for. */
  change: ScoreChange | null;
};
/** What a cell says where there is room for one figure: with people's verdicts where there are any, and the interval of just that value. */
export const figureOf = (cell: MatrixCell): Pick<EvaluationScore, 'value' | 'low' | 'high'> =>
  cell.corrected ?? cell;

export type MatrixRow = {
  /** Unique: "suite", "suite/score" or "aggregate:name". */
  key: string;
  kind: 'suite' | 'score' | 'aggregate';
  group: SuiteGroup;
  suite: string | null;
  score: string | null;
  label: string;
  better: EvaluationScore['better'];
  unit: EvaluationScore['unit'];
  cells: (MatrixCell | null)[];
};
export type MatrixColumn = {
  /** Unique: the subject, and whether it was asked under a context. */
  key: string;
  subject: string;
  label: string;
  runId: string | null;
  step: number | null;
  withContext: boolean;
  /** The context there has no line and leaves every prompt as it is: its figures are those of the weights alone. */
  emptyContext: boolean;
  /** Key of the column that a change is measured from. */ base: string | null;
  known: boolean;
};
export type EvaluationMatrix = {
  columns: MatrixColumn[];
  rows: MatrixRow[];
  /** Sentences about what cannot be compared or cannot be right. */
  warnings: string[];
  /** Seeds, limits and names of GGUF judges that there are evaluations of, most first. */
  seeds: number[];
  limits: (number | null)[];
  judges: string[];
  /** Name of the protocol by suite, of the figures shown; of the first column where they differ. */
  protocols: Record<string, string>;
};

/** An evaluation that is wanted, as one start or estimate asks for it. */
export const evaluationRequestSchema = z.strictObject({
  subjects: z.array(z.string().min(1)).min(1).max(60),
  suites: z.array(z.string().min(1)).min(1),
  limit: z.int().positive().nullable(),
  seed: z.int().nonnegative().default(1),
  /** run: under the context that the checkpoint's run had reached; null: the weights alone. */
  context: z.enum(['run']).nullable().default(null),
  /** Library name or path of a GGUF file; null grades without one (labelled so) where a suite allows it. */
  judge: z.string().min(1).nullable().default(null),
  /** Protocol by suite; the suite's first one where absent. */
  protocols: z.record(z.string(), z.string()).default({}),
  /** Also where the same is stored already. */
  again: z.boolean().default(false),
});
export type EvaluationOrder = z.infer<typeof evaluationRequestSchema>;

/** What stands between an order and its figures. Seconds are null where nothing was measured and nothing can be told. */
export type EvaluationEstimate = {
  cells: {
    subject: string;
    suite: string;
    items: number;
    seconds: number | null;
    basis: 'measured' | 'similar' | 'unknown';
    /** Graded already, in an evaluation that was cut off. */ done: number;
  }[];
  skipped: { subject: string; suite: string; why: string }[];
  items: number;
  seconds: number | null;
};

/** A suite as people choose it. */
export type SuiteChoice = {
  name: string;
  title: string;
  group: SuiteGroup;
  measures: string;
  better: EvaluationScore['better'];
  /** Items there are; null while they are not counted. */
  items: number | null;
  source:
    | { kind: 'bundled' }
    | { kind: 'dataset'; dataset: string; state: 'ready' | 'absent' | 'unacknowledged'; note: string | null };
  needs: { sandbox: boolean; judge: 'none' | 'optional' | 'required'; maths: boolean };
  /** Its texts are hidden until a person asks to see them. */
  hazardous: boolean;
  protocols: { name: string; temperature: number; maxNewTokens: number; samples: number; says: string }[];
  /** Measured in this lab, per answer; null before. */
  secondsPerItem: number | null;
  mini: boolean;
};

/** A score of a run's checkpoint with its 95 % interval (Wilson). `contextHash` is null for the weights alone. */
export type CheckpointScore = {
  id: string;
  suite: string;
  step: number | null;
  passed: number;
  n: number;
  contextHash: string | null;
  /** False where the context is that of another run or step, such as the one a run ended with asked of its start. */
  isOwnContext: boolean;
  interval: { low: number; high: number };
};

/** A row of the list of answers. */
export type ItemRow = {
  ordinal: number;
  itemId: string;
  sample: number;
  excerpt: string;
  outcome: ItemOutcome;
  score: number | null;
  method: string;
  reason: string | null;
  flags: string[];
  override: ItemOverride | null;
  against: { outcome: ItemOutcome; score: number | null; override: ItemOverride | null } | null;
  flip: 'lost' | 'gained' | null;
};
export const ITEM_FILTERS = [
  'all',
  'flipped',
  'failed',
  'unjudged',
  'flagged',
  'overridden',
  'load-affected',
] as const;
export const itemFilterSchema = z.enum(ITEM_FILTERS);
export type ItemFilter = z.infer<typeof itemFilterSchema>;

/**
 * Two evaluations over the answers both gave, with items as units: `exact` and `mid` are McNemar's two-sided p, or the sign test's of the
 * items' net changes where they have several samples. `detectable` is the smallest difference found with power 80 % at 5 %; null: none.
 */
export type EvaluationComparison = {
  before: EvaluationSummary;
  after: EvaluationSummary;
  /** Answers, and the items they belong to. */
  common: number;
  items: number;
  onlyBefore: number;
  onlyAfter: number;
  lost: number;
  gained: number;
  exact: number;
  mid: number;
  difference: number;
  low: number;
  high: number;
  detectable: number | null;
  /** Why the two cannot be compared as they stand; empty when they can. */
  warnings: string[];
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
