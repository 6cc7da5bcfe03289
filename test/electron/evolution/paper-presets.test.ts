import { describe, expect, it } from 'vitest';
import { runConfigSchema } from '../../../electron/contract/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';

/** What the ANCHOR paper says of a run, and where. Models are named in the presets' own comments: a lab has them under names of its own. */
const EVERY_RUN = [
  ['supervision.phases.task', 1, 'Section 5: feedback at every single step; p = 1 of Eq. 5'],
  ['supervision.phases.plan', 1, 'the same'],
  ['supervision.phases.thought', 1, 'the same'],
  ['supervision.phases.output', 1, 'the same'],
  ['supervision.phases.exec', 1, 'the same'],
  ['supervision.summary', 'model', 'Eq. 6 and A.2: a prompt of its own'],
  ['supervision.merge', 'model', 'Eq. 7'],
  ['supervision.summaryScope', 'verified', 'A.2: entries where the execution result returns 1'],
  ['supervision.retry', 'record', 'A.3: a decision is a field of a record'],
  ['supervision.windowTokens', 20_000, 'Appendix B: max_model_len is set to 20k'],
  ['framework.name', 'azr', 'Appendix B: the AZR series'],
  ['framework.zeroLearnability', 'paper', 'AZR: nothing paid where nobody or everybody solves'],
  ['framework.whitening', 'sequence', 'AZR: one baseline for each task type and role'],
  ['framework.batchSize', 64, 'Appendix B: identical training settings, which are those of AZR: 64 × 6'],
  ['framework.estimateSamples', 8, 'AZR'],
  ['framework.references', 6, 'AZR'],
  ['framework.inductionInputs', 10, 'AZR'],
  ['generation.maxPromptTokens', 6144, 'AZR'],
  ['generation.maxNewTokens', 8096, 'AZR'],
  ['generation.temperature', 1, 'AZR'],
  ['generation.topP', 1, 'AZR'],
  ['train.learningRate', 1e-6, 'AZR'],
  ['train.warmupSteps', 0, 'AZR'],
  ['train.betas', [0.9, 0.999], 'AZR'],
  ['train.gradClip', 1, 'AZR'],
  ['train.kl', null, 'AZR'],
  ['train.entropyCoefficient', 0.001, 'AZR'],
  ['train.weightDecay', 0.01, 'AZR'],
  ['train.clipLow', 0.2, 'AZR'],
  ['train.clipHigh', 0.2, 'AZR'],
  ['train.epochs', 1, 'AZR'],
] as const;

/** Appendix B: "step 130 for 3B models, step 350 for 7B models, step 400 for 14B models". */
const STEPS = {
  'anchor-coder-3b': 130,
  'anchor-coder-7b': 350,
  'anchor-coder-14b': 400,
  'anchor-base-7b': 350,
} as const;

const valueAt = (config: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((found, key) => (found as Record<string, unknown>)[key], config);

describe.each(Object.entries(STEPS))('the preset %s', (name, steps) => {
  const config = runConfigSchema.parse(PRESETS[name as keyof typeof STEPS]);

  it('ends where the paper reports a model of that size', () => {
    expect({ steps: config.steps, preset: config.preset }).toEqual({ steps, preset: name });
  });

  it.each(EVERY_RUN)('has %s as %j: %s', (path, value) => {
    expect(valueAt(config, path)).toEqual(value);
  });
});

it('the presets of the paper differ in their names and steps only', () => {
  const [first, ...others] = Object.keys(STEPS).map((name) => {
    const { name: _, preset: __, steps: ___, ...rest } = PRESETS[name as keyof typeof STEPS];
    return rest;
  });
  for (const other of others) expect(other).toEqual(first);
});
