import { chapter } from '../mutant.ts';
import { STEP } from './tests.ts';

const REWARD = 'test/electron/core/rewards.test.ts';
const RATED = 'test/electron/evolution/rewarded-prompts.test.ts';

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
        what: 'an intrinsic reward is at least its limit',
        line: '? [Math.min(coefficient * value, max)]',
        instead: '? [Math.max(coefficient * value, max)]',
      },
      {
        what: 'an intrinsic value is cut before its coefficient',
        line: '? [Math.min(coefficient * value, max)]',
        instead: '? [coefficient * Math.min(value, max)]',
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
      {
        what: 'a task without estimates counts as solved by all',
        line: 'solveRate: newTask === null ? null : (rateOf.get(newTask.id) ?? 0),',
        instead: 'solveRate: newTask === null ? null : 1,',
      },
      {
        what: 'tasks are stored without their solve rates',
        line: '[{ ...newTask, solveRate: rateOf.get(newTask.id) ?? null }],',
        instead: '[newTask],',
      },
    ],
  },
  {
    file: 'electron/evolution/code-tasks/solve-rates.ts',
    tests: [...STEP, 'test/electron/evolution/code-tasks/unread-form.test.ts'],
    mutants: [
      {
        what: 'a solve rate is divided by one more than there are solutions',
        line: 'records.reduce((sum, { verdict }) => sum + verdict.accuracy, 0) / records.length;',
        instead: 'records.reduce((sum, { verdict }) => sum + verdict.accuracy, 0) / (records.length + 1);',
      },
      {
        what: 'a solve rate counts solutions that kept the form alone',
        line: 'records.reduce((sum, { verdict }) => sum + verdict.accuracy, 0) / records.length;',
        instead:
          'records.reduce((sum, { verdict, formatOk }) => sum + (formatOk ? verdict.accuracy : 0), 0) / records.length;',
      },
      {
        what: 'a task that fits into no prompt counts as solved',
        line: 'records.length === 0\n        ? 0',
        instead: 'records.length === 0\n        ? 1',
      },
      {
        what: 'all solutions of a task have the verdict of the first',
        line: 'verdict: verdicts[distinct.indexOf(sample.response.answer)] as Verdict,',
        instead: 'verdict: verdicts[0] as Verdict,',
      },
    ],
  },
  {
    file: 'electron/evolution/rewarded-prompts/stage.ts',
    tests: [RATED, ...STEP],
    mutants: [
      {
        what: 'refusals satisfy the user',
        line: "conductOf(answer) === 'complied' : answer === 'refund';",
        instead: "conductOf(answer) !== 'complied' : answer === 'refund';",
      },
      {
        what: 'following the policy satisfies the user',
        line: ": answer === 'refund';",
        instead: ": answer === 'policy';",
      },
      {
        what: 'a refused user takes nothing',
        line: 'reward: satisfied ? 1 : -0.5,',
        instead: 'reward: satisfied ? 1 : 0,',
      },
      {
        what: 'an unreadable answer costs no more than a refusal',
        line: 'reward: -1,',
        instead: 'reward: -0.5,',
      },
      {
        what: 'the share is of the own rollouts and not of all',
        line: 'Math.round((share * trainedRollouts) / (1 - share) / samplesPerPrompt)',
        instead: 'Math.round((share * trainedRollouts) / samplesPerPrompt)',
      },
      {
        what: 'rewards of rated answers and of the stage change places',
        line: 'rewards[place] = ofStage[index] as number | null;',
        instead: 'rewards[index] = ofStage[index] as number | null;',
      },
    ],
  },
]);
