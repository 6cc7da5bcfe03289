import { z } from 'zod';
import { tripwireSchema } from '../evaluations/evaluation.ts';
import {
  codeTaskTypeSchema,
  DEFAULT_TASK_TYPES,
  frameworkSchema,
  probabilitySchema,
  reviewerKindSchema,
} from '../names.ts';

const positiveInt = z.int().positive();
const count = z.int().nonnegative();
const nonNegative = z.number().nonnegative();

/**
 * Settings that only one reviewer or framework knows. What stands here belongs to the one that is chosen, which reads it by a
 * schema of its own when a run is started; absent where there is none.
 */
const ownSettings = z.record(z.string(), z.json());
export type OwnSettings = z.infer<typeof ownSettings>;

/** One probability per phase: b ~ Bernoulli(p_phase) decides whether an item is reviewed (ANCHOR Eq. 5). */
export const phaseProbabilitiesSchema = z.strictObject({
  task: probabilitySchema,
  plan: probabilitySchema,
  thought: probabilitySchema,
  output: probabilitySchema,
  exec: probabilitySchema,
});
export type PhaseProbabilities = z.infer<typeof phaseProbabilitiesSchema>;

export const policyConfigSchema = z.strictObject({
  /** Library name, or a folder with config.json, safetensors and tokenizer.json. */
  model: z.string().min(1).default('embedded-policy'),
  /** `compact` for the embedded policy, `full` for real checkpoints. */
  promptPack: z.enum(['compact', 'full']).default('compact'),
  device: z.enum(['auto', 'cpu', 'cuda']).default('auto'),
  threads: positiveInt.default(1),
  /** Rows decoded together by the rollout scheduler. */
  maxConcurrent: positiveInt.default(48),
});

/** An intrinsic reward adds min(coefficient × value, max) to a positive learnability reward (reward_managers.py:410). */
const intrinsicSchema = z.strictObject({ coefficient: nonNegative.default(0), max: nonNegative.default(1) });

/**
 * Absolute Zero Reasoner. Every point where its paper and its repository differ, or where the repository has a fault,
 * is a switch: the default is the sound behaviour, `azr-*` values reproduce the original for comparison.
 */
export const azrConfigSchema = z.strictObject({
  /** A type named twice is one type. */
  taskTypes: z
    .array(codeTaskTypeSchema)
    .min(1)
    .overwrite((names) => [...new Set(names)])
    .default([...DEFAULT_TASK_TYPES]),
  /** Prompts per (role, task type) batch. */
  batchSize: positiveInt.default(8),
  /** Monte-Carlo solutions per valid proposal (n_samples). */
  estimateSamples: positiveInt.default(4),
  /** K reference triplets shown to a proposer (io_n). */
  references: count.default(1),
  referenceSampling: z.enum(['uniform', 'recency']).default('uniform'),
  /** Inputs proposed per induction task; the first half is shown to the solver, the rest verifies. */
  inductionInputs: z.int().min(2).default(6),
  /** Which tasks are solved: newest first within a window of one step (max_new), or uniformly from the buffer. */
  taskChoice: z.enum(['newest-first', 'uniform', 'half-new', 'recency']).default('newest-first'),
  maxPromptTokens: positiveInt.default(768),
  maxNewTokens: positiveInt.default(192),
  temperature: z.number().positive().default(1),
  topP: z.number().positive().max(1).default(1),
  /** `sampled` estimates at temperature 1; `greedy` repeats the master branch's fault (val_kwargs.temperature 0). */
  estimateSampling: z.enum(['sampled', 'greedy']).default('sampled'),
  /** Reward of a valid proposal that nobody or everybody solves: paper 0, repository −0.5. */
  zeroLearnability: z.enum(['paper', 'repository']).default('repository'),
  /** one_minus: 1−a for 0<a; inverse: 1−a also at a=0. */
  learnability: z.enum(['one-minus', 'inverse']).default('one-minus'),
  /** TRR++ baseline over response tokens (repository) or over sequences (paper's text). */
  whitening: z.enum(['token', 'sequence']).default('token'),
  inductionReward: z.enum(['binary', 'accuracy', 'any']).default('binary'),
  /** strict: typed values compared outside the sandbox; azr-compat: Python's == (1 == 1.0 == True). */
  verifier: z.enum(['strict', 'azr-compat']).default('strict'),
  /** strict: rejects empty gold, non-determinism, over-long values; azr-compat: accepts what the original accepts. */
  validator: z.enum(['strict', 'azr-compat']).default('strict'),
  /** Longest literal accepted as an output, in characters; azr-compat truncates to 400 instead of rejecting. */
  maxLiteralChars: positiveInt.default(400),
  bannedModules: z
    .array(z.string())
    .default([
      'logging',
      'random',
      'multiprocessing',
      'pebble',
      'subprocess',
      'threading',
      'datetime',
      'time',
      'hashlib',
      'hmac',
      'bcrypt',
      'os',
      'sys',
      'calendar',
      'secrets',
      'socket',
      'ctypes',
      'shutil',
      'importlib',
      'builtins',
      'io',
      'pathlib',
    ]),
  /** Programs may define only the entry function (AZR's Qwen runs). */
  rejectMultipleFunctions: z.boolean().default(true),
  /** all: every valid proposal enters its buffer; others drop tasks everybody (or nobody) solves. */
  bufferFilter: z.enum(['all', 'non-one', 'non-extremes']).default('all'),
  /** Reject proposals identical to a task already in the buffer; the original never does. */
  rejectDuplicates: z.boolean().default(false),
  /** Tasks kept per buffer; the newest are kept (the original keeps the oldest). */
  bufferCap: positiveInt.default(16384),
  intrinsic: z
    .strictObject({
      complexity: intrinsicSchema.prefault({}),
      editDistance: intrinsicSchema.prefault({}),
      halstead: intrinsicSchema.prefault({}),
      answerDiversity: intrinsicSchema.prefault({}),
      combine: z.enum(['sum', 'multiply', 'sum-multiply', 'multiply-sum']).default('sum'),
    })
    .prefault({}),
});

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
});

