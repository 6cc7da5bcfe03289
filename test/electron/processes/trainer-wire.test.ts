import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { footprintOf } from '../../../electron/contract/index.ts';
import {
  startTrainer,
  type DrawnToken,
  type GenerateRequest,
  type LoadRequest,
  type Rollout,
  type TrainerClient,
  type UpdateRequest,
} from '../../../electron/processes/index.ts';
import { PROTOCOL } from '../../../electron/processes/trainer-wire.ts';
import { AT_ONCE, FIXTURES, PYTHON, scratch } from './support.ts';
import { examplesOf, itKeepsTo, type Examples } from './wire-examples.ts';

const examples = examplesOf('trainer') as Examples & { events: { rollout: Rollout[]; token: DrawnToken[] } };
const answerOf = (method: string, which = 0): Record<string, unknown> =>
  examples.session.filter((exchange) => exchange.method === method)[which]?.result as Record<string, unknown>;

const model = { path: '/lab/models/toy' };
const rollout = { maxSeqTokens: 160, maxConcurrent: 8 };
const train = {
  mode: 'full',
  precision: 'master32',
  packTokens: 128,
  optim: {
    kind: 'adamw',
    lr: 0.01,
    betas: [0.9, 0.99],
    eps: 1e-8,
    weightDecay: 0,
    warmupSteps: 0,
    gradClip: 1,
  },
} as const;
const place = { device: 'cpu', threads: 1, seed: 7 } as const;
const policy = 'solver';
const sampler: LoadRequest = { model, rollout, ...place, train: { mode: 'none' }, reference: 'none' };
const trained: LoadRequest = { policy, model, rollout, ...place, train, reference: 'copy' };
const resumed: LoadRequest = { ...trained, resume: { dir: '/lab/runs/1/checkpoints/0', replay: true } };
const sampling = { temperature: 1, topP: 1, topK: 0, maxNewTokens: 8 };
const generated: GenerateRequest = {
  policy,
  opKey: 's0/w1',
  keep: true,
  items: [
    { key: 'a', n: 2, seed: 1, messages: [{ role: 'user', content: 'def f(x): return x' }] },
    { key: 'b', seed: 2, tag: 'solve', prompt: 'def f(x):', alternatives: 2 },
    { key: 'c', seed: 3, tokenIds: [5, 6, 7] },
  ],
  sampling,
};
const cancelled: GenerateRequest = {
  policy,
  opKey: 's0/w2',
  keep: true,
  items: [{ key: 'a', n: 64, seed: 1, prompt: 'def f(x):' }],
  sampling: { ...sampling, maxNewTokens: 120 },
};
const updated: UpdateRequest = {
  policy,
  opId: 's0/update',
  expectVersion: 0,
  items: [
    { rolloutId: 's0/w1/a/0', advantage: 1 },
    { rolloutId: 's0/w1/a/1', advantage: -1, weight: 0.5 },
  ],
  loss: {
    kind: 'pg-clip',
    level: 'token',
    agg: 'token-mean',
    clipLow: 0.2,
    clipHigh: 0.28,
    kl: { coef: 0.01, estimator: 'k3' },
    oldLogprobs: 'sampler',
    temperature: 1,
  },
  batch: { miniBatch: 0, epochs: 1, shuffleSeed: 0, order: 'given' },
  lr: 0.001,
};

let trainer: TrainerClient;
const events = new Set<string>();
beforeAll(async () => {
  trainer = await startTrainer({
    python: PYTHON,
    moduleDir: join(FIXTURES, 'replayed_trainer'),
    runDir: '/lab/runs/1',
    spoolDir: '/lab/runs/1/spool',
    logFile: join(scratch(), 'trainer.log'),
    backoff: AT_ONCE,
    onEvent: (name) => events.add(name),
  });
});
afterAll(() => trainer.shutdown());

