import type { RolloutRecord, RunConfig, RzeroConfig } from '../../../contract/index.ts';
import { anyStage, type AnyStage, type Framework } from '../../loop/framework.ts';
import { withRewardedPrompts } from '../../rewarded-prompts/stage.ts';
import { QUESTION_CAUSE_SENTENCES, type QuestionCause } from './parsing.ts';
import { goldsOfQuestion } from './review.ts';
import { placeOf, type StageName } from './schedule.ts';
import { challengeStage } from './stages/challenge.ts';
import { labelStage } from './stages/label.ts';
import { poseStage } from './stages/pose.ts';
import { solveStage } from './stages/solve.ts';
import { beginRun, foldStep, type RzeroState } from './state.ts';

const CHALLENGER = 'challenger';
const SOLVER = 'solver';
const SHARED = 'policy';

const stagesOf = (challenger: string, solver: string): Record<StageName, AnyStage> => ({
  challenge: anyStage(challengeStage(challenger, solver)),
  pose: anyStage(poseStage(challenger)),
  label: anyStage(labelStage(solver)),
  // Whoever answers is whom a user rates.
  solve: anyStage(withRewardedPrompts(solveStage(solver))),
});
const STAGES: Readonly<Record<RzeroConfig['roles'], Record<StageName, AnyStage>>> = {
  separate: stagesOf(CHALLENGER, SOLVER),
  shared: stagesOf(SHARED, SHARED),
};

/**
 * R-Zero: nothing comes from outside, not even seeds. An iteration is the challenger's training, its questions, their labels, and the
 * solver's training on those whose labels are in doubt.
 */
export const rzero: Framework<RzeroConfig, RzeroState> = {
  name: 'rzero',
  roles: ({ roles }) => (roles === 'shared' ? [SHARED] : [CHALLENGER, SOLVER]),
  trainOf({ framework, train: ofAll }, role) {
    const { kl } = ofAll;
    const isFresh = framework.stageStart === 'fresh';
    const train = isFresh && kl !== null ? { ...ofAll, kl: { ...kl, reference: 'stage' as const } } : ofAll;
    // One set that is both has the mini-batches that the run says for all.
    if (role === SHARED) return train;
    const { miniBatch } = role === CHALLENGER ? framework.challenge : framework.solve;
    return { ...train, miniBatch: miniBatch ?? train.miniBatch };
  },
  withAbsolutePaths: (config) => config,
  init: async () => [],
  begin: ({ framework }) => beginRun(framework),
  fold: foldStep,
  stageAt({ framework }, step) {
    const { stage, iteration, stageStep, globalStep } = placeOf(framework, step);
    const one = STAGES[framework.roles][stage];
    return {
      stage: one,
      iteration,
      position: { stageStep, globalStep },
      beginsAnew: one.trains !== null && stageStep === 1 && framework.stageStart === 'fresh',
    };
  },
  goldsOf: goldsOfQuestion,
  scaledDown: (config, rollouts) => {
    const { challenge } = config;
    const prompts = Math.max(1, Math.min(challenge.prompts, Math.floor(rollouts / challenge.samples)));
    return { ...config, challenge: { ...challenge, prompts } };
  },
  workload: ({ challenge, vote, pose, label, solve }) => [challenge, vote, pose, label, solve],
  reasons: {
    ...QUESTION_CAUSE_SENTENCES,
    duplicate: 'The question was asked before in this run.',
    filtered: 'The filter of questions leaves it out.',
    'no-answer': 'The answer has no box, so it does not vote.',
    'other-answer': 'The answer is not the one that most agree on.',
  },
  uselessBatch,
};

/** Below this share of questions that can be read, a challenger learns next to nothing. */
const USABLE_SHARE = 0.05;
const FEWEST = 10;
const EXAMPLE_CHARACTERS = 200;

function uselessBatch({ generation, policy }: RunConfig, rollouts: readonly RolloutRecord[]): string | null {
  const texts = rollouts.filter(({ purpose }) => purpose === 'propose');
  const broken = texts.filter(({ verdict: { outcome } }) => outcome === 'invalid');
  if (texts.length < FEWEST || texts.length - broken.length >= USABLE_SHARE * texts.length) return null;
  const byReason = [...Map.groupBy(broken, ({ verdict: { reason } }) => reason ?? '')].toSorted(
    (a, b) => b[1].length - a[1].length,
  );
  const sentence = (reason: string): string => QUESTION_CAUSE_SENTENCES[reason as QuestionCause] ?? reason;
  const [example] = byReason[0]?.[1] ?? [];
  return [
    `Only ${texts.length - broken.length} of ${texts.length} texts of the challenger in step 1 are questions, so it has nothing to learn from.`,
    `Reasons: ${byReason.map(([reason, of]) => `${of.length} × ${sentence(reason)}`).join(' ')}`,
    `Example: “${(example?.text ?? '').replace(/\s+/g, ' ').trim().slice(0, EXAMPLE_CHARACTERS)}”`,
    `What to change in a new run: the model, now ${policy.model} (embedded-questions was taught to write some, others have to follow instructions); policy.promptPack, now ${policy.promptPack}; generation.maxNewTokens, now ${generation.maxNewTokens}.`,
  ].join('\n');
}
