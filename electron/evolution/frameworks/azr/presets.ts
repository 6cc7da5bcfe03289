import { PHASES, type PhaseProbabilities, type RunConfigInput } from '../../../contract/index.ts';

export const PRESET_NAMES = ['azr-paper', 'azr-master', 'workstation', 'demo'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

/** The scale both states of the original share: 64 prompts in each of six batches, 8 estimates, 6 references, lr 1e-6, no KL term. */
const ORIGINAL_AZR = {
  name: 'azr',
  batchSize: 64,
  estimateSamples: 8,
  references: 6,
  inductionInputs: 10,
} as const;
const ORIGINAL_GENERATION = {
  maxPromptTokens: 6144,
  maxNewTokens: 8096,
  temperature: 1,
  topP: 1,
} as const;
const ORIGINAL_TRAIN = {
  learningRate: 1e-6,
  warmupSteps: 0,
  betas: [0.9, 0.999] as [number, number],
  gradClip: 1,
  kl: null,
  level: 'token',
  aggregate: 'token-mean',
  epochs: 1,
  miniBatch: null,
} as const;
/** The original gives every execution ten seconds. */
const ORIGINAL_SANDBOX = { cpuSeconds: 10, wallSeconds: 10 } as const;

/**
 * Starting points of a run. Each names values where the paper, the repository and this product differ; faults of the original
 * (greedy estimates, its verifier and validator) are reproduced by no preset, only by switching them on by name.
 */
export const PRESETS: Readonly<Record<PresetName, RunConfigInput>> = {
  /** AZR as its paper and the repository's `paper` branch have it: entropy bonus, symmetric clip, nothing paid for zero learnability. */
  'azr-paper': {
    name: 'azr-paper',
    preset: 'azr-paper',
    steps: 500,
    policy: { promptPack: 'full' },
    framework: { ...ORIGINAL_AZR, zeroLearnability: 'paper', whitening: 'sequence' },
    generation: ORIGINAL_GENERATION,
    train: {
      ...ORIGINAL_TRAIN,
      clipLow: 0.2,
      clipHigh: 0.2,
      dualClip: null,
      entropyCoefficient: 0.001,
      weightDecay: 0.01,
    },
    sandbox: ORIGINAL_SANDBOX,
  },
  /** AZR as the repository's main branch has it: −0.5 for zero learnability, token-weighted baseline, clip-higher with dual clip. */
  'azr-master': {
    name: 'azr-master',
    preset: 'azr-master',
    steps: 500,
    policy: { promptPack: 'full' },
    framework: { ...ORIGINAL_AZR, zeroLearnability: 'repository', whitening: 'token' },
    generation: ORIGINAL_GENERATION,
    train: {
      ...ORIGINAL_TRAIN,
      clipLow: 0.2,
      clipHigh: 0.28,
      dualClip: 3,
      entropyCoefficient: 0,
      weightDecay: 0,
    },
    sandbox: ORIGINAL_SANDBOX,
  },
  /** A real checkpoint on one GPU: small batches, shorter responses, supervision at a quarter of the items. */
  workstation: {
    name: 'workstation',
    preset: 'workstation',
    steps: 200,
    policy: { promptPack: 'full' },
    framework: { ...ORIGINAL_AZR, batchSize: 8, estimateSamples: 6, references: 3, inductionInputs: 6 },
    generation: { ...ORIGINAL_GENERATION, maxPromptTokens: 4096, maxNewTokens: 2048 },
    train: { ...ORIGINAL_TRAIN, clipLow: 0.2, clipHigh: 0.28, entropyCoefficient: 0, weightDecay: 0 },
    supervision: {
      phases: everyPhase(0.25),
      merge: 'text',
      contextTokens: 400,
      contextLines: 12,
      budgetSeconds: 180,
    },
  },
  /** The embedded policy with rewarded prompts, supervised: minutes on two cores, and the only preset that has any. */
  demo: {
    name: 'demo',
    preset: 'demo',
    steps: 24,
    policy: { promptPack: 'compact' },
    framework: { name: 'azr', batchSize: 8, estimateSamples: 4 },
    train: { learningRate: 2e-4 },
    rewardedPrompts: { share: 0.25, baseline: 'prompt' },
    supervision: { phases: everyPhase(0.3), merge: 'guidance' },
  },
};

/** The same review probability in all five phases. */
export function everyPhase(p: number): PhaseProbabilities {
  return Object.fromEntries(PHASES.map((phase) => [phase, p])) as PhaseProbabilities;
}

export function isPresetName(name: string): name is PresetName {
  return (PRESET_NAMES as readonly string[]).includes(name);
}
