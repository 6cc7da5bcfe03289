import { runConfigSchema, type RunConfig } from '../../electron/contract/index.ts';
import { PRESETS } from '../../electron/evolution/index.ts';

/** A small run that trains an adapter, held against the model that it began with. */
export const adapterConfig = (name: string, steps: number): RunConfig =>
  runConfigSchema.parse({
    ...PRESETS.demo,
    name,
    steps,
    framework: { name: 'azr', batchSize: 1, estimateSamples: 1 },
    generation: { maxNewTokens: 24 },
    rewardedPrompts: { share: 0.2, samplesPerPrompt: 2 },
    supervision: { ...PRESETS.demo.supervision, reviewer: 'rubric' },
    train: {
      ...PRESETS.demo.train,
      learningRate: 5e-2,
      lora: { rank: 8, alpha: 16 },
      kl: { coefficient: 0.01, estimator: 'k3' },
    },
  });
