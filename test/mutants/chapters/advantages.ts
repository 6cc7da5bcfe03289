import { chapter } from '../mutant.ts';
import { STEP } from './tests.ts';

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
        what: 'tokens of the prompt are the weights',
        line: 'tokens: rollout.newTokens,',
        instead: 'tokens: rollout.promptTokens,',
      },
    ],
  },
]);
