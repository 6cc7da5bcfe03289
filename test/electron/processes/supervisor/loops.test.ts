import type { LlamaModel, Token } from 'node-llama-cpp';
import { expect, it } from 'vitest';
import { PartialAnswer, smallestPeriod } from '../../../../electron/processes/supervisor/sequence.ts';

it.each([
  [[], 0],
  [[7], 1],
  [[1, 2, 3, 4], 4],
  [[1, 1, 1, 1], 1],
  [[1, 2, 1, 2, 1], 2],
  [[1, 2, 3, 1, 2, 3, 1], 3],
  [[1, 1, 2, 1, 1, 2, 1, 1, 3], 9],
])('the least period of %j is %i', (tokens, period) => {
  expect(smallestPeriod(tokens)).toBe(period);
});

/** Words as tokens; none of them ends an answer. */
const model = {
  isEogToken: () => false,
  detokenize: (tokens: readonly Token[]) => tokens.join(' '),
} as unknown as LlamaModel;

/** Where and why an answer ends that goes on with `tokenAt` for ever. */
function endOf(tokenAt: (index: number) => number, loopTokens?: number): [tokens: number, reason: string] {
  const answer = new PartialAnswer(model, {
    maxTokens: 4000,
    stop: [],
    ...(loopTokens ? { loopTokens } : {}),
  });
  for (let index = 0; ; index += 1) {
    const end = answer.add(tokenAt(index) as Token);
    if (end !== null) return [end.tokensOut, end.stopReason];
  }
}

it('an answer ends when its last tokens are one passage over and over', () => {
  expect(endOf((index) => (index < 100 ? index : index % 20), 512)).toEqual([624, 'loop']);
  expect(endOf(() => 3, 512)).toEqual([512, 'loop']);
});

it('an answer goes on to its limit when passages differ, come fewer than eight times, or nobody asked', () => {
  expect(endOf((index) => (index % 10 === 0 ? index : index % 10), 512)).toEqual([4000, 'length']);
  expect(endOf((index) => index % 65, 512)).toEqual([4000, 'length']);
  expect(endOf(() => 3)).toEqual([4000, 'length']);
});
