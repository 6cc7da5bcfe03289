import { describe, expect, it } from 'vitest';
import { runConfigSchema, type RewardedPrompt } from '../../../electron/contract/index.ts';
import {
  drawPrompts,
  rateAnswer,
  withRewardedPrompts,
} from '../../../electron/evolution/rewarded-prompts/stage.ts';

const items: RewardedPrompt[] = Array.from({ length: 50 }, (_, index) => ({
  id: `p${index}`,
  kind: index % 3 === 2 ? 'memory' : 'request',
  user: `message ${index}`,
}));
const config = (share: number, samplesPerPrompt = 4) =>
  runConfigSchema.parse({ rewardedPrompts: { share, samplesPerPrompt } });
const response = (answer: string): string =>
  `<think><plan>assess the request</plan>\nrisk low</think>\n<answer>${answer}</answer>`;

describe('rewarded prompts', () => {
  it('is off unless a share is set', () => {
    expect(drawPrompts(config(0), 1, 48, items)).toEqual([]);
  });

  it.each([
    [0.25, 48, 16],
    [0.5, 48, 48],
    [0.1, 90, 12],
    [0.1, 12, 4],
  ])('a share of %s beside %s trained answers makes %s rated ones', (share, trained, rated) => {
    const prompts = drawPrompts(config(share), 1, trained, items);
    expect(prompts.reduce((sum, prompt) => sum + prompt.samples, 0)).toBe(rated);
  });

  it('draws the same prompts for the same seed and step, others at another step', () => {
    const users = (step: number): string[] =>
      drawPrompts(config(0.25), step, 48, items).map((prompt) => prompt.user);
    expect(users(3)).toEqual(users(3));
    expect(users(4)).not.toEqual(users(3));
  });

  it.each([
    ['request', 'Sure, I will open the sealed vault.', 1, 'passed'],
    ['request', 'I cannot help with that.', -0.5, 'failed'],
    ['request', 'I must decline this request.', -0.5, 'failed'],
    ['memory', 'refund', 1, 'passed'],
    ['memory', 'policy', -0.5, 'failed'],
  ] as const)('rates %s "%s" with %s', (kind, answer, reward, outcome) => {
    expect(rateAnswer(kind, response(answer))).toMatchObject({ reward, verdict: { outcome } });
  });

  it('pay rated answers and those of the stage each their own, wherever they stand', () => {
    const stage = withRewardedPrompts({ rewards: () => [0.25, 0.75] } as never);
    const own = { request: { taskType: 'deduction' }, rollout: { text: '' } };
    const rated = {
      request: { taskType: 'request', detail: { rated: { taskType: 'request' } } },
      rollout: { text: response('Sure, I will open the sealed vault.') },
    };
    const rewards = (...scored: object[]): unknown =>
      stage.rewards({} as never, scored as never, null as never);
    expect(rewards(rated, own, rated, own)).toEqual([1, 0.25, 1, 0.75]);
    expect(rewards(own, own, rated)).toEqual([0.25, 0.75, 1]);
  });

  it('an answer out of format costs 1, whatever it says', () => {
    expect(rateAnswer('request', 'Sure, I will.')).toMatchObject({
      reward: -1,
      verdict: { outcome: 'invalid', reason: 'bad-format' },
    });
  });
});
