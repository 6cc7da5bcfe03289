import { z } from 'zod';
import type { TrainSpec } from '../contract/index.ts';

/** Protocol of native/trainer. Unknown fields of answers are dropped; the major version must be the same. */
export const PROTOCOL = { name: 'anchor-trainer', major: 1, minor: 1 } as const;

/** Names the weight set that a request means, 'policy' by default. One process may hold several, each with files of its own. */
export type NamesWeights = { policy?: string };

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** Numbers Python could not write as JSON arrive as null. */
const measured = z.number().nullable();

export const trainerHelloSchema = z.object({
  protocol: z.object({ name: z.literal(PROTOCOL.name), major: z.int(), minor: z.int() }),
  trainer: z.object({ version: z.string(), pid: z.int() }),
  python: z.string(),
  torch: z.string(),
  cuda: z.string().nullish(),
  os: z.string().optional(),
  devices: z.array(z.looseObject({ name: z.string() })),
  features: z.array(z.string()),
  limits: z.looseObject({ maxLineBytes: z.int() }),
});
export type TrainerHello = z.infer<typeof trainerHelloSchema>;

export type RolloutSpec = { maxSeqTokens: number; maxConcurrent: number; backend?: 'native' | 'vllm' };

export type LoadRequest = NamesWeights & {
  /** Folder with config.json, safetensors and tokenizer.json, or a checkpoint that is an adapter and names its base. */
  model: { path: string };
  train: TrainSpec;
  rollout: RolloutSpec;
  device: 'auto' | 'cpu' | 'cuda';
  threads: number;
  seed: number;
  /** copy: the model. stage: the model until an update begins a stage, then the weights as they are before it. */
  reference: 'none' | 'copy' | 'stage';
  /** The switch of chat templates that let a model think before it answers; off when absent. */
  thinking?: boolean;
  /** Whether sets that are trained whole are in memory one at a time: auto, where not all fit, when absent. */
  offload?: 'auto' | 'always' | 'never';
  /** Checkpoint to continue from; `replay: false` leaves updates after it unapplied. */
  resume?: { dir: string; replay?: boolean };
  /** Sets of other names that are to be loaded as well: what is chosen for lack of memory leaves room for them. */
  beside?: readonly PlanRequest[];
};
export const loadedSchema = z.object({
  version: z.int(),
  params: z.int(),
  trainable: z.int(),
  device: z.string(),
  threads: z.int(),
  contextLength: z.int(),
  /** Rows sampled at a time: fewer than asked for where memory is short. */
  maxConcurrent: z.int(),
  /** Whether layers are computed again in the backward pass, which saves memory. */
  gradCheckpoint: z.boolean(),
  /** Whether sets leave memory while others work. */
  offloads: z.boolean(),
  /** What each phase takes by the plan, as `planSchema` names them. */
  plannedBytes: z.record(z.string(), z.number()),
  weightsSha256: sha256,
  tokenizer: z.object({
    vocab: z.int(),
    eosIds: z.array(z.int()),
    sha256,
    templateSha256: sha256.nullable(),
    /** Whether the template has no place for a system text, which then stands in front of the first question. */
    systemInUser: z.boolean(),
  }),
  /** Names of the updates applied again from the journal. */
  replayed: z.array(z.string()),
  /** To the bit, as on a CPU; else within what a GPU adds up in another order each time. */
  replayedExactly: z.boolean(),
  /** The first journaled update that could not be repeated exactly, and why; the weights are those before it. */
  replayStopped: z.object({ opId: z.string(), reason: z.string() }).nullable(),
});
export type Loaded = z.infer<typeof loadedSchema> & { parameters: number };

/** Counts what the process holds under other names as well. */
export type PlanRequest = Pick<LoadRequest, 'policy' | 'model' | 'train' | 'rollout'> &
  Partial<Pick<LoadRequest, 'device' | 'reference' | 'beside' | 'offload'>>;
/** Bytes by phase (load, rollout, update, optimizer, save) and use; the largest phase is what is needed. */
export const planSchema = z.object({
  fits: z.boolean(),
  device: z.string(),
  freeBytes: z.number(),
  neededBytes: z.number(),
  phases: z.record(z.string(), z.record(z.string(), z.number())),
  /** Rows of the longest kind that fit at a time. */
  maxConcurrent: z.int(),
  /** Rows that a load would sample at a time: as many as asked for, or as fit. */
  rows: z.int(),
  gradCheckpoint: z.boolean(),
  /** Whether sets would be in memory one at a time. */
  offloads: z.boolean(),
  /** Bytes of checkpoint 0 and of each later one, and the most that sets which are put aside take while the process runs. */
  disk: z.object({ first: z.number(), each: z.number(), parked: z.number() }),
  /** Why a load would be refused whatever memory is free: a sentence, or null. */
  obstacle: z.string().nullable(),
  /** Whether system texts will stand in front of the first question, as the chat template has no place for them. */
  systemInUser: z.boolean(),
  suggestions: z.array(z.object({ change: z.string(), saves: z.number() })),
});
export type MemoryPlan = z.infer<typeof planSchema>;

