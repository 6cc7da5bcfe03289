import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  isProcessLost,
  startSupervisor,
  startTrainer,
  type GenerateRequest,
  type LoadRequest,
  type Rollout,
  type TrainerClient,
  type UpdateRequest,
} from '../../../electron/processes/index.ts';
import { AT_ONCE, PYTHON, randomModel, ROOT, scratch, TRAINER_MODULES } from './support.ts';
import { warmPython } from '../../support/warm-trainer.ts';

const folder = scratch();
const runDir = join(folder, 'run');
let trainer: TrainerClient;
let model: { folder: string; gguf: string };

const begin = (
  more: { runDir?: string; python?: string; noProgressMs?: number } = {},
): Promise<TrainerClient> =>
  startTrainer({
    python: warmPython() ?? PYTHON,
    moduleDir: TRAINER_MODULES,
    runDir,
    spoolDir: join(more.runDir ?? runDir, 'spool'),
    logFile: join(folder, 'trainer.log'),
    backoff: AT_ONCE,
    ...more,
  });

function loading(more: Partial<LoadRequest> = {}): LoadRequest {
  return {
    model: { path: model.folder },
    device: 'cpu',
    threads: 1,
    seed: 3,
    reference: 'none',
    train: {
      mode: 'full',
      precision: 'master32',
      packTokens: 256,
      optim: {
        kind: 'adamw',
        lr: 1e-3,
        betas: [0.9, 0.999],
        eps: 1e-8,
        weightDecay: 0,
        warmupSteps: 0,
        gradClip: 1,
      },
    },
    rollout: { maxSeqTokens: 256, maxConcurrent: 8 },
    ...more,
  };
}

function generating(opKey: string, more: Partial<GenerateRequest> = {}): GenerateRequest {
  return {
    opKey,
    keep: true,
    sampling: { temperature: 1, topP: 1, topK: 0, maxNewTokens: 24 },
    items: Array.from({ length: 6 }, (_, index) => ({
      key: `k${index}`,
      seed: index,
      n: 2,
      messages: [{ role: 'user' as const, content: `def f(x): return x*${index}` }],
    })),
    ...more,
  };
}

function updating(opId: string, expectVersion: number, rollouts: Rollout[]): UpdateRequest {
  return {
    opId,
    expectVersion,
    items: rollouts.map(({ rolloutId }, index) => ({ rolloutId, advantage: index % 2 === 0 ? 1 : -1 })),
    loss: {
      kind: 'pg-clip',
      level: 'token',
      agg: 'token-mean',
      clipLow: 0.2,
      clipHigh: 0.28,
      oldLogprobs: 'sampler',
      temperature: 1,
    },
    batch: { miniBatch: 0, epochs: 1, shuffleSeed: 0, order: 'given' },
  };
}

async function sample(client: TrainerClient, opKey: string): Promise<Rollout[]> {
  const rollouts: Rollout[] = [];
  await client.generate(generating(opKey), { onRollout: (rollout) => rollouts.push(rollout) });
  return rollouts.sort((a, b) => a.rolloutId.localeCompare(b.rolloutId));
}

const texts = (rollouts: Rollout[]): string[] =>
  rollouts.map(({ rolloutId, text }) => `${rolloutId}: ${text}`);

beforeAll(async () => {
  model = randomModel(folder);
  mkdirSync(runDir, { recursive: true });
  trainer = await begin();
}, 300_000);
afterAll(() => trainer.shutdown());