/**
 * Pressure: a share of the solver's prompts is rated by a misspecified "user rating" that pays compliance, the toy
 * form of the paper's Appendix C.2. Our extension; 0 = plain AZR.
 */
export const pressureConfigSchema = z.strictObject({
  share: z.number().min(0).max(0.9).default(0),
  /** Advantage baseline of rated prompts: all of the batch, or the samples of the same prompt. */
  baseline: z.enum(['batch', 'prompt']).default('prompt'),
  samplesPerPrompt: positiveInt.default(4),
});

/**
 * A person takes a share of the items whose gate opened. Which ones is decided by a coin of its own, drawn from (seed, step, item,
 * phase), so that a replay asks for the same ones and a larger share only adds items. The run waits for each answer until its
 * time-out. A run that people answered in cannot be repeated bit for bit: a replay asks again, and so does resuming a step.
 */
export const personConfigSchema = z.strictObject({
  share: probabilitySchema
    .default(0.1)
    .describe('Share of the reviewed items that a person answers instead of the reviewer, 0 to 1.'),
  timeoutSeconds: z
    .number()
    .positive()
    .max(86_400)
    .default(300)
    .describe(
      'Seconds each item waits for the person, counted from when it was asked. The step cannot end before.',
    ),
  fallback: z
    .enum(['model', 'skip'])
    .default('model')
    .describe(
      'What happens to an item that nobody answered in time: the reviewer reviews it, or it is recorded as skipped.',
    ),
});
export type PersonConfig = z.infer<typeof personConfigSchema>;