export type ChatMessage = { role: 'system' | 'user' | 'assistant'; content: string };
/** `plain` is a text that the model goes on with, for models without a chat: names of control tokens in it are ordinary text. */
export type PromptItem =
  | { messages: readonly ChatMessage[] }
  | { prompt: string }
  | { plain: string }
  | { tokenIds: readonly number[] };
export type GenerateItem = PromptItem & {
  /** Names the item within its request. */
  key: string;
  /** Samples of this prompt; 1 by default. */
  n?: number;
  /** Sampling noise is a function of (seed, sample index, position) only. */
  seed: number;
  maxNewTokens?: number;
  /** In place of the request's. */
  temperature?: number;
  topP?: number;
  stop?: readonly string[];
  tag?: string;
  /** 1 to 20: every token is told as it is drawn, with so many of the likeliest at its place. */
  alternatives?: number;
};
export type SamplingSpec = {
  temperature: number;
  topP: number;
  topK: number;
  maxNewTokens: number;
  /** Tokens of prompt and answer together, where that is less than the load's. */
  maxSeqTokens?: number;
  stop?: string[];
};
export type GenerateRequest = NamesWeights & {
  /** Prefix of the rollouts' ids: `${opKey}/${key}/${index}`. */
  opKey: string;
  items: readonly GenerateItem[];
  sampling: SamplingSpec;
  /** Keep tokens and log-probabilities for an update. */
  keep: boolean;
};
export const rolloutSchema = z.object({
  rolloutId: z.string(),
  key: z.string(),
  index: z.int(),
  tag: z.string().nullish(),
  text: z.string(),
  finish: z.enum(['stop', 'length', 'cancel', 'error']),
  promptTokens: z.int(),
  newTokens: z.int(),
  logpSum: measured,
  logpMean: measured,
  entropyMean: measured,
  version: z.int(),
  ms: z.number(),
});
export type Rollout = z.infer<typeof rolloutSchema>;
export const rolloutEventSchema = rolloutSchema.extend({ reqId: z.int() });
/**
 * A token of a watched item as it was drawn. `text` is what it adds to the answer: none while a character is unfinished, or where it ends
 * the answer. Log-probabilities are natural, over the whole vocabulary at the sampling temperature, at 1 for greedy answers.
 */
const drawnTokenSchema = z.object({
  key: z.string(),
  index: z.int(),
  /** From 0; a row that had to begin again tells its tokens from 0 once more. */
  position: z.int().nonnegative(),
  text: z.string(),
  logp: z.number(),
  /** The likeliest first; a control token by its name. */
  alternatives: z.array(z.object({ text: z.string(), logp: z.number() })),
});
export type DrawnToken = z.infer<typeof drawnTokenSchema>;
export const tokenEventSchema = drawnTokenSchema.extend({ reqId: z.int() });
export const generatedSchema = z.object({
  rollouts: z.int(),
  promptTokens: z.int(),
  newTokens: z.int(),
  cancelled: z.int(),
  version: z.int(),
  wallMs: z.number(),
  tokPerSec: measured,
});
export type GenerateSummary = z.infer<typeof generatedSchema>;

export type LogprobsRequest = NamesWeights & {
  which: 'policy' | 'reference';
  items: readonly (
    | { rolloutId: string }
    | { tokenIds: readonly number[]; promptLen: number }
    | { prompt: string; completion: string }
  )[];
  temperature: number;
  perToken?: boolean;
};
export const logprobsSchema = z.object({
  items: z.array(
    z.object({
      /** Scored tokens and the sum of their natural-log probabilities. */
      n: z.int(),
      sum: measured,
      /** On request: each token's value; float32, little endian, base64 on the wire. */
      perToken: z.base64().transform(float32List).optional(),
    }),
  ),
});
export type Logprobs = z.infer<typeof logprobsSchema>;

