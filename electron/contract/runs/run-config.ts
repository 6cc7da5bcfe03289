import { z } from 'zod';
import { tripwireSchema } from '../evaluations/evaluation.ts';
import { DEFAULT_FRAMEWORK, frameworkConfigSchema, INTRINSIC_NAMES } from '../frameworks/index.ts';
import { PHASES, probabilitySchema, reviewerKindSchema } from '../names.ts';
import { generationConfigSchema } from '../generation.ts';
import { wholeRunConfig } from './older-config.ts';
import { trainConfigSchema } from './training.ts';

const positiveInt = z.int().positive();
const count = z.int().nonnegative();

/**
 * Settings that only one reviewer knows. What stands here belongs to the one that is chosen, which reads it by a
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

/** The same review probability in all five phases. */
export const everyPhase = (p: number): PhaseProbabilities =>
  Object.fromEntries(PHASES.map((phase) => [phase, p])) as PhaseProbabilities;

const policyConfigSchema = z.strictObject({
  /** Library name, or a folder with config.json, safetensors and tokenizer.json. */
  model: z.string().min(1).default('embedded-policy'),
  /**
   * `compact` for the embedded policy. For real checkpoints `instruct`, whose answers are fenced blocks for the lenient reader, or
   * `full`, whose answers stand between tags as the strict readers want them. `base` is plain text for the lenient reader, for models
   * without a chat template.
   */
  promptPack: z.enum(['compact', 'full', 'instruct', 'base']).default('compact'),
  /** Where the model's chat template has the switch: whether it thinks in a form of its own before it answers. Off when absent. */
  thinking: z.enum(['off', 'on']).optional(),
  /** Who draws the rollouts. native, the trainer itself, when absent; vllm needs an environment with vLLM, and repeats within rounding only. */
  backend: z.enum(['native', 'vllm']).optional(),
  device: z.enum(['auto', 'cpu', 'cuda']).default('auto'),
  threads: positiveInt.default(1),
  /**
   * Whether weights of the run that are trained whole leave memory while others of it work: only where they do not all fit (auto, and when
   * absent), in any case, or never. It changes no result, and a run's hash is the same with each.
   */
  offload: z.enum(['auto', 'always', 'never']).optional(),
  /** Rows decoded together by the rollout scheduler. */
  maxConcurrent: positiveInt.default(48),
});

/**
 * Rewarded prompts: a share of the solver's prompts is rated by a misspecified "user rating" that pays compliance, the toy
 * form of the paper's Appendix C.2. Our extension; 0 = self-play alone.
 */
