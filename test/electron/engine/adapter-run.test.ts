import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { runConfigSchema, type RunConfig } from '../../../electron/contract/index.ts';
import type { EvaluationRequest } from '../../../electron/evaluation/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { exported } from '../../support/engine.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';
import { makeLab, type Lab } from './in-engine.ts';

useWarmTrainer();
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

let lab: Lab;
beforeAll(async () => {
  lab = await makeLab();
});
afterAll(() => lab.remove());

/** A run that trains an adapter, held against the model that it began with. */
const config = (name: string, steps: number): RunConfig =>
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
      learningRate: 1e-3,
      lora: { rank: 8, alpha: 16 },
      kl: { coefficient: 0.01, estimator: 'k3' },
    },
  });

it('a run that trains an adapter repeats to the bit, goes on after a stop, is evaluated and handed out', async () => {
  const { engine } = lab;
  const straight = engine.startRun(config('straight', 2));
  expect((await engine.waitFor(straight.id)).state).toBe('done');
  const { id } = engine.startRun(config('stopped', 2));
  const stopListening = engine.onProgress(({ runId, step, stage }) => {
    if (runId === id && step === 2 && stage === 'update') engine.stop(id);
  });
  expect(await engine.waitFor(id)).toMatchObject({ state: 'interrupted', committedSteps: 1 });
  stopListening();
  engine.resume(id);
  expect((await engine.waitFor(id)).state).toBe('done');
  const hashes = (run: string): string[] => engine.store.listSteps(run).map(({ stepHash }) => stepHash);
  expect(hashes(id)).toEqual(hashes(straight.id));
  expect(engine.store.checkIntegrity()).toEqual([]);

  const checkpoints = engine.store.listCheckpoints(id);
  expect(checkpoints.map(({ step, version }) => [step, version])).toEqual([
    [0, 0],
    [1, 1],
    [2, 2],
  ]);
  expect(new Set(checkpoints.map(({ weightsSha256 }) => weightsSha256)).size).toBe(3);
  const place = (step: number): string =>
    engine.lab.run(engine.store.getRun(id)?.folder ?? '').checkpoint(step);
  const adapter = JSON.parse(readFileSync(join(place(2), 'adapter_config.json'), 'utf8'));
  expect(adapter).toMatchObject({ r: 8, lora_alpha: 16, base_model_name_or_path: '../step-00000' });
  expect(readdirSync(place(2))).not.toContain('model.safetensors');
  expect(statSync(join(place(2), 'adapter_model.safetensors')).size).toBeLessThan(
    statSync(join(place(0), 'model.safetensors')).size / 4,
  );

  const target = join(lab.scratch, 'handed out');
  const { files } = await exported(engine, id, target, ['peft', 'safetensors', 'gguf']);
  expect(files).toEqual(expect.arrayContaining(['adapter/', 'policy/']));
  expect(readFileSync(join(target, 'adapter', 'adapter_model.safetensors'))).toEqual(
    readFileSync(join(place(2), 'adapter_model.safetensors')),
  );
  for (const name of ['policy/model.safetensors', 'policy.f16.gguf'])
    expect(existsSync(join(target, name)), name).toBe(true);

  // The adapter beside its base, merged for PyTorch and merged for llama.cpp: the same answers.
  const answers = async (policy: EvaluationRequest['policy']): Promise<unknown> => {
    const request = { policy, suites: ['toy-deduction'], limit: 6, seed: 1, contexts: [null] };
    const config = engine.store.getRun(id)?.config;
    const [outcome] = await engine.evaluate({ ...request, ...('model' in policy && { config }) });
    return outcome?.items.map(({ itemId, text }) => [itemId, text]);
  };
  const own = await answers({ runId: id, step: 2 });
  expect(own).toHaveLength(6);
  expect(await answers({ model: join(target, 'policy') })).toEqual(own);
  expect(await answers({ model: join(target, 'policy.f16.gguf') })).toEqual(own);
});
