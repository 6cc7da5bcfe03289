import { z } from 'zod';
import { tripwireSchema } from '../evaluations/request.ts';
import { DEFAULT_FRAMEWORK, frameworkConfigSchema } from '../frameworks/index.ts';
import { generationConfigSchema } from '../generation.ts';
import { wholeRunConfig } from './older-config.ts';
import { outOfRange } from './ranges.ts';
import { supervisionConfigSchema } from './supervision-config.ts';
import { trainConfigSchema } from './training.ts';

const positiveInt = z.int().positive();
const count = z.int().nonnegative();

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

/**
 * A configuration of this version or an earlier one as a lab has it stored. It may hold numbers that no new run may have, since runs that
 * began before there were ranges stay readable.
 */
export const storedRunConfigSchema = z.preprocess(wholeRunConfig, runConfigFields);

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
export type SandboxConfig = z.infer<typeof sandboxConfigSchema>;
