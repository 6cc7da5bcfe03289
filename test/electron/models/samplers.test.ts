import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trainConfigSchema } from '../../../electron/contract/index.ts';
import {
  GgufSampler,
  startLocalTrainer,
  type RecoveryPoint,
  type Sample,
  type SampleRequest,
  type Sampler,
  type Trainer,
  type WeightSet,
} from '../../../electron/models/index.ts';
import {
  startSupervisor,
  type ChatMessage,
  type LoadRequest,
  type SupervisorClient,
} from '../../../electron/processes/index.ts';
import {
  AT_ONCE,
  PYTHON,
  randomModel,
  ROOT,
  scratch,
  supervisorModel,
  TRAINER_MODULES,
} from '../processes/support.ts';
import { trainerProcess, warmPython } from '../../support/warm-trainer.ts';

const folder = scratch();
const TRAIN = trainConfigSchema.parse({});
const never = new AbortController().signal;
const GREEDY = { temperature: 0, topP: 1, maxNewTokens: 24 };
const HOT = { temperature: 2, topP: 1, maxNewTokens: 24 };

const TURNS: ChatMessage[] = [
  { role: 'system', content: 'You are the solver.' },
  { role: 'user', content: 'def f(x): return x + 1' },
  { role: 'assistant', content: 'f(2) is 3.' },
  { role: 'user', content: 'And f(5)?' },
];
/** What the ChatML template of both embedded models makes of a conversation. */
const chatMl = (messages: readonly ChatMessage[]): string =>
  `${messages.map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`).join('')}<|im_start|>assistant\n`;
const request = (key: string, messages: readonly ChatMessage[], more: Partial<SampleRequest> = {}) => ({
  key,
  messages,
  raw: false,
  stops: [],
  seed: 7,
  ...more,
});

async function textsOf(
  sampler: Sampler,
  requests: readonly SampleRequest[],
  limits = GREEDY,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  await sampler.sampleEach(requests, limits, ({ key, text }) => void texts.set(key, text), never);
  return texts;
}

/** What both kinds of sampler promise of conversations. */
function itHoldsConversations(samplerOf: () => Sampler): void {
  it('answers a conversation of several turns as its chat template writes them', async () => {
    const texts = await textsOf(samplerOf(), [
      request('turns', TURNS),
      request('template', [{ role: 'user', content: chatMl(TURNS) }], { raw: true }),
      request('question', TURNS.slice(0, 2)),
      request('template of it', [{ role: 'user', content: chatMl(TURNS.slice(0, 2)) }], { raw: true }),
    ]);
    expect(texts.get('turns')).not.toBe('');
    expect(texts.get('turns')).toBe(texts.get('template'));
    expect(texts.get('question')).toBe(texts.get('template of it'));
  });

  it('continues the answer that a last turn of the assistant begins', async () => {
    const begun: ChatMessage[] = [...TURNS, { role: 'assistant', content: 'f(5) is' }];
    const texts = await textsOf(samplerOf(), [
      request('begun', begun),
      request('template', [{ role: 'user', content: `${chatMl(TURNS)}f(5) is` }], { raw: true }),
    ]);
    expect(texts.get('begun')).toBe(texts.get('template'));
  });

  it('gives n answers with noise of their own, of which the first is the only one of n = 1', async () => {
    const sampler = samplerOf();
    const several = await sampler.sample(TURNS, 3, { ...HOT, seed: 3, signal: never });
    expect(several.map(({ key }) => key)).toEqual(['0', '1', '2']);
    expect(new Set(several.map(({ text }) => text)).size).toBeGreaterThan(1);
    expect(await sampler.sample(TURNS, 3, { ...HOT, seed: 3, signal: never })).toEqual(several);
    const [alone] = await sampler.sample(TURNS, 1, { ...HOT, seed: 3, signal: never });
    expect(alone).toEqual(several[0]);
  });

  it('says of a conversation that does not fit the window that it is too long, and answers the others', async () => {
    const samples = new Map<string, Sample>();
    await samplerOf().sampleEach(
      [request('long', [{ role: 'user', content: 'word '.repeat(3000) }]), request('short', TURNS)],
      GREEDY,
      (sample) => void samples.set(sample.key, sample),
      never,
    );
    expect(samples.get('long')).toMatchObject({ text: '', newTokens: 0, finish: 'too-long' });
    expect(samples.get('short')?.newTokens).toBeGreaterThan(0);
  });

  it('keeps an answer within a smaller window where one is named, and changes nothing of one that fits it', async () => {
    const samples = new Map<string, Sample>();
    const asked = [
      request('long', [{ role: 'user', content: 'word '.repeat(60) }]),
      request('short', TURNS.slice(0, 2)),
    ];
    const free = await textsOf(samplerOf(), asked);
    const limits = { ...GREEDY, contextTokens: 64 };
    await samplerOf().sampleEach(asked, limits, (sample) => void samples.set(sample.key, sample), never);
    expect(free.get('long')).not.toBe('');
    expect(samples.get('long')).toMatchObject({ text: '', newTokens: 0, finish: 'too-long' });
    expect(samples.get('short')?.text).toBe(free.get('short'));
  });
}

describe('a GGUF model', () => {
  let client: SupervisorClient;
  let sampler: Sampler;
  beforeAll(async () => {
    client = await startSupervisor({ logFile: join(folder, 'supervisor.log'), backoff: AT_ONCE });
    const [contextTokens, rows] = [512, 4];
    await client.load({ path: supervisorModel(folder), contextSize: contextTokens, threads: 1, rows });
    sampler = new GgufSampler(client, { contextTokens, rows, loopTokens: 512 });
  }, 300_000);
  afterAll(() => client.close());

  itHoldsConversations(() => sampler);

  it('answers the same when it was loaded for a larger window', async () => {
    const larger = await startSupervisor({ logFile: join(folder, 'larger.log'), backoff: AT_ONCE });
    const [contextTokens, rows] = [1024, 4];
    await larger.load({ path: supervisorModel(folder), contextSize: contextTokens, threads: 1, rows });
    const asked = [1, 2, 3, 4, 5, 6].map((end) =>
      request(`${end}`, [...TURNS, TURNS[end % 4]!], { seed: end }),
    );
    const limits = { ...HOT, contextTokens: 512 };
    expect(
      await textsOf(new GgufSampler(larger, { contextTokens, rows, loopTokens: 512 }), asked, limits),
    ).toEqual(await textsOf(sampler, asked, limits));
    await larger.close();
  });
});

describe('a policy', () => {
  let trainer: Trainer;
  let sampler: Sampler;
  const load = (model: string): LoadRequest => ({
    model: { path: model },
    train: { mode: 'none' },
    rollout: { maxSeqTokens: 256, maxConcurrent: 8 },
    device: 'cpu',
    threads: 1,
    seed: 1,
    reference: 'none',
  });
  beforeAll(async () => {
    trainer = await startLocalTrainer({
      python: warmPython() ?? PYTHON,
      moduleDir: TRAINER_MODULES,
      runDir: folder,
      spoolDir: join(folder, 'spool'),
      logFile: join(folder, 'trainer.log'),
      backoff: AT_ONCE,
    });
    ({ sampler } = await trainer.sampler(load(join(ROOT, 'resources/models/policy'))));
  }, 300_000);
  afterAll(() => trainer.close());

  itHoldsConversations(() => sampler);

  it('is loaded again once when two askers lose its process, and both get the answers of an undisturbed one', async () => {
    const requests = Array.from({ length: 6 }, (_, index) => request(String(index), TURNS, { seed: index }));
    const undisturbed = await textsOf(sampler, requests, HOT);
    expect(new Set(undisturbed.values()).size).toBeGreaterThan(1);
    const both = [textsOf(sampler, requests, HOT), textsOf(sampler, requests, HOT)];
    process.kill(trainerProcess(trainer.pid), 'SIGKILL');
    for (const texts of await Promise.all(both)) expect([...texts].sort()).toEqual([...undisturbed].sort());
  });

  it('trains a weight set whose process is lost to the very weights of an undisturbed one', async () => {
    const recovered: string[] = [];
    const weightSet = (model: string, point: RecoveryPoint): WeightSet =>
      trainer.weights(
        {
          model,
          backend: 'native',
          device: 'cpu',
          threads: 1,
          offload: 'never',
          seed: 5,
          maxSeqTokens: 256,
          maxConcurrent: 8,
          temperature: HOT.temperature,
          thinking: false,
          train: TRAIN,
        },
        point,
        (operation) => recovered.push(operation),
      );
    const start = join(folder, 'checkpoint-0');
    const model = randomModel(folder).folder;
    const base = weightSet(model, { kind: 'model', folder: model, version: 0 });
    const { weightsSha256: before } = await base.load();
    await base.save(start);
    const train = async (kill: boolean): Promise<string> => {
      const weights = weightSet(start, { kind: 'checkpoint', folder: start, version: 0 });
      expect((await weights.load()).weightsSha256).toBe(before);
      const lose = (): void => void (kill && process.kill(trainerProcess(trainer.pid), 'SIGKILL'));
      const items = [1, 2, 3, 4].map((seed) => ({ key: String(seed), messages: TURNS, seed }));
      const generating = weights.generate('s1/a', items, { ...HOT, topK: 0 }, never, () => {});
      lose();
      const rollouts = await generating;
      expect(rollouts).toHaveLength(4);
      const advantages = rollouts.map(({ rolloutId, key }) => ({ rolloutId, advantage: Number(key) - 2.5 }));
      const first = await weights.update('s1/update', advantages);
      lose();
      expect((await weights.update('s1/update', advantages)).version).toBe(first.version);
      lose();
      const { weightsSha256 } = await weights.save(join(folder, kill ? 'disturbed' : 'undisturbed'));
      return weightsSha256;
    };
    const undisturbed = await train(false);
    expect(undisturbed).not.toBe(before);
    expect(recovered).toEqual([]);
    expect(await train(true)).toBe(undisturbed);
    expect(recovered).toEqual(['generate s1/a', 'update s1/update', 'save']);
  }, 120_000);

  it('recovers every weight set that a lost process held, each to its own weights', async () => {
    const model = randomModel(folder).folder;
    const settings = {
      model,
      backend: 'native' as const,
      device: 'cpu' as const,
      threads: 1,
      offload: 'never' as const,
      seed: 5,
      maxSeqTokens: 256,
      maxConcurrent: 8,
      temperature: HOT.temperature,
      thinking: false,
      train: TRAIN,
    };
    const start = join(folder, 'checkpoint-0');
    const [first, second] = ['challenger', 'solver'].map((name) =>
      trainer.weights(
        { ...settings, model: start },
        { kind: 'checkpoint', folder: start, version: 0 },
        () => {},
        name,
      ),
    ) as [WeightSet, WeightSet];
    await first.load();
    await second.load();
    const items = [1, 2].map((seed) => ({ key: String(seed), messages: TURNS, seed }));
    const rollouts = await first.generate('s1/c', items, { ...HOT, topK: 0 }, never, () => {});
    await first.update(
      's1/challenger',
      rollouts.map(({ rolloutId }, index) => ({ rolloutId, advantage: index - 0.5 })),
    );
    const undisturbed = await first.save(join(folder, 'first-undisturbed'));
    process.kill(trainerProcess(trainer.pid), 'SIGKILL');
    const untrained = await second.save(join(folder, 'second'));
    const recovered = await first.save(join(folder, 'first-recovered'));
    expect(recovered.weightsSha256).toBe(undisturbed.weightsSha256);
    expect(untrained.weightsSha256).not.toBe(undisturbed.weightsSha256);
  }, 120_000);

  it('replays lost updates to the bit and names the accelerators of this machine', () => {
    expect(trainer.capabilities).toEqual({ replaysToTheBit: true, devices: expect.any(Array) });
  });
});
