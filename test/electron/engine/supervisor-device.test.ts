import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runConfigSchema } from '../../../electron/contract/index.ts';
import { startSupervisor } from '../../../electron/processes/index.ts';
import { APPLICATION, makeLab, type Lab } from './in-engine.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const MODEL = join(APPLICATION, 'resources/models/supervisor/supervisor.f16.gguf');
const ASKED = {
  system: 'You are the supervisor.',
  user: 'phase: output',
  schema: {
    type: 'object',
    properties: { decision: { enum: ['continue', 'retry'] }, feedback: { type: 'string', maxLength: 40 } },
  },
  maxTokens: 60,
  seed: 1,
  temperature: 1,
  timeoutMs: 60_000,
};
const settings = (device?: 'cpu' | 'auto') =>
  runConfigSchema.parse({ supervision: device === undefined ? {} : { device } }).supervision;

let lab: Lab;
beforeAll(async () => {
  lab = await makeLab();
});
afterAll(() => lab.remove());

describe('where a supervisor computes', () => {
  it('is the processor unless a run asks for a graphics card, and decides which runs share a process', async () => {
    const { children } = lab.engine;
    const [silent, cpu, auto] = await Promise.all(
      [settings(), settings('cpu'), settings('auto')].map((computing) =>
        children.supervisor(MODEL, computing, 512),
      ),
    );
    expect(silent?.pid).toBe(cpu?.pid);
    expect(auto?.pid).not.toBe(cpu?.pid);
  });

  it('says what it found, and without a card reviews as the processor does', async () => {
    const client = await startSupervisor({ logFile: join(lab.scratch, 'supervisor.log') });
    try {
      const { gpu } = await client.load({ path: MODEL, contextSize: 512, threads: 1, gpu: 'auto' });
      const { text } = await client.review(ASKED);
      if (gpu !== null) return console.info(`equal texts not compared: llama.cpp computes with ${gpu} here`);
      const plain = await lab.engine.children.supervisor(MODEL, settings(), 512);
      expect((await plain.review(ASKED)).text).toBe(text);
    } finally {
      await client.close();
    }
  });
});

describe('the window of a supervisor', () => {
  it('has room for the reviews that a run asks for, in a process of its own', async () => {
    const { children } = lab.engine;
    const [plain, narrow] = await Promise.all(
      [settings(), { ...settings(), windowTokens: 80 }].map((computing) =>
        children.supervisor(MODEL, computing, 512),
      ),
    );
    expect(narrow?.pid).not.toBe(plain?.pid);
    const beside = { ...ASKED, side: 'together' as const };
    expect((await plain?.review(beside))?.text).not.toBe('');
    await expect(narrow?.review(beside)).rejects.toMatchObject({
      kind: 'promptTooLong',
      detail: { contextSize: 80, limit: 20 },
    });
    // What is asked by itself has all of what was loaded.
    expect((await narrow?.review(ASKED))?.text).toBe((await plain?.review(ASKED))?.text);
  });
});
