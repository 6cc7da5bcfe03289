import { chapter } from '../mutant.ts';
import { ITERATION, STEP, SUPERVISED_STEP } from './tests.ts';

const ADVANTAGE = 'test/electron/core/advantages.test.ts';

/** Baselines: TRR++ whitens each batch by itself, GRPO each prompt. */
export const ADVANTAGES = chapter('advantages', [
  {
    file: 'electron/core/advantages.ts',
    tests: [ADVANTAGE],
    mutants: [
      {
        what: 'the variance is that of a whole population',
        line: '/ (total - 1) };',
        instead: '/ total };',
      },
      {
        what: 'sequences weigh by their tokens where they should be alike',
        line: "return weighting === 'token' ? tokens : 1;",
        instead: 'return tokens;',
      },
      {
        what: 'tokens have no weight',
        line: "return weighting === 'token' ? tokens : 1;",
        instead: 'return 1;',
      },
      {
        what: 'advantages are not divided by the deviation',
        line: '(reward - moments.mean) / Math.sqrt(moments.variance + EPSILON));',
        instead: 'reward - moments.mean);',
      },
      {
        what: 'advantages are divided by the variance',
        line: '(reward - moments.mean) / Math.sqrt(moments.variance + EPSILON));',
        instead: '(reward - moments.mean) / (moments.variance + EPSILON));',
      },
      {
        what: 'advantages have the wrong sign',
        line: '(reward - moments.mean) / Math.sqrt(moments.variance + EPSILON));',
        instead: '(moments.mean - reward) / Math.sqrt(moments.variance + EPSILON));',
      },
      {
        what: 'rewards are divided and not centred',
        line: '(reward - moments.mean) / Math.sqrt(moments.variance + EPSILON));',
        instead: 'reward / Math.sqrt(moments.variance + EPSILON));',
      },
      {
        what: 'the epsilon stands outside of the root',
        line: 'Math.sqrt(moments.variance + EPSILON));',
        instead: '(Math.sqrt(moments.variance) + EPSILON));',
      },
      {
        what: 'a single sequence has an advantage',
        line: 'if (total < 2) return null;',
        instead: 'if (total < 1) return null;',
      },
      {
        what: 'equal rewards leave what rounding left',
        line: 'if (rewards.every((reward) => reward === rewards[0])) return null;',
        instead: '',
      },
      {
        what: 'all prompts are one group',
        line: '(samples[index] as { group: string }).group);',
        instead: "'one');",
      },
      {
        what: 'the mean is that of the first and the last reward',
        line: 'const mean = weighted((reward) => reward) / total;',
        instead: 'const mean = ((rewards[0] ?? 0) + (rewards.at(-1) ?? 0)) / 2;',
      },
      {
        what: "GRPO's floor is added to the deviation",
        line: 'Math.max(Math.sqrt(moments.variance), floor) + DEVIATION_EPSILON;',
        instead: 'Math.sqrt(moments.variance) + floor + DEVIATION_EPSILON;',
      },
      {
        what: "GRPO's floor is the most that a deviation may be",
        line: 'Math.max(Math.sqrt(moments.variance), floor) + DEVIATION_EPSILON;',
        instead: 'Math.min(Math.sqrt(moments.variance), floor) + DEVIATION_EPSILON;',
      },
      {
        what: 'group and batch change places',
        line: "scope === 'group' ? withinGroups",
        instead: "scope === 'batch' ? withinGroups",
      },
      {
        what: 'advantages of a group come back in another order',
        line: 'advantages[index] = own[position] as number;',
        instead: 'advantages[index] = own[own.length - 1 - position] as number;',
      },
    ],
  },
  {
    file: 'electron/evolution/loop/step.ts',
    tests: STEP,
    mutants: [
      {
        what: 'all batches are whitened as one',
        line: 'Map.groupBy(paid, (one) => one.scored.request.batch)) {',
        instead: "Map.groupBy(paid, () => 'gen_code_o')) {",
      },
      {
        what: 'batches of one role are whitened as one',
        line: 'Map.groupBy(paid, (one) => one.scored.request.batch)) {',
        instead: 'Map.groupBy(paid, (one) => one.scored.request.role)) {',
      },
      {
        what: 'tokens of the prompt are the weights',
        line: 'tokens: rollout.newTokens,',
        instead: 'tokens: rollout.promptTokens,',
      },
      {
        what: 'every response is a group of its own',
        line: 'group: request.group ?? request.id,',
        instead: 'group: request.id,',
        tests: [...STEP, ...ITERATION],
      },
      {
        what: 'weights move by rewards instead of advantages',
        line: 'rewarded.map(({ scored: { rollout }, advantage }) => ({\n        rolloutId: rollout.rolloutId,\n        advantage: advantage ?? 0,',
        instead:
          'rewarded.map(({ scored: { rollout }, reward }) => ({\n        rolloutId: rollout.rolloutId,\n        advantage: reward ?? 0,',
      },
      {
        what: 'what is not paid has the advantage of a success',
        line: 'advantage: advantage ?? 0,',
        instead: 'advantage: advantage ?? 1,',
        tests: [...ITERATION, ...STEP],
        reason: 'every stage that trains pays all of its responses, and one that does not pay trains nothing',
      },
      {
        what: 'the next step is updated by rollouts of the retry and of the first try',
        line: 'const tried = firstTry.map((first) => retried.get(first.request.id) ?? first);',
        instead: 'const tried = [...firstTry, ...retried.values()];',
        tests: SUPERVISED_STEP,
      },
      {
        what: 'what was sent back is not generated again',
        line: "const enforced = config.supervision.retry === 'enforce';",
        instead: 'const enforced = false;',
        tests: SUPERVISED_STEP,
      },
      {
        what: 'a retry repeats the seed of the first try',
        line: "request.index, 'retry'),",
        instead: 'request.index),',
        tests: SUPERVISED_STEP,
      },
    ],
  },
  {
    file: 'electron/evolution/code-tasks/scoring.ts',
    tests: STEP,
    mutants: [
      {
        what: 'self-play whitens by sequence whatever the run says',
        line: 'return (batch) => whitenedAdvantages(batch, framework.whitening);',
        instead: "return (batch) => whitenedAdvantages(batch, 'sequence');",
      },
    ],
  },
  {
    file: 'electron/evolution/rewarded-prompts/stage.ts',
    tests: STEP,
    mutants: [
      {
        what: 'rated prompts are whitened by batch whatever the run says',
        line: "isRatedBatch(batch) && config.rewardedPrompts.baseline === 'prompt'",
        instead: "isRatedBatch(batch) && config.rewardedPrompts.baseline === 'batch'",
      },
    ],
  },
]);