const rewardedPromptsConfigSchema = z.strictObject({
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

const supervisionConfigSchema = z.strictObject({
  phases: phaseProbabilitiesSchema.default({ task: 0, plan: 0, thought: 0, output: 0, exec: 0 }),
  reviewer: reviewerKindSchema.default('llama'),
  /** Settings of the chosen reviewer alone, such as the file of a checklist. */
  reviewerSettings: ownSettings.optional(),
  /** Library name or path of a GGUF file; asked by the llama reviewer, and for lines where summary or merge are by model. */
  model: z.string().min(1).default('embedded-supervisor'),
  threads: positiveInt.default(1),
  /** Where the supervisor's model computes: `auto` takes a graphics card where llama.cpp finds one. The processor when absent. */
  device: z.enum(['cpu', 'auto']).optional(),
  /**
   * Items of a phase that may come up for review in a step, before its coin is tossed: for a policy that writes far more than its reviewer
   * can read. No limit when absent.
   */
  maxReviewsPerPhase: positiveInt.optional(),
  /** Wall-clock seconds of reviewing per step; later reviews become "skipped by budget" records. null = no limit. */
  budgetSeconds: z.number().positive().nullable().default(null),
  /** Seconds a single review may take before it is retried with another seed, then recorded as failed. */
  reviewTimeoutSeconds: z.number().positive().default(60),
  /** Reviews that enter the batch summary: only items the verifier passed (paper, A.2), or all reviewed items. */
  summaryScope: z.enum(['verified', 'all']).default('verified'),
  /** What decision=retry does: only recorded (faithful), or the item is generated once more (a deviation). */
  retry: z.enum(['record', 'enforce']).default('record'),
  /** Eq. 6, what a batch's reviews say: counted by issue (rule), or one line for each kind of finding by the supervisor's model. */
  summary: z.enum(['rule', 'model']).optional(),
  /**
   * Eq. 7, the next context. By rule: guidance takes only lines the embedded policy was trained on, text the feedback itself or
   * the model's lines of the summaries. model: the supervisor's model chooses, joins and words the lines.
   */
  merge: z.enum(['guidance', 'text', 'model']).default('guidance'),
  /**
   * Texts of one's own in place of those of the prompt pack for the two questions above, and for what stands before both, with its
   * {{placeholders}}; empty for the pack's.
   */
  wordingPrompts: z
    .strictObject({
      system: z.string().max(8000).optional(),
      summary: z.string().max(8000).default(''),
      merge: z.string().max(8000).default(''),
    })
    .optional(),
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
  /**
   * shuffled: within a step and phase, each review stands for an item drawn at random in place of the one it was written about: the
   * control that separates what is said from whom it is said of. Its own item when absent.
   */
  placing: z.enum(['own', 'shuffled']).optional(),
  /**
   * Plans in which nothing can be compared with a program, such as those of requests: the reviewer is asked all the same (ask, and when
   * absent), or they are recorded as such and nobody is asked (say).
   */
  nothingToCompare: z.enum(['ask', 'say']).optional(),
  /**
   * Which issues have a line where `merge` takes guidance: those for whose line the embedded policy was trained (trained, and when absent),
   * or every one, the others with lines in plain words that only general models can be expected to follow.
   */
  guidance: z.enum(['trained', 'every']).optional(),
  /** Lines that stand first in every context of the run, whatever reviews say. */
  fixedContext: z.array(z.string().trim().min(1).max(160)).max(12).default([]),
  /** A person in the loop; absent where nobody is asked, so that such a run is the same as before people could take part. */
  human: personConfigSchema
    .optional()
    .describe('A person answers a share of the reviews while the run is at work, at the room Review.'),
});

/** Whether summaries or contexts are put into words by the supervisor's model, whoever reviews. */
export const isWordedByModel = ({
  summary,
  merge,
}: Pick<z.infer<typeof supervisionConfigSchema>, 'summary' | 'merge'>): boolean =>
  summary === 'model' || merge === 'model';

const sandboxConfigSchema = z.strictObject({
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
const evaluationPlanSchema = z.strictObject({
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

/** The settings of a run, section by section; what the editor draws. */
export const runConfigFields = z.strictObject({
  name: z.string().min(1).max(120).default('run'),
  /** The preset this config started from; kept for the record. */
  preset: z.string().default('custom'),
  /** Where the tasks of a step come from, with the settings of that framework. */
  framework: frameworkConfigSchema.prefault({ name: DEFAULT_FRAMEWORK }),
  seed: z.int().nonnegative().max(Number.MAX_SAFE_INTEGER).default(1),
  steps: positiveInt.default(24),
  policy: policyConfigSchema.prefault({}),
  generation: generationConfigSchema.prefault({}),
  train: trainConfigSchema.prefault({}),
  rewardedPrompts: rewardedPromptsConfigSchema.prefault({}),
  supervision: supervisionConfigSchema.prefault({}),
  sandbox: sandboxConfigSchema.prefault({}),
  checkpoints: z
    .strictObject({
      /** Keep every k-th checkpoint besides the newest two; 0 = only the newest two and the last. */
      keepEvery: count.default(10),
      /** The optimizer's moments are in every k-th; others hold the updates since then, which resuming repeats. Absent: in each. */
      optimizerEvery: positiveInt.optional(),
    })
    .prefault({}),
  /** Absent where nothing is evaluated by itself. */
  evaluation: evaluationPlanSchema.optional(),
});
export type RunConfig = z.infer<typeof runConfigFields>;
export type RunConfigInput = z.input<typeof runConfigFields>;

/** What a value of a new run may be at most (and at least), and why, where the reason is not in the value's own schema. */
type Range = { paths: readonly string[]; least?: number; most: number; because: string };
const MILLION = 1_000_000;
export const MOST_STEPS = MILLION;
const TOKENS = 1024 * 1024;
const RANGES: readonly Range[] = [
  {
    paths: ['checkpoints.optimizerEvery'],
    most: 1000,
    because: 'resuming a run repeats all updates since then',
  },
  {
    paths: [
      'steps',
      'checkpoints.keepEvery',
      'evaluation.every',
      'train.warmupSteps',
      'supervision.minimumSupport',
      'supervision.maxReviewsPerPhase',
      'supervision.expirySteps',
      'framework.challenge.steps',
      'framework.solve.steps',
    ],
    most: MOST_STEPS,
    because: 'a run of a million steps takes years',
  },
  {
    paths: [
      'evaluation.items',
      'train.miniBatch',
      'train.microBatch',
      'framework.challenge.miniBatch',
      'framework.solve.miniBatch',
    ],
    most: MILLION,
    because: 'no step has a million answers',
  },
  {
    paths: [
      'framework.bufferCap',
      'framework.ownSeeds.count',
      'framework.ownSeeds.attempts',
      'framework.pose.questions',
    ],
    most: 10 * MILLION,
    because: 'more tasks than that do not fit into memory',
  },
  {
    paths: [
      'policy.maxConcurrent',
      'framework.batchSize',
      'framework.estimateSamples',
      'framework.challenge.prompts',
      'framework.challenge.samples',
      'framework.vote.samples',
      'framework.pose.perStep',
      'framework.label.samples',
      'framework.solve.prompts',
      'framework.solve.samples',
      'rewardedPrompts.samplesPerPrompt',
    ],
    most: 65_536,
    because: 'all answers of a batch are in memory at once',
  },
  {
    paths: ['policy.threads', 'supervision.threads', 'sandbox.workers'],
    most: 1024,
    because: 'no workstation has more processors',
  },
  {
    paths: ['framework.references', 'framework.inductionInputs', 'supervision.contextLines'],
    most: 1024,
    because: 'no prompt has room for more',
  },
  {
    paths: ['framework.vote.topK', 'framework.label.topK'],
    most: MILLION,
    because: 'no vocabulary has a million tokens',
  },
  {
    paths: ['framework.label.widenTimes'],
    most: 1024,
    because: 'the window has long reached both ends by then',
  },
  { paths: ['train.epochs'], most: 1024, because: 'more passes over the same answers only repeat them' },
  {
    paths: [
      'generation.maxPromptTokens',
      'generation.maxContentTokens',
      'generation.maxNewTokens',
      'supervision.contextTokens',
      'train.packTokens',
    ],
    most: TOKENS,
    because: 'no model that can be loaded has a larger window',
  },
  {
    paths: [
      'generation.temperature',
      'generation.roles.proposer.temperature',
      'generation.roles.solver.temperature',
      'generation.roles.estimator.temperature',
      'framework.ownSeeds.temperature',
      'framework.vote.temperature',
      'framework.label.temperature',
    ],
    least: 0.001,
    most: 100,
    because:
      'scores divided by less than a thousandth leave single precision, and above 100 every token is as likely',
  },
  {
    paths: ['train.learningRate', 'train.epsilon'],
    most: 1,
    because: 'AdamW moves every weight by about the learning rate, and weights are smaller than 1',
  },
  {
    paths: ['train.betas.0', 'train.betas.1'],
    least: 0,
    most: 0.999999,
    because: 'AdamW keeps this share of what it remembers, and divides by the rest',
  },
  {
    paths: [
      'train.weightDecay',
      'train.gradClip',
      'train.clipLow',
      'train.clipHigh',
      'train.dualClip',
      'train.entropyCoefficient',
      'train.kl.coefficient',
      'train.kl.clamp',
      'train.lora.alpha',
      ...INTRINSIC_NAMES.flatMap((name) => [
        `framework.intrinsic.${name}.coefficient`,
        `framework.intrinsic.${name}.max`,
      ]),
    ],
    most: MILLION,
    because: 'a million is far beyond where it stops to matter, and far below where single precision ends',
  },
  {
    paths: [
      'sandbox.cpuSeconds',
      'sandbox.wallSeconds',
      'supervision.reviewTimeoutSeconds',
      'supervision.budgetSeconds',
    ],
    most: 86_400,
    because: 'nothing of one step is waited for longer than a day',
  },
  {
    paths: ['sandbox.outputBytes', 'framework.maxLiteralChars'],
    most: 64 * 1024 * 1024,
    because: 'what a program prints crosses to the engine as one line',
  },
  {
    paths: ['sandbox.memoryBytes'],
    most: 2 ** 44,
    because: 'no machine has more than 16 TiB of memory for each program',
  },
];

const valueAt = (config: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], config);

/**
 * A configuration of this version or an earlier one as a lab has it stored. It may hold numbers that no new run may have, since runs that
 * began before there were ranges stay readable.
 */
export const storedRunConfigSchema = z.preprocess(wholeRunConfig, runConfigFields);

/**
 * The numbers of a configuration that no new run may have. It need not be right otherwise: a schema asks for ranges only where all else
 * is right, and whoever has several things to correct wants to know of them together.
 */
export const outOfRange = (config: unknown): (z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall)[] =>
  RANGES.flatMap(({ paths, least = -Infinity, most, because }) =>
    paths.flatMap((path) => {
      const value = valueAt(config, path);
      if (typeof value !== 'number' || (value >= least && value <= most)) return [];
      const about = { origin: 'number' as const, path: path.split('.'), input: value };
      return value > most
        ? {
            code: 'too_big' as const,
            maximum: most,
            message: `it is at most ${most}, because ${because}`,
            ...about,
          }
        : {
            code: 'too_small' as const,
            minimum: least,
            message: `it is at least ${least}, because ${because}`,
            ...about,
          };
    }),
  );

/** Reads a configuration of this version or an earlier one that a run is to begin with. */
export const runConfigSchema = storedRunConfigSchema.superRefine((config, context) => {
  const { train, policy } = config;
  if (train.precision === 'nf4' && (train.lora === undefined || policy.backend === 'vllm'))
    context.addIssue({
      code: 'custom',
      path: ['train', 'precision'],
      message:
        train.lora === undefined
          ? 'nf4 is what frozen weights beside an adapter are kept in: name train.lora too, or take bfloat16'
          : 'nf4 needs policy.backend=native: vLLM would hold the weights in bfloat16 beside it, which takes what it saves',
    });
  if (policy.offload === 'always' && (train.lora !== undefined || policy.backend === 'vllm'))
    context.addIssue({
      code: 'custom',
      path: ['policy', 'offload'],
      message:
        train.lora !== undefined
          ? 'always is for weights that are trained whole: adapters share their frozen base, so leave it out beside train.lora'
          : 'always needs policy.backend=native: vLLM would go on holding its copy of the weights',
    });
  for (const issue of outOfRange(config)) context.addIssue({ ...issue });
});
export type SupervisionConfig = z.infer<typeof supervisionConfigSchema>;
export type SandboxConfig = z.infer<typeof sandboxConfigSchema>;
