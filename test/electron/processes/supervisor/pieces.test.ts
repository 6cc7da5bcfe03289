import type { LlamaContextSequence, Token } from 'node-llama-cpp';
import { describe, expect, it } from 'vitest';
import { PromptedSequence } from '../../../../electron/processes/supervisor/sequence.ts';

/** The lengths of what is evaluated at once of a prompt, and of what is left to be evaluated with the answer. */
async function piecesOf(length: number, shared: number): Promise<{ pieces: number[]; left: number }> {
  const pieces: number[] = [];
  const sequence = new PromptedSequence({
    nextTokenIndex: 0,
    clearHistory: () => Promise.resolve(),
    evaluateWithoutGeneratingNewTokens: (tokens: readonly Token[]) => {
      pieces.push(tokens.length);
      return Promise.resolve();
    },
  } as unknown as LlamaContextSequence);
  const tokens = Array.from({ length }, (_, index) => index as Token);
  const rest = await sequence.begin({ tokens, shared }, () => {});
  return { pieces, left: rest.length };
}

describe('a prompt that is evaluated in pieces', () => {
  it('has none of a single token, wherever its shared beginning ends', async () => {
    for (let length = 1020; length <= 1032; length += 1)
      for (const shared of [0, 40, 507, 508, 509, 510, 511, 512, 513, 514, 515]) {
        const { pieces, left } = await piecesOf(length, shared);
        expect(
          pieces.reduce((sum, piece) => sum + piece, left),
          `${length}/${shared}`,
        ).toBe(length);
        expect(Math.min(...pieces), `${length}/${shared}`).toBeGreaterThan(1);
        expect(Math.max(...pieces, left), `${length}/${shared}`).toBeLessThanOrEqual(512);
        // One token of it begins the answer, in a batch of its own; what is before it is a piece too.
        expect(left, `${length}/${shared}`).toBeGreaterThan(2);
      }
  });

  it('is one piece where it is short', async () => {
    expect(await piecesOf(512, 0)).toEqual({ pieces: [], left: 512 });
    expect(await piecesOf(30, 20)).toEqual({ pieces: [20], left: 10 });
    expect(await piecesOf(515, 0)).toEqual({ pieces: [512], left: 3 });
    expect(await piecesOf(513, 0)).toEqual({ pieces: [510], left: 3 });
  });
});
