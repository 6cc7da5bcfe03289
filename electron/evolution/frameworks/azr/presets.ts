import { everyPhase, type RunConfigInput } from '../../../contract/index.ts';

export const AZR_PRESET_NAMES = [
  'azr-paper',
  'azr-paper-branch',
  'azr-master',
  'anchor-coder-3b',
  'anchor-coder-7b',
  'anchor-coder-14b',
  'anchor-base-7b',
  'workstation',
  'workstation-lora',
  'small-real',
  'demo',
] as const;
type AzrPresetName = (typeof AZR_PRESET_NAMES)[number];

/** The scale both states of the original share: 64 prompts in each of six batches, 8 estimates, 6 references, lr 1e-6, no KL term. */
const ORIGINAL_AZR = {
  name: 'azr',
  batchSize: 64,
  estimateSamples: 8,
  references: 6,
  inductionInputs: 10,
  seeds: 'own',
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

/** What both branches of the repository do and its paper does not say. */
const OF_THE_REPOSITORY = {
  framework: {
    ...ORIGINAL_AZR,
    zeroLearnability: 'repository',
    whitening: 'token',
    taskChoice: 'azr-max-new',
    // "We append any good programs, but we eval format separately", says its reward manager: a rule, where its validator has faults.
    reader: 'azr-compat',
  },
  // 544 tokens remain for the template and, under supervision, for the context.
  generation: { ...ORIGINAL_GENERATION, maxContentTokens: 5600 },
  // ppo_micro_batch_size_per_gpu
  train: { ...ORIGINAL_TRAIN, microBatch: 16 },
} as const;

/** AZR as its paper's text has it: nothing paid for zero learnability, one baseline for each task type and role, over its answers. */
const AZR_PAPER: RunConfigInput = {
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
};
/**
 * AZR under the supervision of the ANCHOR paper (Section 5, Appendix B): every item of every step and phase is reviewed, and summaries
 * and context are a model's, whose window is the `max_model_len` of 20k of its deployment. `steps` is where the paper reports a model of that
 * size. It does not say how long a context may be.
 */
const anchorPaper = (name: AzrPresetName, steps: number): RunConfigInput => ({
  ...AZR_PAPER,
  name,
  preset: name,
  steps,
  supervision: {
    phases: everyPhase(1),
    summary: 'model',
    merge: 'model',
    windowTokens: 20_000,
    contextTokens: 400,
    contextLines: 12,
  },
});
/** A real checkpoint on one GPU: small batches, shorter responses, supervision at a quarter of the items, and answers read as instruct models write them. */
const WORKSTATION: RunConfigInput = {
  name: 'workstation',
  preset: 'workstation',
  steps: 200,
  policy: { promptPack: 'instruct' },
  framework: {
    ...ORIGINAL_AZR,
    reader: 'lenient',
    batchSize: 8,
    estimateSamples: 6,
    references: 3,
    inductionInputs: 6,
    // A quarter of the original's, for an eighth of its batch.
    ownSeeds: { count: 64 },
  },
  generation: { ...ORIGINAL_GENERATION, maxPromptTokens: 4096, maxNewTokens: 2048 },
  train: { ...ORIGINAL_TRAIN, clipLow: 0.2, clipHigh: 0.28, entropyCoefficient: 0, weightDecay: 0 },
  supervision: {
    phases: everyPhase(0.25),
    merge: 'text',
    contextTokens: 400,
    contextLines: 12,
    budgetSeconds: 180,
  },
};

/**
 * Starting points of a run. Each names values where the paper, the repository and this product differ; faults of the original
 * (greedy estimates, its verifier and validator) are reproduced by no preset, only by switching them on by name.
 */
export const AZR_PRESETS: Readonly<Record<AzrPresetName, RunConfigInput>> = {
  'azr-paper': AZR_PAPER,
  /** AZR as the branch `paper` of its repository has it: settings of the paper, rewards and baseline of the code. */
  'azr-paper-branch': {
    ...AZR_PAPER,
    name: 'azr-paper-branch',
    preset: 'azr-paper-branch',
    framework: OF_THE_REPOSITORY.framework,
    generation: OF_THE_REPOSITORY.generation,
    train: { ...AZR_PAPER.train, ...OF_THE_REPOSITORY.train },
  },
  /** AZR as the repository's main branch has it: −0.5 for zero learnability, token-weighted baseline, clip-higher with dual clip. */
  'azr-master': {
    name: 'azr-master',
    preset: 'azr-master',
    steps: 500,
    policy: { promptPack: 'full' },
    framework: OF_THE_REPOSITORY.framework,
    generation: OF_THE_REPOSITORY.generation,
    train: {
      ...OF_THE_REPOSITORY.train,
      clipLow: 0.2,
      clipHigh: 0.28,
      dualClip: 3,
      entropyCoefficient: 0,
      weightDecay: 0,
    },
    sandbox: ORIGINAL_SANDBOX,
  },
  /** Qwen2.5-Coder-3B-Instruct; the paper's ANCHOR-Coder-3B. */
  'anchor-coder-3b': anchorPaper('anchor-coder-3b', 130),
  /** Qwen2.5-Coder-7B-Instruct; ANCHOR-Coder-7B. */
  'anchor-coder-7b': anchorPaper('anchor-coder-7b', 350),
  /** Qwen2.5-Coder-14B-Instruct; ANCHOR-Coder-14B. */
  'anchor-coder-14b': anchorPaper('anchor-coder-14b', 400),
  /** Qwen2.5-7B-Instruct; ANCHOR-7B. */
  'anchor-base-7b': anchorPaper('anchor-base-7b', 350),
  workstation: WORKSTATION,
  /** The same with an adapter to frozen weights, for a card that cannot hold four numbers a parameter. */
  'workstation-lora': {
    ...WORKSTATION,
    name: 'workstation-lora',
    preset: 'workstation-lora',
    train: {
      ...WORKSTATION.train,
      // An adapter begins at nothing and wants about ten times the step size of whole weights.
      learningRate: 1e-5,
      lora: { rank: 64, alpha: 128, targets: 'all-linear' },
    },
  },
  /**
   * An instruct model of half a billion parameters on two cores and 16 GB, such as Qwen2.5-Coder-0.5B-Instruct: a step takes tens of
   * minutes, and a run of a night is a dozen steps.
   */
  'small-real': {
    name: 'small-real',
    preset: 'small-real',
    // What a night holds; a run can be resumed with its pauses in between.
    steps: 12,
    policy: {
      // Fenced blocks without a value to copy: what such a model answers in by itself.
      promptPack: 'instruct',
      // One core for the policy, one for the supervisor and the sandbox while it samples.
      threads: 1,
      // Keys and values of 12 rows of 1,408 tokens take 420 MB beside the 10 GB of weights, gradients and moments.
      maxConcurrent: 12,
    },
    framework: {
      name: 'azr',
      // Tags are kept too seldom; the end of the text closes a block, and a lone block of the right kind is read.
      reader: 'lenient',
      // 24 trained answers a step: four for each of six baselines, the fewest that a variance means something of.
      batchSize: 4,
      // Solve rates of 0, 1/4, … 1: the coarsest that still tells hard from easy.
      estimateSamples: 4,
      // One reference shows what there is already; more are copied from, and each costs 150 tokens of every prompt.
      references: 1,
      // Three shown and three hidden: more blocks than six are seldom completed.
      inductionInputs: 6,
      // Asked for problems for induction such a model gives hardly one in seventy that can be read, so it does not come to tasks of its own.
      seeds: 'embedded',
    },
    generation: {
      // A question with one reference has 200 to 500 tokens; the context adds at most 200.
      maxPromptTokens: 1024,
      // A program, its input and some lines of thought; what is longer is mostly a loop, and one long row keeps all others waiting.
      maxNewTokens: 384,
      // At temperature 1 the answers of a model from a 4-bit file fall apart; without noise all estimates of a task are one.
      temperature: 0.8,
      // Cuts the tail of 150,000 tokens, from which one slip is enough to break a program.
      topP: 0.95,
    },
    train: {
      // As the original: its step size is for this family of models, and one update a step is all there is.
      ...ORIGINAL_TRAIN,
      // These four as the repository configures them (clip_ratio_low and _high, entropy_coeff, weight_decay).
      clipLow: 0.2,
      clipHigh: 0.28,
      entropyCoefficient: 0,
      weightDecay: 0,
      // A row keeps 2.8 MB a token for its backward pass, and rows of the longest answers have 1,408 anyway.
      packTokens: 1024,
    },
    supervision: {
      // At most: the judge measures what is fastest as it goes. A step mostly waits for it, and the policy's core is idle then.
      threads: 2,
      // A review takes 29 to 102 s beside the policy, so about a third of the items fits into a step of a quarter of an hour.
      phases: everyPhase(0.3),
      // Few answers pass the verifier at first; what the others lack is what a review can say.
      summaryScope: 'all',
      // The judge speaks plain language; the rule's lines are of the toy world.
      summary: 'model',
      merge: 'model',
      // A judge of 1.5 B filled 43 tokens with one line and 57 to 65 with two, so six lines have room.
      contextTokens: 200,
      contextLines: 6,
      // On a core that the policy's sampling wants too.
      reviewTimeoutSeconds: 180,
      // As long as a step takes without it: supervision may double the time and no more.
      budgetSeconds: 900,
    },
    // A checkpoint of such a model with its moments takes 7.5 GB of disk: the first, the newest two and the last are kept.
    checkpoints: { keepEvery: 0 },
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
    // A request has no program, and the embedded supervisor would say of its plan that it does not match one.
    supervision: { phases: everyPhase(0.3), merge: 'guidance', nothingToCompare: 'say' },
  },
};
