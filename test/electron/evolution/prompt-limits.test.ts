import { describe, expect, it } from 'vitest';
import { runConfigSchema } from '../../../electron/contract/index.ts';
import type { AnyStage, RolloutRequest } from '../../../electron/evolution/loop/framework.ts';
import { buildBatch } from '../../../electron/evolution/loop/requests.ts';
import type { RunState, StepContext } from '../../../electron/evolution/loop/run-state.ts';

/** One word is one token here; a chat's frame adds two to each message. */
const words = (text: string): number => text.split(' ').filter((word) => word !== '').length;
const weights = {
  countTokens: (items: readonly ({ messages: { content: string }[] } | { plain: string })[]) =>
    Promise.resolve(
      items.map((item) =>
        'plain' in item
          ? words(item.plain)
          : item.messages.reduce((sum, { content }) => sum + words(content) + 2, 0),
      ),
    ),
};
const request = (user: string): RolloutRequest =>
  ({ id: '1/b/0', batch: 'b', prompt: { system: 'be good', user } }) as RolloutRequest;
/** Draws the questions one after the other, the last again and again. */
function drawn(questions: string[], generation: object): Promise<RolloutRequest[]> {
  const left = [...questions];
  const next = (): RolloutRequest => request(left.length > 1 ? left.shift()! : left[0]!);
  return buildBatch(
    { config: runConfigSchema.parse({ generation }) } as unknown as RunState,
    { weights: () => weights } as unknown as StepContext,
    { generates: 'policy', requests: () => [next()], resample: () => next() } as unknown as AnyStage,
  );
}
const user = async (questions: string[], generation: object): Promise<string | undefined> =>
  (await drawn(questions, generation))[0]?.prompt.user;

describe('A prompt', () => {
  it('is drawn again where it is longer than the limit, template and context included', async () => {
    expect(await user(['a b c d', 'a b'], { maxPromptTokens: 8 })).toBe('a b');
    expect(await user(['a b'], { maxPromptTokens: 8 })).toBe('a b');
  });

  it('is drawn again where its question alone is longer than its own limit', async () => {
    const limits = { maxPromptTokens: 100, maxContentTokens: 3 };
    expect(await user(['a b c d', 'a b c'], limits)).toBe('a b c');
    expect(await user(['a b c d'], { maxPromptTokens: 100 })).toBe('a b c d');
    await expect(user(['a b c d'], limits)).rejects.toThrow(
      'A question of batch b has 4 tokens in every draw, more than generation.maxContentTokens = 3; raise the limit or show fewer references.',
    );
    await expect(user(['a b c d'], { maxPromptTokens: 5 })).rejects.toThrow(
      'A prompt of batch b has 10 tokens in every draw, more than generation.maxPromptTokens = 5; raise the limit or show fewer references.',
    );
  });
});
