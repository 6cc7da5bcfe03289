import { z } from 'zod';

const positiveInt = z.int().positive();
const count = z.int().nonnegative();
const nonNegative = z.number().nonnegative();

/**
 * A small adapter beside frozen weights (LoRA, Hu et al. 2021): a matrix W of the targets is computed with as W + alpha / rank · B A, and
 * only A and B are trained. all-linear: every projection of attention and of the feed-forward layers; attention: its four alone.
 */
export const loraConfigSchema = z.strictObject({
  rank: z.int().min(1).max(1024).default(64),
  alpha: z.number().positive().default(128),
  targets: z.enum(['all-linear', 'attention']).default('all-linear'),
});
export type LoraConfig = z.infer<typeof loraConfigSchema>;

/**
 * What weights are kept in. float32: with fp32 masters. bfloat16: in sixteen bits alone, also on a processor; an update is computed in
 * float32 and rounded at random, so that small steps are not lost. Of a run with `lora`, what the frozen weights are kept in; nf4 is for
 * these alone: matrices of linear layers in four bits (QLoRA, Dettmers et al. 2023), the rest, and what is computed, in bfloat16.
 */
export const precisionSchema = z.enum(['float32', 'bfloat16', 'nf4']);
/** What AdamW's two moments are kept in: float32, or eight bits in blocks of 256 (Dettmers et al. 2022). */
export const optimizerSchema = z.enum(['adamw', 'adamw8bit']);

/** How a run trains. Everything that depends on which parameters move is asked of this file. */
export const trainConfigSchema = z.strictObject({
  learningRate: z.number().positive().default(2e-4),
  warmupSteps: count.default(0),
  betas: z.tuple([z.number(), z.number()]).default([0.9, 0.999]),
  epsilon: z.number().positive().default(1e-8),
  weightDecay: nonNegative.default(0),
  gradClip: z.number().positive().default(1),
  clipLow: z.number().positive().default(0.2),
  clipHigh: z.number().positive().default(0.28),
  dualClip: z.number().positive().nullable().default(null),
  entropyCoefficient: nonNegative.default(0),
  kl: z
    .strictObject({
      coefficient: nonNegative,
      estimator: z.enum(['k1', 'k2', 'k3']),
      /** Bound of a token's estimate, to both sides; none when absent. */
      clamp: z.number().positive().optional(),
      /** model: the one the run starts from, also when absent. stage: the weights with which the framework's present stage began. */
      reference: z.enum(['model', 'stage']).optional(),
    })
    .nullable()
    .default(null),
  level: z.enum(['token', 'sequence']).default('token'),
  aggregate: z.enum(['token-mean', 'seq-mean-token-mean', 'seq-mean-token-sum']).default('token-mean'),
  /**
   * Sequences of a micro-batch, as verl averages: the mean over the tokens of each, then the mean of these. It takes aggregate as token-mean;
   * absent, tokens are averaged over all sequences of an optimizer step at once.
   */
  microBatch: positiveInt.optional(),
  oldLogprobs: z.enum(['sampler', 'recompute']).default('sampler'),
  /**
   * Truncated importance sampling (TIS): a token's loss is multiplied by the trainer's probability over the sampler's, by this at most; it takes
   * oldLogprobs as recompute. null is off. Absent it is 2 where another program samples (policy.backend), and off where the trainer does.
   */
  tis: z.number().min(1).nullable().optional(),
  epochs: positiveInt.default(1),
  /** Sequences per optimizer step; null = all sequences of the step in one (AZR). */
  miniBatch: positiveInt.nullable().default(null),
  packTokens: positiveInt.default(2048),
  /** Layers are computed again in the backward pass in place of being kept; absent, where the update does not fit otherwise. */
  gradCheckpoint: z.enum(['on', 'off']).optional(),
  /** Absent, float32; a run that names neither of these two has the hash that it had before they could be chosen. */
  precision: precisionSchema.optional(),
  /** Absent, adamw. */
  optimizer: optimizerSchema.optional(),
  /** Absent, every parameter is trained; a run without it has the hash that it had before there were adapters. */
  lora: loraConfigSchema.optional(),
});
export type TrainConfig = z.infer<typeof trainConfigSchema>;

