import type { z } from 'zod';
import { INTRINSIC_NAMES } from '../frameworks/index.ts';

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
      'supervision.windowTokens',
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
    paths: ['supervision.shownCharacters'],
    most: MILLION,
    because: 'no window of a judge holds as many characters',
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
