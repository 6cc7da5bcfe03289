import { setTimeout as pause } from 'node:timers/promises';
import type { LlamaModel, Token } from 'node-llama-cpp';
import { describe, expect, it } from 'vitest';
import { ThreadChoice } from '../../../../electron/processes/supervisor/cores.ts';
import { generate } from '../../../../electron/processes/supervisor/generation.ts';
import type { PromptedSequence } from '../../../../electron/processes/supervisor/sequence.ts';

const TOKENS = 40;
const END = TOKENS as Token;
const model = {
  isEogToken: (token: Token) => token === END,
  detokenize: (tokens: readonly Token[]) => tokens.join(' '),
} as unknown as LlamaModel;

/** A machine whose other programs want its cores: what a token takes depends on how many threads wait for each other. */
function machine(msOf: (threads: number) => number) {
  const used: number[] = [];
  let threads = 2; // what the process was told to use
  const sequence = {
    left: () => 1,
    begin: () => Promise.resolve([0 as Token]),
    sequence: {
      nextTokenIndex: 0,
      async *evaluateWithMetadata() {
        for (let token = 0; token <= TOKENS; token += 1) {
          used.push(threads);
          await pause(msOf(threads));
          yield { token: token as Token };
        }
      },
    },
  } as unknown as PromptedSequence;
  const choice = new ThreadChoice(2, (count) => (threads = count));
  const ask = (timeoutMs: number, patience: number | null) =>
    generate(
      model,
      sequence,
      { tokens: [0 as Token], shared: 0 },
      {
        seed: 1,
        temperature: 0,
        maxTokens: TOKENS + 1,
        stop: [],
        grammar: null,
        timeoutMs,
        pace: patience === null ? null : { threads: choice, patience },
        signal: new AbortController().signal,
      },
    );
  return { ask, used };
}

describe('An answer that is written by itself', () => {
  it('is lost to its time limit where two threads wait for each other, and is not where they are chosen', async () => {
    const crowded = machine((threads) => (threads === 2 ? 40 : 2));
    await expect(crowded.ask(600, null)).rejects.toMatchObject({ kind: 'timeout' });
    crowded.used.length = 0;
    expect(await crowded.ask(600, 4)).toMatchObject({ stopReason: 'end', tokensOut: TOKENS });
    expect(crowded.used.filter((threads) => threads === 2).length).toBeLessThan(4);
  });

  it('has the time that the measured speed lets expect, and no limit before anything was measured', async () => {
    const slow = machine(() => 12);
    expect(await slow.ask(50, 4)).toMatchObject({ stopReason: 'end' });
    expect(await slow.ask(50, 4)).toMatchObject({ stopReason: 'end' });
    await expect(slow.ask(50, 0.2)).rejects.toMatchObject({ kind: 'timeout' });
  });
});