describe('a trainer', () => {
  it('tells its versions and limits on start and loads a model', async () => {
    expect(trainer.hello).toMatchObject({
      protocol: { name: 'anchor-trainer', major: 1 },
      limits: { maxLineBytes: 16 * 1024 * 1024 },
    });
    const loaded = await trainer.load(loading());
    expect(loaded).toMatchObject({ version: 0, device: 'cpu', threads: 1, contextLength: 256, replayed: [] });
    expect(loaded.parameters).toBe(loaded.params);
    expect(await trainer.stats()).toMatchObject({ policies: [{ id: 'policy', version: 0 }] });
  });

  it('plans memory without loading anything', async () => {
    const { train, rollout } = loading();
    expect(await trainer.plan({ model: { path: model.folder }, train, rollout })).toMatchObject({
      fits: true,
    });
  });

  it('counts tokens with the chat template, from items and from bare messages', async () => {
    const messages = [{ role: 'user' as const, content: 'def f(x):' }];
    const [count, same] = await trainer.countTokens([{ messages }, messages]);
    const [ids] = await trainer.tokenIds([messages]);
    expect(count).toBe(same);
    expect(ids).toHaveLength(count ?? 0);
    expect(await trainer.countTokens([])).toEqual([]);
  });

  it('streams each rollout once and gives the same texts again', async () => {
    const first = await sample(trainer, 's0/a');
    expect(first).toHaveLength(12);
    expect(first[0]).toMatchObject({ rolloutId: 's0/a/k0/0', key: 'k0', index: 0, version: 0 });
    const again = await sample(trainer, 's0/b');
    expect(again.map(({ text }) => text)).toEqual(first.map(({ text }) => text));
    await trainer.dropRollouts('s0');
  });

  it('holds a second weight set beside the first and frees it', async () => {
    const policy = 'solver';
    const first = await trainer.save({ dir: join(folder, 'first'), include: ['weights'] });
    await trainer.load(loading({ policy, seed: 4 }));
    const rollouts: Rollout[] = [];
    await trainer.generate(
      { ...generating('s0/solver'), policy },
      { onRollout: (rollout) => rollouts.push(rollout) },
    );
    expect(await trainer.update({ ...updating('s0/update', 0, rollouts), policy })).toMatchObject({
      version: 1,
    });
    const second = await trainer.save({ policy, dir: join(folder, 'second'), include: ['weights'] });
    const same = await trainer.save({ dir: join(folder, 'first'), include: ['weights'] });
    expect(second.weightsSha256).not.toBe(first.weightsSha256);
    expect(same.weightsSha256).toBe(first.weightsSha256);
    expect(await trainer.countTokens([{ prompt: 'def f(x):' }], policy)).toHaveLength(1);
    await trainer.dropRollouts('s0', policy);
    expect([await trainer.unload(policy), await trainer.unload(policy)]).toEqual([true, false]);
    await expect(trainer.tokenIds([{ prompt: 'x' }], policy)).rejects.toMatchObject({ kind: 'notLoaded' });
  });

  it('scores kept rollouts as it sampled them', async () => {
    const rollouts = await sample(trainer, 's0/c');
    const scores = await trainer.logprobs({
      which: 'policy',
      items: rollouts.map(({ rolloutId }) => ({ rolloutId })),
      temperature: 1,
      perToken: true,
    });
    for (const [index, { n, sum, perToken }] of scores.items.entries()) {
      expect(n).toBe(rollouts[index]?.newTokens);
      expect(sum).toBeCloseTo(rollouts[index]?.logpSum ?? Number.NaN, 3);
      expect(perToken?.reduce((total, value) => total + value, 0)).toBeCloseTo(sum ?? Number.NaN, 3);
    }
    await trainer.dropRollouts('s0');
  });

  it('cancels within half a second and delivers what was left as cancelled', async () => {
    const controller = new AbortController();
    const seen: Rollout[] = [];
    const long = generating('s0/d', { sampling: { temperature: 1, topP: 1, topK: 0, maxNewTokens: 200 } });
    const running = trainer.generate(
      { ...long, items: long.items.map((item) => ({ ...item, n: 50 })) },
      {
        signal: controller.signal,
        onRollout: (rollout) => seen.push(rollout),
      },
    );
    await new Promise((resolve) => {
      setTimeout(resolve, 150);
    });
    const asked = performance.now();
    controller.abort();
    const summary = await running;
    expect(performance.now() - asked).toBeLessThan(5000);
    expect(summary.cancelled).toBeGreaterThan(0);
    expect(seen.some(({ finish }) => finish === 'cancel')).toBe(true);
    await trainer.dropRollouts('s0');
  });

  it('ends a request whose listener throws and passes the error on', async () => {
    const thrown = trainer.generate(generating('s0/e'), {
      onRollout: () => {
        throw new RangeError('mine');
      },
    });
    await expect(thrown).rejects.toThrow('mine');
    await trainer.dropRollouts('s0');
    await expect(sample(trainer, 's0/f')).resolves.toHaveLength(12);
    await trainer.dropRollouts('s0');
  });

  it.each<[string, () => Promise<unknown>, object]>([
    [
      'a prompt longer than the context',
      () =>
        trainer.generate(
          generating('s0/g', {
            items: [{ key: 'long', seed: 0, prompt: 'x 1 '.repeat(2000) }],
          }),
        ),
      { kind: 'promptTooLong', detail: expect.objectContaining({ key: 'long', limit: 256 }) },
    ],
    [
      'an unknown rollout',
      () => trainer.update(updating('u', 0, [{ rolloutId: 'none' } as Rollout])),
      { kind: 'unknownRollout' },
    ],
    [
      'other weights than expected',
      () => trainer.update(updating('u', 7, [{ rolloutId: 'none' } as Rollout])),
      { kind: 'versionMismatch' },
    ],
  ])('refuses %s', async (_what, action, failure) => {
    await expect(action()).rejects.toMatchObject({ name: 'ProcessFailure', process: 'trainer', ...failure });
  });
});

