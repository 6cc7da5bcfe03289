import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { RunConfig } from '../../../electron/contract/index.ts';
import { GgufSampler, type Sampler } from '../../../electron/models/index.ts';
import { startSupervisor } from '../../../electron/processes/index.ts';
import { adapterConfig } from '../../support/adapter-config.ts';
import { exported } from '../../support/engine.ts';
import { trainerProcess, useWarmTrainer } from '../../support/warm-trainer.ts';
import { AT_ONCE } from '../processes/support.ts';
import { makeLab, type Lab } from './in-engine.ts';

useWarmTrainer();
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

let lab: Lab;
beforeAll(async () => {
  lab = await makeLab();
});
afterAll(() => lab.remove());

/** Step 1 leaves the moments to what the run began with, step 2 has its own. */
function config(name: string, steps: number): RunConfig {
  const small = adapterConfig(name, steps);
  return { ...small, checkpoints: { ...small.checkpoints, optimizerEvery: 2 } };
}

const QUESTIONS = ['What is 2 + 3?', 'Can you open the locked cabinet?', 'f = lambda x: x[:2]; f("ABC")'];

/** The likeliest answers of a sampler. */
async function answersOf(sampler: Sampler): Promise<string[]> {
  const texts = new Map<string, string>();
  await sampler.sampleEach(
    QUESTIONS.map((content) => ({
      key: content,
      messages: [{ role: 'user', content }],
      raw: false,
      stops: [],
      seed: 1,
    })),
    { temperature: 0, topP: 1, maxNewTokens: 32 },
    ({ key, text }) => void texts.set(key, text),
    new AbortController().signal,
  );
  return QUESTIONS.map((one) => texts.get(one) ?? '');
}

const byTrainer = (paths: string[]): Promise<string[][]> =>
  lab.engine.children.withTrainer('evaluation', 1, async (trainer) => {
    const found: string[][] = [];
    for (const path of paths) {
      const { sampler } = await trainer.sampler({
        model: { path },
        train: { mode: 'none' },
        rollout: { maxSeqTokens: 256, maxConcurrent: 4 },
        device: 'cpu',
        threads: 1,
        seed: 1,
        reference: 'none',
      });
      found.push(await answersOf(sampler));
    }
    return found;
  });

async function byLlama(path: string): Promise<string[]> {
  const client = await startSupervisor({ logFile: join(lab.scratch, 'llama.log'), backoff: AT_ONCE });
  try {
    await client.load({ path, contextSize: 256, threads: 1, rows: 4 });
    return await answersOf(new GgufSampler(client, { contextTokens: 256, rows: 4, loopTokens: 256 }));
  } finally {
    await client.close();
  }
}

it('a run that trains an adapter goes on from any checkpoint, and after kill -9 of its trainer, to the same bit, is evaluated and handed out', async () => {
  const { engine } = lab;
  const { id } = engine.startRun(config('adapted', 2));
  expect((await engine.waitFor(id)).state).toBe('done');
  // A run of its own that loads the base of step 1, repeats its update, and loses its trainer in that of step 2.
  let struck = 0;
  const unfollow = engine.onProgress(({ stage }) => {
    if (stage !== 'update' || struck > 0) return;
    struck = trainerProcess(engine.monitor.living().find(({ name }) => name === 'trainer')?.pid);
    process.kill(struck, 'SIGKILL');
  });
  const { run } = await engine.branch(id, 1);
  expect((await engine.waitFor(run.id)).state).toBe('done');
  unfollow();
  expect(struck).toBeGreaterThan(0);
  const hashes = (of: string): string[] => engine.store.listSteps(of).map(({ stepHash }) => stepHash);
  expect(hashes(run.id)).toEqual(hashes(id));
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
  const state = ['updates.safetensors', 'optimizer.safetensors'];
  expect([1, 2].map((step) => readdirSync(place(step)).filter((name) => state.includes(name)))).toEqual([
    ['updates.safetensors'],
    ['optimizer.safetensors'],
  ]);
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

  const evaluated = await engine.evaluate({
    policy: { runId: id, step: 2 },
    suites: ['toy-deduction'],
    limit: 4,
    seed: 1,
    contexts: [null],
  });
  expect(evaluated[0]?.items).toHaveLength(4);

  // The adapter beside its base, merged for PyTorch and merged for llama.cpp: the same answers.
  const [base, beside, merged] = await byTrainer([place(0), place(2), join(target, 'policy')]);
  expect(new Set(beside).size).toBeGreaterThan(1);
  expect(beside).not.toEqual(base);
  expect(merged).toEqual(beside);
  expect(await byLlama(join(target, 'policy.f16.gguf'))).toEqual(beside);
});