/** What the losses of an update's tokens are averaged over, as a trainer is told. */
export const aggregationOf = ({
  aggregate,
  microBatch,
}: Pick<TrainConfig, 'aggregate' | 'microBatch'>): TrainConfig['aggregate'] | { micro: number } =>
  microBatch === undefined || aggregate !== 'token-mean' ? aggregate : { micro: microBatch };

const USUAL_TIS = 2;

/** The cap of the correction for a sampler that is not the trainer; null for none. */
export const tisOf = ({ tis }: Pick<TrainConfig, 'tis'>, backend: 'native' | 'vllm'): number | null =>
  tis === undefined ? (backend === 'native' ? null : USUAL_TIS) : tis;

type OptimizerSpec = {
  kind: z.infer<typeof optimizerSchema>;
  lr: number;
  betas: readonly [number, number];
  eps: number;
  weightDecay: number;
  warmupSteps: number;
  gradClip: number;
};

/** What a trainer is told of how weights are updated, whichever of them are. */
type UpdateSpec = {
  precision: 'master32' | 'bf16' | 'nf4';
  optim: OptimizerSpec;
  packTokens: number;
  gradCheckpoint?: boolean;
};

/** What a trainer is told when it loads weights. none: they only answer; full: every parameter moves; lora: an adapter beside them does. */
export type TrainSpec =
  | { mode: 'none' }
  | ({ mode: 'full' } & UpdateSpec)
  | ({ mode: 'lora'; lora: LoraConfig } & UpdateSpec);

const PRECISION = { float32: 'master32', bfloat16: 'bf16', nf4: 'nf4' } as const;

export function trainSpecOf(train: TrainConfig): TrainSpec {
  return {
    ...(train.lora === undefined ? { mode: 'full' } : { mode: 'lora', lora: train.lora }),
    precision: PRECISION[train.precision ?? 'float32'],
    packTokens: train.packTokens,
    ...(train.gradCheckpoint === undefined ? {} : { gradCheckpoint: train.gradCheckpoint === 'on' }),
    optim: {
      kind: train.optimizer ?? 'adamw',
      lr: train.learningRate,
      betas: train.betas,
      eps: train.epsilon,
      weightDecay: train.weightDecay,
      warmupSteps: train.warmupSteps,
      gradClip: train.gradClip,
    },
  };
}

/**
 * How far the trainer's log-probability of a token is from the one it was sampled with, in nats: sizes at these quantiles over the tokens of
 * an update's first optimizer step, before it is taken. Weights are the same then, so the two would be equal if both computed alike.
 */
export const MISMATCH_SIZES = ['p50', 'p90', 'p95', 'p99', 'max'] as const;
export const mismatchMetric = (size: (typeof MISMATCH_SIZES)[number]): string =>
  `actor/logp_mismatch_${size}`;
/** Share of those tokens whose ratio of probabilities (trainer to sampler) is below 0.9 or above 1.1. */
export const MISMATCH_OUTSIDE = 'actor/logp_mismatch_outside';

/** A run's event whenever its trainer has loaded the weights of a role. */
export const MEMORY_PLANNED = 'trainer.memory';
/** What that event says: whether weights leave memory while others work, rows at a time as asked for and as they fit, and what each phase takes by the trainer's plan. */
export const memoryPlannedSchema = z.object({
  role: z.string(),
  asked: z.int(),
  rows: z.int(),
  gradCheckpoint: z.boolean(),
  /** Absent in what earlier versions wrote, which kept all weights in memory. */
  offloads: z.boolean().optional(),
  /** Absent in what earlier versions wrote, which also wrote it only where rows or layers were changed. */
  plannedBytes: z.record(z.string(), z.number()).optional(),
  /** True where system texts stand in front of the first question, as the model's chat template has no place for them. */
  systemInUser: z.literal(true).optional(),
});
export type MemoryPlanned = z.infer<typeof memoryPlannedSchema>;

/** What a checkpoint is handed out as. peft: the adapter alone, in the form of the library of that name, of a run with train.lora. */
export const checkpointFormatSchema = z.enum(['safetensors', 'gguf', 'peft']);
export type CheckpointFormat = z.infer<typeof checkpointFormatSchema>;

/** How a run trains, as far as it decides what is kept in memory and on the disk. */
export type TrainMethod = Pick<TrainConfig, 'precision' | 'optimizer' | 'lora'>;

/** The adapter that is offered where training every parameter takes too much. */
export const OFFERED_LORA: LoraConfig = { rank: 16, alpha: 32, targets: 'all-linear' };