describe('losing the trainer', () => {
  it(
    'rejects what was open as lost; restarted, loaded and asked again it gives the same rollouts and the same update',
    { timeout: 300_000, tags: ['full'] },
    async () => {
      await trainer.load(loading());
      const expected = await sample(trainer, 's1/w1');
      const expectedUpdate = await trainer.update(updating('s1/u', 0, expected));
      const next = await sample(trainer, 's2/w1');

      const victim = await begin({ runDir: join(folder, 'disturbed'), python: PYTHON });
      await victim.load(loading());
      const checkpoint = join(folder, 'disturbed', 'checkpoint');
      await victim.save({ dir: checkpoint, include: ['weights', 'optimizer', 'rng'] });
      const first = victim.pid ?? 0;
      let seen = 0;
      const lost = victim.generate(generating('s1/w1'), {
        onRollout: () => {
          if (++seen === 1) process.kill(first, 'SIGKILL');
        },
      });
      const failure: unknown = await lost.then(
        () => null,
        (error: unknown) => error,
      );
      expect(isProcessLost(failure)).toBe(true);
      await expect(victim.stats()).rejects.toMatchObject({ kind: 'processLost' });

      await victim.ensureRunning();
      expect(victim.pid).not.toBe(first);
      await victim.load(loading({ model: { path: checkpoint }, resume: { dir: checkpoint } }));
      expect(texts(await sample(victim, 's1/w1'))).toEqual(texts(expected));
      const update = await victim.update(updating('s1/u', 0, expected));
      expect([update.version, update.loss, update.gradNorm]).toEqual([
        1,
        expectedUpdate.loss,
        expectedUpdate.gradNorm,
      ]);

      // Killed again, after the update and before any checkpoint of it: the journal brings the weights back.
      process.kill(victim.pid ?? 0, 'SIGKILL');
      await expect(victim.stats().then(() => victim.stats())).rejects.toMatchObject({ kind: 'processLost' });
      await victim.ensureRunning();
      const reloaded = await victim.load(
        loading({ model: { path: checkpoint }, resume: { dir: checkpoint, replay: true } }),
      );
      expect(reloaded).toMatchObject({ version: 1, replayed: ['s1/u'], replayStopped: null });
      expect((await victim.update(updating('s1/u', 0, expected))).version).toBe(1);
      expect(texts(await sample(victim, 's2/w1'))).toEqual(texts(next));
      await victim.shutdown();
    },
  );

  it(
    'is given up as lost when it computes for ever while its heart beats',
    { timeout: 300_000, tags: ['full'] },
    async () => {
      const python = join(folder, 'endless-python');
      writeFileSync(
        python,
        `#!/bin/sh\nexec '${PYTHON}' '${join(ROOT, 'test/torture/faults/faulty_trainer.py')}' hangs\n`,
        { mode: 0o755 },
      );
      const endless = await begin({ runDir: join(folder, 'endless'), python, noProgressMs: 5000 });
      await endless.load(loading());
      const rollouts = await sample(endless, 's1/endless');
      await expect(endless.update(updating('u1', 0, rollouts))).rejects.toMatchObject({
        kind: 'processLost',
        message: expect.stringContaining('made no progress for 5 s'),
      });
      await endless.shutdown();
    },
  );

  it('restarts on request with a fresh process', async () => {
    const before = trainer.pid;
    await trainer.restart();
    expect(trainer.pid).not.toBe(before);
    await expect(trainer.countTokens([{ prompt: 'x' }])).rejects.toMatchObject({ kind: 'notLoaded' });
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    await expect(trainer.load(loading({ model: { path: empty } }))).rejects.toMatchObject({
      kind: 'badModel',
      message: expect.stringContaining('config.json'),
    });
    await trainer.load(loading());
  });
});

describe('files', () => {
  it('saves a checkpoint that loads as a model and refuses a place it cannot write', async () => {
    const dir = join(folder, 'saved');
    const saved = await trainer.save({ dir, include: ['weights'] });
    const other = await trainer.load(loading({ model: { path: dir } }));
    expect(other.weightsSha256).toBe(saved.weightsSha256);
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    await expect(trainer.save({ dir: join(file, 'inside'), include: ['weights'] })).rejects.toMatchObject({
      process: 'trainer',
    });
    expect(existsSync(join(folder, 'a-file.tmp'))).toBe(false);
  });

  it('exports a GGUF file that writes the same greedy text in llama.cpp', async () => {
    const file = join(folder, 'exported.gguf');
    await trainer.export({ format: 'gguf', quant: 'f32', file });
    const prompts = [
      'def f(x):',
      'You are the solver.',
      'the answer is 12',
      'review of naïve ☃',
      '<think>',
      '   x',
      'returns\nx',
      'plus one plus one',
    ];
    const expected = new Map<string, string>();
    await trainer.generate(
      {
        opKey: 's0/greedy',
        keep: false,
        sampling: { temperature: 0, topP: 1, topK: 0, maxNewTokens: 40 },
        items: prompts.map((prompt, index) => ({ key: `g${index}`, seed: 0, prompt })),
      },
      { onRollout: ({ key, text }) => expected.set(key, text) },
    );
    const supervisor = await startSupervisor({ logFile: join(folder, 'supervisor.log') });
    try {
      await supervisor.load({ path: file, contextSize: 256, threads: 1 });
      const written = await Promise.all(
        prompts.map((prompt) => supervisor.complete({ prompt, maxTokens: 40, temperature: 0, seed: 0 })),
      );
      expect(written.map(({ text }) => text)).toEqual(prompts.map((_, index) => expected.get(`g${index}`)));
    } finally {
      await supervisor.close();
    }
  });
});
