import { everyPhase, type RunConfigInput } from '../../../contract/index.ts';
import { iterationLength } from './schedule.ts';

export const RZERO_PRESET_NAMES = ['rzero-60', 'rzero-workstation', 'rzero-demo'] as const;
type RzeroPresetName = (typeof RZERO_PRESET_NAMES)[number];

/** What the published runs share, whatever their size (scripts and configuration of the repository). */
const ORIGINAL_UPDATE = {
  warmupSteps: 0,
  betas: [0.9, 0.999] as [number, number],
  weightDecay: 0.01,
  gradClip: 1,
  clipLow: 0.2,
  clipHigh: 0.3,
  dualClip: 3,
  entropyCoefficient: 0,
  // Against the weights that the stage began with, not against the model of step 0.
  kl: { coefficient: 0.01, estimator: 'k3' as const, clamp: 10 },
  level: 'token' as const,
  aggregate: 'token-mean' as const,
  epochs: 1,
};
/** The mean of each micro-batch counts alike. The solver's have one sequence; the challenger's two, which is said for neither apart. */
const ORIGINAL_TRAIN = { ...ORIGINAL_UPDATE, microBatch: 1 };

/** An estimator that draws from everything, as the original's service does; the 40 likeliest tokens are in the settings of the votes. */
const VOTES = { estimator: { temperature: 1, topP: 1 } };

const REFERENCE_SIZES = {
  // 512 prompts of four; 32 optimizer steps in each. The author says that the script's 16 prompts are right and the paper's 128 are not.
  challenge: { steps: 5, prompts: 512, samples: 4, miniBatch: 64 },
  // Ten for a challenger's question, nine for a label: the script's, which are not alike.
  vote: { samples: 10, topK: 40 },
  // Of 8,000 questions, 500 at a time: what a cut costs is one part.
  pose: { questions: 8000, perStep: 500, topP: 0.95 },
  label: { samples: 9, topK: 40, window: [0.3, 0.8] as [number, number] },
  // 512 kept questions of five answers; four optimizer steps in each.
  solve: { steps: 15, prompts: 512, samples: 5, miniBatch: 640 },
};

const WORKSTATION_SIZES = {
  // Two groups fewer would leave the clusters of like texts too small to mean something.
  challenge: { steps: 5, prompts: 32, samples: 4, miniBatch: 64 },
  // Agreement in sixths tells split from sure; in L one of eight, for the window cuts finer.
  vote: { samples: 6 },
  pose: { questions: 512, perStep: 128 },
  // A smaller set misses its batch sooner: the window may grow twice by 0.05, which is recorded, before the run stops.
  label: { samples: 8, window: [0.3, 0.8] as [number, number], widenBy: 0.05, widenTimes: 2 },
  solve: { steps: 15, prompts: 32, samples: 5, miniBatch: 80 },
};

const DEMO_SIZES = {
  // Eight questions of one prompt are compared with each other, so that what pays stands out of a small batch.
  challenge: { steps: 3, prompts: 4, samples: 8 },
  vote: { samples: 6 },
  pose: { questions: 96, perStep: 48 },
  label: { samples: 8, window: [0.3, 0.8] as [number, number], widenBy: 0.05, widenTimes: 3 },
  solve: { steps: 6, prompts: 12, samples: 4 },
};

/** Steps of the run: the framework's iterations are not of equal stages, so their number is said here. */
const iterations = (count: number, sizes: Parameters<typeof iterationLength>[0]): number =>
  count * iterationLength(sizes);

/**
 * Starting points under R-Zero. Faults of the original are reproduced by no preset, only by switching them on by name (`rzero-compat`).
 */
export const RZERO_PRESETS: Readonly<Record<RzeroPresetName, RunConfigInput>> = {
  /**
   * The published sizes, three iterations of 5 and 15 training steps, 60 together: where the ANCHOR paper reports its 4B and 8B models. It
   * reviews two records of a phase and step (its Appendix D) and words summaries and contexts by the supervisor's model.
   */
  'rzero-60': {
    name: 'rzero-60',
    preset: 'rzero-60',
    steps: iterations(3, REFERENCE_SIZES),
    policy: { promptPack: 'instruct' },
    framework: { name: 'rzero', ...REFERENCE_SIZES },
    generation: { maxPromptTokens: 2048, maxNewTokens: 4096, temperature: 1, topP: 0.99, roles: VOTES },
    train: { ...ORIGINAL_TRAIN, learningRate: 1e-6 },
    supervision: {
      phases: everyPhase(1),
      maxReviewsPerPhase: 2,
      summary: 'model',
      merge: 'model',
      contextTokens: 400,
      contextLines: 12,
    },
    // Checkpoints of each role's last two steps and every iteration's end.
    checkpoints: { keepEvery: iterationLength(REFERENCE_SIZES) },
  },
  /** A model of 1.5 to 4 billion parameters on one card of 24 GB: an adapter for each role, a sixteenth of the prompts, shorter answers. */
  'rzero-workstation': {
    name: 'rzero-workstation',
    preset: 'rzero-workstation',
    steps: iterations(3, WORKSTATION_SIZES),
    policy: { promptPack: 'instruct' },
    framework: { name: 'rzero', ...WORKSTATION_SIZES },
    generation: { maxPromptTokens: 1024, maxNewTokens: 1536, temperature: 1, topP: 0.99, roles: VOTES },
    train: {
      ...ORIGINAL_TRAIN,
      // An adapter begins at nothing and wants about ten times the step size of whole weights.
      learningRate: 1e-5,
      lora: { rank: 16, alpha: 32, targets: 'all-linear' },
    },
    supervision: {
      phases: everyPhase(0.5),
      // A judge beside the policy reads four items of a phase in the time of a step.
      maxReviewsPerPhase: 4,
      merge: 'text',
      contextTokens: 400,
      contextLines: 12,
      budgetSeconds: 240,
    },
    checkpoints: { keepEvery: iterationLength(WORKSTATION_SIZES) },
  },
  /**
   * Two iterations of the embedded policy that was taught to ask and answer questions, with rewarded prompts, supervised: minutes on two
   * cores. A program computes the true answers, so what labels are worth is known. A small model that follows instructions takes the same
   * way with `policy.promptPack=instruct` and longer answers.
   */
  'rzero-demo': {
    name: 'rzero-demo',
    preset: 'rzero-demo',
    steps: iterations(2, DEMO_SIZES),
    policy: { model: 'embedded-questions', promptPack: 'compact' },
    framework: { name: 'rzero', ...DEMO_SIZES },
    generation: { maxPromptTokens: 512, maxNewTokens: 128, temperature: 1, topP: 1 },
    // The original's update with the step size of the embedded models; so small a world moves in a handful of steps.
    train: { ...ORIGINAL_UPDATE, learningRate: 2e-4 },
    rewardedPrompts: { share: 0.25, baseline: 'prompt' },
    supervision: {
      model: 'embedded-questions-supervisor',
      phases: everyPhase(0.3),
      merge: 'guidance',
      // Questions and requests have no program that a plan could be compared with.
      nothingToCompare: 'say',
    },
  },
};
