import { z } from 'zod';

const positiveInt = z.int().positive();
const count = z.int().nonnegative();
const nonNegative = z.number().nonnegative();

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

/** What a trainer is told when it loads weights. none: they only answer; full: every parameter moves. */
export type TrainSpec =
  | { mode: 'none' }
  | {
      mode: 'full';
      precision: 'master32';
      optim: OptimizerSpec;
      packTokens: number;
      gradCheckpoint?: boolean;
    };

export function trainSpecOf(train: TrainConfig): TrainSpec {
  return {
    mode: 'full',
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

const FP32_BYTES = 4;
/** Numbers kept for each parameter: its value; with its gradient and AdamW's two moments; what of these a checkpoint saves. */
const NUMBERS_KEPT: Record<TrainSpec['mode'], { inUse: number; saved: number }> = {
  none: { inUse: 1, saved: 1 },
  full: { inUse: 4, saved: 3 },
};

/** Bytes that the weights of a model take on a CPU: `memory` while they are used so, `checkpoint` on the disk. */
export function footprintOf(
  { mode }: Pick<TrainSpec, 'mode'>,
  parameters: number,
): { memory: number; checkpoint: number } {
  const { inUse, saved } = NUMBERS_KEPT[mode];
  return { memory: FP32_BYTES * inUse * parameters, checkpoint: FP32_BYTES * saved * parameters };
}
