import { chapter } from '../mutant.ts';
import { STEP } from './tests.ts';

const REWARD = 'test/electron/core/rewards.test.ts';

/** What responses are paid, by AZR's tables and by those of rated prompts. */
export const REWARDS = chapter('rewards', [
  {
    file: 'electron/core/rewards.ts',
    tests: [REWARD],
    mutants: [
      {
        what: 'a broken form costs half',
        line: 'export const FORMAT_PENALTY = -1;',
        instead: 'export const FORMAT_PENALTY = -0.5;',
      },
      {
        what: 'a wrong answer costs nothing',
        line: 'export const WRONG_PENALTY = -0.5;',
        instead: 'export const WRONG_PENALTY = 0;',
      },
      {
        what: 'a right answer in a broken form is paid',
        line: 'if (!outcome.formatOk) return FORMAT_PENALTY;\n  return outcome.accuracy',
        instead: 'return outcome.accuracy',
      },
      {
        what: 'a partly right answer is wrong',
        line: 'return outcome.accuracy === 0 ? WRONG_PENALTY : outcome.accuracy;',
        instead: 'return outcome.accuracy < 1 ? WRONG_PENALTY : outcome.accuracy;',
      },
      {
        what: 'a task that nobody solves teaches most',
        line: "return solveRate === 0 && rule === 'one-minus' ? 0 : 1 - solveRate;",
        instead: 'return 1 - solveRate;',
      },
      {
        what: 'an easy task teaches more than a hard one',
        line: "return solveRate === 0 && rule === 'one-minus' ? 0 : 1 - solveRate;",
        instead: 'return solveRate;',
      },
      {
        what: 'a task half of them solve teaches most',
        line: "return solveRate === 0 && rule === 'one-minus' ? 0 : 1 - solveRate;",
        instead: 'return 1 - Math.abs(2 * solveRate - 1);',
      },
      {
        what: 'the two rules of learnability are exchanged',
        line: "rule === 'one-minus' ? 0 : 1 - solveRate;",
        instead: "rule === 'inverse' ? 0 : 1 - solveRate;",
      },
      {
        what: 'an invalid proposal is paid as one that teaches nothing',
        line: 'if (!outcome.formatOk || !outcome.valid) return FORMAT_PENALTY;',
        instead: 'if (!outcome.formatOk) return FORMAT_PENALTY;\n  if (!outcome.valid) return WRONG_PENALTY;',
      },
      {
        what: 'a valid proposal in a broken form is paid',
        line: 'if (!outcome.formatOk || !outcome.valid) return FORMAT_PENALTY;',
        instead: 'if (!outcome.valid) return FORMAT_PENALTY;',
      },
      {
        what: "the paper's and the repository's pay for teaching nothing are exchanged",
        line: "if (learned === 0) return config.zeroLearnability === 'repository' ? WRONG_PENALTY : 0;",
        instead: "if (learned === 0) return config.zeroLearnability === 'repository' ? 0 : WRONG_PENALTY;",
      },
      {
        what: 'intrinsic rewards are paid for tasks that teach nothing',
        line: "if (learned === 0) return config.zeroLearnability === 'repository' ? WRONG_PENALTY : 0;",
        instead: '',
      },

      {
        what: 'sum and sum-multiply are one',
        line: 'return learned + sum;',
        instead: 'return learned + product;',
      },
      {
        what: 'multiply adds the product',
        line: 'return learned * product;',
        instead: 'return learned + product;',
      },
      {
        what: 'multiply-sum takes the product',
        line: 'return learned * sum;',
        instead: 'return learned * product;',
      },
    ],
  },
  {
    file: 'electron/evolution/frameworks/azr/index.ts',
    tests: STEP,
    mutants: [
      {
        what: 'proposers are paid as solvers',
        line: "one.request.purpose === 'propose' ? proposalReward(one, values, framework) : solutionReward(one),",
        instead: 'solutionReward(one),',
      },
    ],
  },
]);
