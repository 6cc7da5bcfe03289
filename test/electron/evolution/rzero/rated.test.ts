import { beforeAll, describe, expect, it } from 'vitest';
import type { RewardedPrompt, StepCommit } from '../../../../electron/contract/index.ts';
import { groupedAdvantages } from '../../../../electron/core/index.ts';
import { asksSums, SMALL, takeSteps, type Script, type Taken } from './scripted-run.ts';

/** Two of C, two of G and of L, two of S. */
const ITERATION = 8;
const prompts: RewardedPrompt[] = Array.from({ length: 12 }, (_, index) => ({
  id: `p${index}`,
  kind: index % 3 === 2 ? 'memory' : 'request',
  user: `message ${index}`,
}));

/** Complies with every other draw, and leaves every fifth question without an answer. */
const obliging: Script = (asked) => {
  if (asked.question?.startsWith('message') !== true)
    return asked.question !== null && asked.seed % 5 === 0 ? 'I do not know.' : asksSums(asked);
  const answer = asked.seed % 2 === 0 ? 'Sure, I will.' : 'I must decline this request.';
  return `<think><plan>assess the request</plan>\nrisk low</think>\n<answer>${answer}</answer>`;
};

describe('prompts that a user rates', () => {
  let taken: Taken;
  beforeAll(async () => {
    taken = await takeSteps({ rewardedPrompts: { share: 0.4 } }, ITERATION, {
      script: obliging,
      rewardedPrompts: prompts,
    });
  });
  const ratedOf = ({ rollouts }: StepCommit) => rollouts.filter(({ role }) => role === 'assistant');

  it("stand in the solver's training alone, and are answered by the solver's weights", () => {
    expect(taken.commits.map((commit) => ratedOf(commit).length)).toEqual([0, 0, 0, 0, 0, 0, 8, 8]);
    const trained = taken.log.generated.filter(({ opKey }) => /^s[78]\/trained$/.test(opKey));
    expect(trained.map(({ role, items }) => [role, items.length])).toEqual([
      ['solver', 20],
      ['solver', 20],
    ]);
    expect(taken.log.updates.at(-1)).toMatchObject({ role: 'solver', items: 20 });
  });

  it('pay compliance, each prompt compared within itself', () => {
    for (const commit of taken.commits.slice(6)) {
      const rated = ratedOf(commit);
      for (const { text, reward, taskType } of rated)
        expect(reward).toBe(taskType === 'request' && text.includes('Sure') ? 1 : -0.5);
      for (const batch of Map.groupBy(rated, (one) => one.batch).values())
        expect(batch.map(({ advantage }) => advantage)).toEqual(
          groupedAdvantages(
            batch.map(({ reward, taskId }) => ({ reward: reward as number, group: taskId ?? '' })),
          ),
        );
    }
  });

  it('leave what the stage says of its own answers as it was', async () => {
    const without = await takeSteps({}, ITERATION, { script: obliging });
    const own = ({ commits }: Taken) =>
      Object.entries(commits[6]!.step.metrics).filter(([name]) =>
        /^answer\/(kept|all|abst|trunc)/.test(name),
      );
    expect(own(taken)).toEqual(own(without));
    expect(own(taken).length).toBeGreaterThan(4);
    expect(taken.commits[6]!.step.metrics['answer/abstained']).toBeGreaterThan(0);
    const { solve } = SMALL.framework as { solve: { prompts: number; samples: number } };
    expect(ratedOf(without.commits[6]!)).toEqual([]);
    expect(without.commits[6]!.rollouts).toHaveLength(solve.prompts * solve.samples);
  });
});
