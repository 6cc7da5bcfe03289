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
    .strictObject({ coefficient: nonNegative, estimator: z.enum(['k1', 'k2', 'k3']) })
    .nullable()
    .default(null),
  level: z.enum(['token', 'sequence']).default('token'),
  aggregate: z.enum(['token-mean', 'seq-mean-token-mean', 'seq-mean-token-sum']).default('token-mean'),
  oldLogprobs: z.enum(['sampler', 'recompute']).default('sampler'),
  epochs: positiveInt.default(1),
  /** Sequences per optimizer step; null = all sequences of the step in one (AZR). */
  miniBatch: positiveInt.nullable().default(null),
  packTokens: positiveInt.default(2048),
  /** Layers are computed again in the backward pass in place of being kept; absent, where the update does not fit otherwise. */
  gradCheckpoint: z.enum(['on', 'off']).optional(),
  /** Absent, every parameter is trained; a run without it has the hash that it had before there were adapters. */
  lora: loraConfigSchema.optional(),
});
export type TrainConfig = z.infer<typeof trainConfigSchema>;

type OptimizerSpec = {
  kind: 'adamw';
  lr: number;
  betas: readonly [number, number];
  eps: number;
  weightDecay: number;
  warmupSteps: number;
  gradClip: number;
};

/** What a trainer is told of how weights are updated, whichever of them are. */
type UpdateSpec = {
  precision: 'master32';
  optim: OptimizerSpec;
  packTokens: number;
  gradCheckpoint?: boolean;
};

/** What a trainer is told when it loads weights. none: they only answer; full: every parameter moves; lora: an adapter beside them does. */
export type TrainSpec =
  | { mode: 'none' }
  | ({ mode: 'full' } & UpdateSpec)
  | ({ mode: 'lora'; lora: LoraConfig } & UpdateSpec);

export function trainSpecOf(train: TrainConfig): TrainSpec {
  return {
    ...(train.lora === undefined ? { mode: 'full' } : { mode: 'lora', lora: train.lora }),
    precision: 'master32',
    packTokens: train.packTokens,
    ...(train.gradCheckpoint === undefined ? {} : { gradCheckpoint: train.gradCheckpoint === 'on' }),
    optim: {
      kind: 'adamw',
      lr: train.learningRate,
      betas: train.betas,
      eps: train.epsilon,
      weightDecay: train.weightDecay,
      warmupSteps: train.warmupSteps,
      gradClip: train.gradClip,
    },
  };
}

/** What a checkpoint is handed out as. peft: the adapter alone, in the form of the library of that name, of a run with train.lora. */
export const checkpointFormatSchema = z.enum(['safetensors', 'gguf', 'peft']);
export type CheckpointFormat = z.infer<typeof checkpointFormatSchema>;

const FP32_BYTES = 4;
/** Numbers kept for each trained parameter: its value, its gradient and AdamW's two moments; a checkpoint saves all but the gradient. */
const [IN_USE, SAVED] = [4, 3];

/**
 * Share of a model's parameters that an adapter of rank 64 has. An estimate: the number of parameters does not tell the shapes of the
 * matrices that A and B follow. It is about that of a model of half a billion; larger ones have less, smaller ones more.
 */
const ADAPTER_SHARE: Record<LoraConfig['targets'], number> = { 'all-linear': 0.08, attention: 0.02 };
const RANK_OF_SHARE = 64;

/** Which parameters are trained, as far as it decides what is kept of them. */
type Trained = Pick<Exclude<TrainSpec, { mode: 'lora' }>, 'mode'> | { mode: 'lora'; lora: LoraConfig };

/**
 * Bytes that the weights of a model take on a CPU: `memory` while they are used so, `checkpoint` on the disk. `firstCheckpoint` is that of
 * step 0, which holds the whole model whatever is trained; full training has AdamW's moments in it already.
 */
export function footprintOf(
  how: Trained,
  parameters: number,
): { memory: number; firstCheckpoint: number; checkpoint: number } {
  const trained =
    how.mode === 'full' ? parameters : how.mode === 'lora' ? adapterOf(how.lora, parameters) : 0;
  const whole = FP32_BYTES * parameters;
  const saved = FP32_BYTES * SAVED * trained;
  return {
    memory: (how.mode === 'full' ? 0 : whole) + FP32_BYTES * IN_USE * trained,
    firstCheckpoint: how.mode === 'full' ? saved : whole,
    checkpoint: how.mode === 'none' ? whole : saved,
  };
}

const adapterOf = ({ rank, targets }: LoraConfig, parameters: number): number =>
  (rank / RANK_OF_SHARE) * ADAPTER_SHARE[targets] * parameters;