/** What the client asks, by method, in the forms that the examples have. A method that the engine never sends is false. */
const asked: Record<string, false | (() => Promise<void>)> = {
  hello: () => Promise.resolve(expect(trainer.hello).toMatchObject({ protocol: PROTOCOL, devices: [] })),
  ping: false,
  plan: async () => {
    const plan = await trainer.plan({ model, train, rollout, device: 'cpu' });
    expect(answerOf('plan')).toMatchObject(plan);
    const solver = { policy: 'solver', model, train, rollout, device: 'cpu' } as const;
    const both = await trainer.plan({ ...solver, policy: 'challenger', beside: [solver] });
    expect(answerOf('plan', 1)).toMatchObject(both);
  },
  load: async () => {
    for (const [which, request] of [sampler, trained, resumed].entries()) {
      const { parameters, ...loaded } = await trainer.load(request);
      expect(answerOf('load', which)).toMatchObject({ ...loaded, params: parameters });
    }
  },
  tokenize: async () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: '2+2?' },
    ] as const;
    expect(await trainer.countTokens([{ messages }, { prompt: '2+2=' }])).toEqual(
      answerOf('tokenize')['counts'],
    );
    expect(await trainer.tokenIds([{ prompt: '2+2=' }], policy)).toEqual(answerOf('tokenize', 1)['ids']);
  },
  generate: async () => {
    const rollouts: Rollout[] = [];
    const tokens: DrawnToken[] = [];
    const summary = await trainer.generate(generated, {
      onRollout: (one) => rollouts.push(one),
      onToken: (one) => tokens.push(one),
    });
    expect(examples.events.token).toMatchObject(tokens);
    expect(tokens).toHaveLength(examples.events.token.length);
    expect(answerOf('generate')).toMatchObject(summary);
    expect(examples.events.rollout).toMatchObject(rollouts);
    expect(rollouts).toHaveLength(examples.events.rollout.length);
  },
  cancel: async () => {
    const control = new AbortController();
    const open = trainer.generate(cancelled, { signal: control.signal });
    control.abort();
    expect(answerOf('generate')).toMatchObject(await open);
  },
  logprobs: async () => {
    const items = [
      { rolloutId: 's0/w1/a/0' },
      { tokenIds: [5, 6, 7, 8], promptLen: 2 },
      { prompt: '2+2', completion: '=4' },
    ];
    const scored = await trainer.logprobs({
      policy,
      which: 'reference',
      items,
      temperature: 1,
      perToken: true,
    });
    expect(scored.items.map(({ n, perToken }) => [n, perToken?.length])).toEqual([
      [8, 8],
      [2, 2],
      [2, 2],
    ]);
  },
  save: async () => {
    const dir = '/lab/runs/1/checkpoints/0';
    const saved = await trainer.save({ policy, dir, include: ['weights', 'optimizer', 'rng'] });
    expect(answerOf('save')).toMatchObject(saved);
  },
  update: async () => {
    expect(answerOf('update')).toMatchObject(await trainer.update(updated));
    await expect(trainer.update({ ...updated, opId: 's0/late' })).rejects.toMatchObject({
      kind: 'versionMismatch',
    });
  },
  repeat: async () => {
    const dir = '/lab/runs/1/checkpoints/1';
    expect(await trainer.repeat({ policy, dir, version: 1 })).toEqual(answerOf('repeat'));
  },
  rollouts: async () => {
    await trainer.restoreRollouts(policy);
    await trainer.dropRollouts('s0', policy);
  },
  export: async () => {
    const quant = 'f16';
    const folder = await trainer.export({ format: 'safetensors', quant, dir: '/lab/exports/model' });
    expect(answerOf('export')).toMatchObject(folder);
    const file = await trainer.export({ policy, format: 'gguf', quant, file: '/lab/exports/model.gguf' });
    expect(answerOf('export', 1)).toMatchObject(file);
  },
  stats: async () => expect(await trainer.stats()).toEqual(answerOf('stats')),
  unload: async () => expect(await trainer.unload(policy)).toBe(true),
  shutdown: () => trainer.shutdown(),
};

describe("the trainer's client", () => {
  itKeepsTo(examples, asked);

  it('reckons bytes for weights as the trainer plans and saves them', () => {
    const { params } = answerOf('load', 1) as { params: number };
    const { phases } = answerOf('plan') as { phases: Record<string, Record<string, number>> };
    const bytes = phases['update']!;
    const { memory, checkpoint } = footprintOf(train, params);
    expect(memory).toBe(bytes['weights']! + bytes['grads']! + bytes['optimizer']!);
    const saved = (answerOf('save') as { files: { path: string; bytes: number }[] }).files
      .filter(({ path }) => path.endsWith('.safetensors'))
      .reduce((sum, file) => sum + file.bytes, 0);
    const headers = saved - checkpoint;
    expect(headers).toBeGreaterThan(0);
    expect(headers).toBeLessThan(0.02 * checkpoint);
    expect(footprintOf({ mode: 'none' }, params).memory).toBe((answerOf('load') as { bytes: number }).bytes);
  });

  it('hears the events of the examples', () => {
    expect([...events].sort()).toEqual(['heartbeat', 'ready', 'rollout', 'token']);
  });
});
