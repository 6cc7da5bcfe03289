import { describe, expect, it } from 'vitest';
import { everyPhase, type StepCommit } from '../../../electron/contract/index.ts';
import { canonicalJson, sha256Hex } from '../../../electron/core/index.ts';
import { rubricReviewer, scriptedReviewer } from '../../../electron/supervision/index.ts';
import { takeSteps as takeRzeroSteps } from './rzero/scripted-run.ts';
import { PACK, SELF_PLAY, smallSelfPlay } from './scripted-programs.ts';
import { packOf, takeSteps } from './scripted-steps.ts';

/**
 * What a step comes to where a script answers in place of weights: nothing of it hangs on a processor, so it is pinned for all of them. The
 * first part that differs says what changed. A change that is meant gives new runs other hashes, which CHANGELOG.md has to say.
 */
function partsOf(commits: readonly StepCommit[]): Record<string, string> {
  const short = (value: unknown): string => sha256Hex(canonicalJson(value)).slice(0, 16);
  return {
    prompts: short(commits.map(({ generations }) => generations?.map(({ promptSha256 }) => promptSha256))),
    texts: short(commits.map(({ rollouts }) => rollouts.map(({ id, text, answer }) => [id, text, answer]))),
    verdicts: short(
      commits.map(({ rollouts }) => rollouts.map(({ id, verdict, reward }) => [id, verdict, reward])),
    ),
    advantages: short(commits.map(({ rollouts }) => rollouts.map(({ id, advantage }) => [id, advantage]))),
    tasks: short(commits.map(({ tasks }) => tasks)),
    reviews: short(
      commits.map(({ reviews }) => reviews.map(({ createdAt: _, milliseconds: __, ...review }) => review)),
    ),
    summaries: short(commits.map(({ summaries }) => summaries)),
    contexts: short(commits.map(({ nextContext }) => nextContext)),
    metrics: short(
      commits.map(({ step: { metrics } }) =>
        Object.entries(metrics).map(([name, value]) => [name, value.toPrecision(9)]),
      ),
    ),
    lastStep: (commits.at(-1)?.step.stepHash ?? '').slice(0, 16),
  };
}

/** Says what may be the answer, which is quarantined where it is. */
const guesses = scriptedReviewer(packOf('instruct'), ({ item: { phase, index } }) => ({
  decision: 'continue',
  issues: phase === 'thought' ? ['trace_error'] : [],
  feedback: `Is it ${40 + index}, or is a step inconsistent?`,
}));

describe('A run that is written by a script', () => {
  it('comes to the pinned records under Absolute Zero, supervised in all phases', async () => {
    const reviewer = rubricReviewer(PACK);
    const { commits } = await takeSteps(smallSelfPlay(), 3, { ...SELF_PLAY, reviewer });
    expect(partsOf(commits)).toEqual({
      prompts: '3156606a9c54ce3a',
      texts: '89378f61d28e4c19',
      verdicts: 'aeb7a487b5c14c6f',
      advantages: '12b3a55a0b95f819',
      tasks: '310e5f25afcd79da',
      reviews: 'a8f9942353d318db',
      summaries: '439c186717cb21b0',
      contexts: 'a7a6ad76b9918d4c',
      metrics: 'ac7c522abca6f94d',
      lastStep: 'cabfb847b15d7a17',
    });
  });

  it('comes to the pinned records under R-Zero, through an iteration and into the next', async () => {
    const { commits } = await takeRzeroSteps(
      { supervision: { phases: everyPhase(0.7), guidance: 'every' } },
      9,
      {
        reviewer: guesses,
      },
    );
    expect(partsOf(commits)).toEqual({
      prompts: 'b0d787e5de0e3692',
      texts: 'c7d2ed03bb344bdd',
      verdicts: '5f5e92961587dd86',
      advantages: 'a9c8236767ffe3ad',
      tasks: '8e03ac0b0b36186b',
      reviews: '5db94902360b3406',
      summaries: '2fbe1844e52090dd',
      contexts: 'a0a34e0c77e39548',
      metrics: '1bc110498e09c5f2',
      lastStep: 'dc560275bb93f039',
    });
  });
});