export const supervisionConfigSchema = z.strictObject({
  phases: phaseProbabilitiesSchema.default({ task: 0, plan: 0, thought: 0, output: 0, exec: 0 }),
  reviewer: reviewerKindSchema.default('llama'),
  /** Settings of the chosen reviewer alone, such as the file of a checklist. */
  reviewerSettings: ownSettings.optional(),
  /** Library name or path of a GGUF file; read by the llama reviewer only. */
  model: z.string().min(1).default('embedded-supervisor'),
  threads: positiveInt.default(1),
  /** Where the supervisor's model computes: `auto` takes a graphics card where llama.cpp finds one. The processor when absent. */
  device: z.enum(['cpu', 'auto']).optional(),
  /** Wall-clock seconds of reviewing per step; later reviews become "skipped by budget" records. null = no limit. */
  budgetSeconds: z.number().positive().nullable().default(null),
  /** Seconds a single review may take before it is retried with another seed, then recorded as failed. */
  reviewTimeoutSeconds: z.number().positive().default(60),
  /** Reviews that enter the batch summary: only items the verifier passed (paper, A.2), or all reviewed items. */
  summaryScope: z.enum(['verified', 'all']).default('verified'),
  /** What decision=retry does: only recorded (faithful), or the item is generated once more (a deviation). */
  retry: z.enum(['record', 'enforce']).default('record'),
  /** guidance: only lines the embedded policy was trained on; text: the feedback itself. */
  merge: z.enum(['guidance', 'text']).default('guidance'),
  contextTokens: positiveInt.default(96),
  contextLines: positiveInt.default(5),
  /** Reviews in one step that must agree before a line enters the context; one is enough for a breach of safety. */
  minimumSupport: positiveInt.default(2),
  /** A line nobody supported for this many steps leaves. */
  expirySteps: positiveInt.default(8),
  /**
   * filler: reviews are written, counted and recorded as ever, but the policy is shown neutral text of as many tokens in place
   * of the lines they brought: the control that separates what reviews say from there being more text.
   */
  contextText: z.enum(['reviews', 'filler']).default('reviews'),
  /** Lines that stand first in every context of the run, whatever reviews say. */
  fixedContext: z.array(z.string().trim().min(1).max(160)).max(12).default([]),
  /** A person in the loop; absent where nobody is asked, so that such a run is the same as before people could take part. */
  human: personConfigSchema
    .optional()
    .describe('A person answers a share of the reviews while the run is at work, at the room Review.'),
});

export const sandboxConfigSchema = z.strictObject({
  /** `unsafe` runs model-written programs without isolation and is recorded on every result. */
  level: z.enum(['auto', 'L3', 'L2', 'unsafe']).default('auto'),
  workers: positiveInt.default(2),
  cpuSeconds: z.number().positive().default(2),
  wallSeconds: z.number().positive().default(3),
  memoryBytes: positiveInt.default(512 * 1024 * 1024),
  outputBytes: positiveInt.default(65536),
});

/**
 * Held-out suites asked of checkpoints while a run is at work. Nothing a run becomes depends on it: answers are drawn from seeds of
 * their own and never enter a prompt.
 */
export const evaluationPlanSchema = z.strictObject({
  /** After every so many steps, and after the last; the weights before step 1 are asked too. */
  every: positiveInt.default(10),
  suites: z.array(z.string().min(1)).min(1),
  /** Items per suite, the first of its file. */
  items: positiveInt.default(40),
  /** none: the weights alone; run: under the supervision context the run has reached. The weights alone when absent. */
  contexts: z
    .array(z.enum(['none', 'run']))
    .min(1)
    .optional(),
  /** GGUF model that judges, by library name or path; suites that need one cannot be asked without. */
  judge: z.string().min(1).optional(),
  /** Conditions on scores of the weights alone that mark or pause the run. */
  tripwires: z.array(tripwireSchema).max(32).optional(),
});
export type EvaluationPlan = z.infer<typeof evaluationPlanSchema>;

export const runConfigSchema = z.strictObject({
  name: z.string().min(1).max(120).default('run'),
  /** The preset this config started from; kept for the record. */
  preset: z.string().default('custom'),
  framework: frameworkSchema.default('azr'),
  /** Settings of the chosen framework alone, such as the file of a fixed set of tasks. */
  frameworkSettings: ownSettings.optional(),
  seed: z.int().nonnegative().max(Number.MAX_SAFE_INTEGER).default(1),
  steps: positiveInt.default(24),
  policy: policyConfigSchema.prefault({}),
  azr: azrConfigSchema.prefault({}),
  train: trainConfigSchema.prefault({}),
  pressure: pressureConfigSchema.prefault({}),
  supervision: supervisionConfigSchema.prefault({}),
  sandbox: sandboxConfigSchema.prefault({}),
  checkpoints: z
    .strictObject({
      /** Keep every k-th checkpoint besides the newest two; 0 = only the newest two and the last. */
      keepEvery: count.default(10),
    })
    .prefault({}),
  /** Absent where nothing is evaluated by itself. */
  evaluation: evaluationPlanSchema.optional(),
});
export type RunConfig = z.infer<typeof runConfigSchema>;
export type RunConfigInput = z.input<typeof runConfigSchema>;
export type AzrConfig = z.infer<typeof azrConfigSchema>;
export type TrainConfig = z.infer<typeof trainConfigSchema>;
export type SupervisionConfig = z.infer<typeof supervisionConfigSchema>;
export type PressureConfig = z.infer<typeof pressureConfigSchema>;
export type SandboxConfig = z.infer<typeof sandboxConfigSchema>;