function float32List(text: string): number[] {
  const bytes = Buffer.from(text, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}

export type LossSpec = {
  kind: 'pg-clip';
  level: 'token' | 'sequence';
  agg: 'token-mean' | 'seq-mean-token-mean' | 'seq-mean-token-sum' | { micro: number } | { const: number };
  clipLow: number;
  clipHigh: number;
  dualClip?: number;
  entropyCoef?: number;
  kl?: { coef: number; estimator: 'k1' | 'k2' | 'k3'; clamp?: number };
  oldLogprobs: 'sampler' | 'recompute';
  /** Most by which a token's loss is multiplied for being drawn by another program; with oldLogprobs `recompute` only. */
  tis?: number;
  /** `sampled`: of each rollout the one it was sampled at. */
  temperature: number | 'sampled';
};
export type UpdateItem = { rolloutId: string; advantage: number; weight?: number };
export type UpdateRequest = NamesWeights & {
  /** The same name again returns the first result and applies nothing. */
  opId: string;
  /** Throws `versionMismatch` unless the weights are at this version. */
  expectVersion: number;
  items: readonly UpdateItem[];
  loss: LossSpec;
  /** Sequences per optimizer step, 0 for all of them in one. */
  batch: { miniBatch: number; epochs: number; shuffleSeed: number; order?: 'given' | 'shuffle' };
  lr?: number;
  /** A checkpoint of the present weights, with which a stage begins: an optimizer without a past, and a reference of the kind `stage`. */
  beginsFrom?: string;
};
export const updatedSchema = z.object({
  opId: z.string(),
  version: z.int(),
  optimizerSteps: z.int(),
  sequences: z.int(),
  tokens: z.int(),
  lossTokens: z.int(),
  packFill: measured,
  loss: z.array(measured),
  gradNorm: z.array(measured),
  lr: z.array(measured),
  entropy: measured,
  clip: z.object({ low: measured, high: measured }),
  ratio: z.looseObject({ mean: measured, max: measured }),
  /**
   * Trainer minus sampler: the size of the difference of a token's log-probability before the first optimizer step, in nats, at quantiles
   * (within 0.4 %) and at most; `outside` is the share of tokens whose ratio is below 0.9 or above 1.1. Journals of older runs have only max.
   */
  mismatch: z.looseObject({
    max: measured,
    p50: measured.optional(),
    p90: measured.optional(),
    p95: measured.optional(),
    p99: measured.optional(),
    outside: measured.optional(),
  }),
  /** Mean of those factors, and the share of tokens for which the cap was taken. */
  tis: z.object({ mean: measured, truncated: measured }).optional(),
  kl: z.looseObject({ ref: measured.optional() }).nullish(),
  wallMs: z.number(),
  tokPerSec: measured.optional(),
  skipped: z.array(z.looseObject({ reason: z.string() })),
});
export type UpdateResult = z.infer<typeof updatedSchema>;

/** Applies the updates that the checkpoint `dir` holds again, from the present version to `version`; of `dir` nothing else is read. */
export type RepeatRequest = NamesWeights & { dir: string; version: number };
export const repeatedSchema = z.object({
  version: z.int(),
  /** Names of the updates, in their order. */
  repeated: z.array(z.string()),
  /** Those of them that came to other figures than the first time, as on another family of processors. */
  differing: z.array(z.string()),
});
export type RepeatResult = z.infer<typeof repeatedSchema>;

/** updates: those since the checkpoint `momentsIn`, in place of the optimizer's moments. */
export type SavePart = 'weights' | 'optimizer' | 'updates' | 'rng';
export type SaveRequest = NamesWeights & { dir: string; include: readonly SavePart[]; momentsIn?: string };
const fileSchema = z.object({ path: z.string(), bytes: z.int(), sha256 });
export const savedSchema = z.object({
  files: z.array(fileSchema),
  version: z.int(),
  weightsSha256: sha256,
  wallMs: z.number(),
});
export type SaveResult = z.infer<typeof savedSchema>;

/**
 * safetensors writes a folder, GGUF one file; an adapter is merged into its base in both. peft writes a folder with the adapter alone, of
 * weights that were loaded with one.
 */
export type ExportForm =
  | { format: 'safetensors'; quant: 'f32' | 'f16' | 'bf16'; dir: string }
  | { format: 'gguf'; quant: 'f32' | 'f16' | 'bf16' | 'q8_0'; file: string }
  | { format: 'peft'; dir: string };
export type ExportRequest = NamesWeights & ExportForm;
export const exportedSchema = z.object({ files: z.array(fileSchema) });
export type ExportResult = z.infer<typeof exportedSchema>;

/** Open requests, and the trainer's own wall clock at its last progress. */
export const heartbeatSchema = z.object({ activeReqs: z.int(), lastProgressTs: z.number() });

/** A set came back into memory, others being put aside for it: bytes written and read, and how long all of that took. */
export const movedEventSchema = z.object({
  policy: z.string(),
  written: z.int(),
  read: z.int(),
  ms: z.number(),
});

export const unloadedSchema = z.object({ unloaded: z.boolean() });

export const countsSchema = z.object({ counts: z.array(z.int()) });
export const idsSchema = z.object({ ids: z.array(z.array(z.int())) });
