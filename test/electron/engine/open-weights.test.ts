import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runConfigSchema, type RunConfigInput } from '../../../electron/contract/index.ts';
import { openWeights } from '../../../electron/engine/runs/run-weights.ts';
import { frameworkOf } from '../../../electron/evolution/index.ts';
import type { NamedSettings, WeightSetSettings } from '../../../electron/models/index.ts';
import { APPLICATION } from '../../support/engine.ts';

const SHA256 = 'a'.repeat(64);

type Memory = { maxConcurrent: number; gradCheckpoint: boolean; plannedBytes: Record<string, number> };
const PLANNED = { plannedBytes: { rollout: 5e8, update: 6e8 } };
const ENOUGH: Memory = { maxConcurrent: 32, gradCheckpoint: false, ...PLANNED };

/** Opens the weights of a run whose model has a chat template or none, where there is so much memory; `told` receives its events. */
function open(
  promptPack: string,
  templateSha256: string | null,
  memory = ENOUGH,
  told: unknown[] = [],
  framework: RunConfigInput['framework'] = undefined,
  onLoad: (name: string, settings: WeightSetSettings, beside: readonly NamedSettings[]) => void = () => {},
  systemInUser = false,
): ReturnType<typeof openWeights> {
  const config = runConfigSchema.parse({
    framework,
    train: { kl: { coefficient: 0.01, estimator: 'k3' } },
    policy: { promptPack, model: 'qwen-base', maxConcurrent: 32 },
  });
  const loaded = {
    contextLength: 100_000,
    weightsSha256: SHA256,
    tokenizer: { templateSha256, systemInUser },
    ...memory,
  };
  return openWeights(
    {
      store: {
        latestCheckpoint: () => ({ step: 0, version: 0, weightsSha256: SHA256, files: [] }),
        listCheckpoints: () => [],
        appendEvent: (...event: unknown[]) => told.push(event),
      },
      resources: { prompts: (name: string) => join(APPLICATION, 'resources/prompts', name) },
    } as never,
    'run',
    {
      config,
      framework: frameworkOf(config.framework),
      folder: { checkpoint: () => '/nowhere' },
      trainer: {
        weights: (settings: WeightSetSettings, _point: unknown, _onRecovery: unknown, name: string) => ({
          load: async (beside: readonly NamedSettings[]) => {
            onLoad(name, settings, beside);
            return loaded;
          },
        }),
      },
    } as never,
  );
}

it('a model without a chat template is asked in plain text or not at all', async () => {
  for (const pack of ['compact', 'full', 'instruct'])
    await expect(open(pack, null), pack).rejects.toMatchObject({
      kind: 'usage',
      exitCode: 2,
      message: `The model "qwen-base" has no chat template, and the prompts of the pack "${pack}" are conversations; set policy.promptPack=base, whose prompts are plain text, with framework.reader=lenient.`,
    });
  // No other setting is named that the framework has not.
  await expect(open('instruct', null, ENOUGH, [], { name: 'rzero' })).rejects.toMatchObject({
    kind: 'usage',
    message:
      'The model "qwen-base" has no chat template, and the prompts of the pack "instruct" are conversations; set policy.promptPack=base, whose prompts are plain text.',
  });
  expect((await open('base', null)).size).toBe(1);
  expect((await open('base', SHA256)).size).toBe(1);
  expect((await open('instruct', SHA256)).size).toBe(1);
});

it('a run notes what the trainer planned, and what it changed for lack of memory', async () => {
  const told: unknown[] = [];
  await open('full', SHA256, ENOUGH, told);
  await open('full', SHA256, { ...ENOUGH, maxConcurrent: 12 }, told);
  await open('full', SHA256, { ...ENOUGH, gradCheckpoint: true }, told);
  await open('full', SHA256, ENOUGH, told, undefined, undefined, true);
  expect(told).toEqual([
    ['run', 'trainer.memory', { role: 'policy', asked: 32, rows: 32, gradCheckpoint: false, ...PLANNED }],
    ['run', 'trainer.memory', { role: 'policy', asked: 32, rows: 12, gradCheckpoint: false, ...PLANNED }],
    ['run', 'trainer.memory', { role: 'policy', asked: 32, rows: 32, gradCheckpoint: true, ...PLANNED }],
    [
      'run',
      'trainer.memory',
      { role: 'policy', asked: 32, rows: 32, gradCheckpoint: false, ...PLANNED, systemInUser: true },
    ],
  ]);
});

it('every role is loaded with the others in view, each trained in its own way', async () => {
  const told: [string, number | null, ...string[]][] = [];
  const settingsOf = new Map<string, WeightSetSettings>();
  const seen: NamedSettings[] = [];
  const framework = {
    name: 'rzero',
    challenge: { miniBatch: 3 },
    solve: { miniBatch: 5 },
  } satisfies RunConfigInput['framework'];
  const opened = await open('full', SHA256, ENOUGH, [], framework, (name, settings, beside) => {
    told.push([name, settings.train.miniBatch, ...beside.map((other) => other.name)]);
    settingsOf.set(name, settings);
    seen.push(...beside);
  });
  expect([...opened.keys()]).toEqual(['challenger', 'solver']);
  expect(told).toEqual([
    ['challenger', 3, 'solver'],
    ['solver', 5, 'challenger'],
  ]);
  for (const { name, settings } of seen) {
    expect(settings).toEqual(settingsOf.get(name));
    expect(settings.train.kl?.reference).toBe('stage');
  }
});