/** Ways to train, the nearest to training every parameter in float32 first. */
export const TRAIN_METHODS: readonly TrainMethod[] = [
  {},
  { precision: 'bfloat16' },
  { optimizer: 'adamw8bit' },
  { precision: 'bfloat16', optimizer: 'adamw8bit' },
  { lora: OFFERED_LORA },
  { precision: 'bfloat16', lora: OFFERED_LORA },
  { precision: 'nf4', lora: OFFERED_LORA },
];

/** Whether both keep the same things in the same number types; of adapters the size is no matter. */
export const isSameMethod = (a: TrainMethod, b: TrainMethod): boolean =>
  (a.precision ?? 'float32') === (b.precision ?? 'float32') &&
  (a.optimizer ?? 'adamw') === (b.optimizer ?? 'adamw') &&
  (a.lora === undefined) === (b.lora === undefined);

/** The training with another method, whose adapter is the one that was there where there was one. */
export const withMethod = (
  { precision: _, optimizer: __, lora, ...train }: TrainConfig,
  method: TrainMethod,
): TrainConfig => ({
  ...train,
  ...method,
  ...(method.lora === undefined || lora === undefined ? {} : { lora }),
});

const FP32_BYTES = 4;
const BF16_BYTES = 2;
/**
 * Of a parameter of a model that is kept in NF4: four bits and its part of a scale for each block of 64, but for the matrices of words. An
 * estimate, since the number of parameters does not tell how many these are: a quarter, as in a model of half a billion; larger ones have less.
 */
const NF4_BYTES = 0.75 * (0.5 + FP32_BYTES / 64) + 0.25 * BF16_BYTES;
const KEPT_BYTES = { master32: FP32_BYTES, bf16: BF16_BYTES, nf4: NF4_BYTES };
/** Of AdamW's two moments for each trained parameter; in eight bits a block of 256 shares a scale. */
const MOMENT_BYTES = { adamw: 2 * FP32_BYTES, adamw8bit: 2 * (1 + FP32_BYTES / 256) };

/**
 * Share of a model's parameters that an adapter of rank 64 has. An estimate: the number of parameters does not tell the shapes of the
 * matrices that A and B follow. It is about that of a model of half a billion; larger ones have less, smaller ones more.
 */
const ADAPTER_SHARE: Record<LoraConfig['targets'], number> = { 'all-linear': 0.08, attention: 0.02 };
const RANK_OF_SHARE = 64;

/** Which parameters are trained, as far as it decides what is kept of them. */
type Trained = ({ mode: 'full' | 'none' } | { mode: 'lora'; lora: LoraConfig }) & {
  precision?: UpdateSpec['precision'];
  optim?: Pick<OptimizerSpec, 'kind'>;
};

/**
 * Bytes that the weights of a model take on a CPU: `memory` while they are used so, `checkpoint` on the disk. `firstCheckpoint` is that of
 * step 0, which holds the whole model whatever is trained; full training has AdamW's moments in it already. `withoutMoments` is a checkpoint
 * that leaves them to an earlier one.
 */
export function footprintOf(
  how: Trained,
  parameters: number,
): { memory: number; firstCheckpoint: number; checkpoint: number; withoutMoments: number } {
  const trained =
    how.mode === 'full' ? parameters : how.mode === 'lora' ? adapterOf(how.lora, parameters) : 0;
  const { precision = 'master32' } = how;
  const each = precision === 'master32' ? FP32_BYTES : BF16_BYTES;
  const whole = each * parameters;
  // An adapter is float32 whatever the weights beside it are kept in.
  const own = how.mode === 'lora' ? FP32_BYTES : each;
  const saved = (own + MOMENT_BYTES[how.optim?.kind ?? 'adamw']) * trained;
  return {
    memory: (how.mode === 'full' ? 0 : KEPT_BYTES[precision] * parameters) + saved + own * trained,
    firstCheckpoint: how.mode === 'full' ? saved : whole,
    checkpoint: how.mode === 'none' ? whole : saved,
    withoutMoments: how.mode === 'none' ? whole : own * trained,
  };
}

const adapterOf = ({ rank, targets }: LoraConfig, parameters: number): number =>
  (rank / RANK_OF_SHARE) * ADAPTER_SHARE[targets] * parameters;
