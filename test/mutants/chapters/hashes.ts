import { chapter } from '../mutant.ts';
import { STEP, SUPERVISED_STEP } from './tests.ts';

const HASH = 'test/electron/evolution/step-hash.test.ts';

/** What makes two runs the same, and what is written down of a step. */
export const HASHES = chapter('step hash', [
  {
    file: 'electron/evolution/loop/step-hash.ts',
    tests: [HASH, ...STEP],
    mutants: [
      { what: 'reviews are not in it', line: 'commit.reviews.map(repeatableReview),', instead: '[],' },
      { what: 'rollouts are not in it', line: 'commit.rollouts.map(repeatableRollout),', instead: '[],' },
      {
        what: 'the weights are not in it',
        line: 'commit.checkpoint?.weightsSha256 ?? null,',
        instead: 'null,',
      },
      {
        what: 'the steps before are not in it',
        line: "'anchor-step-v1',\n      previous,",
        instead: "'anchor-step-v1',\n      '',",
      },
      {
        what: 'the context that was read is not in it',
        line: '      step,\n      contextHash,\n      commit',
        instead: "      step,\n      '',\n      commit",
      },
      { what: 'the context that comes next is not in it', line: '      commit.nextContext,\n', instead: '' },
      { what: 'summaries are not in it', line: '      commit.summaries,\n', instead: '' },
      { what: 'tasks are not in it', line: '      commit.tasks,\n', instead: '' },
      {
        what: 'the time of a review is in it',
        line: '  createdAt: _,\n  milliseconds: __,\n  ...review\n',
        instead: '  milliseconds: __,\n  ...review\n',
      },
      {
        what: 'the level of the sandbox is in it',
        line: 'return { ...rollout, verdict };',
        instead: 'return { ...rollout, verdict: { ...verdict, sandboxLevel: _ } };',
      },
      { what: 'wordings are not in it', line: 'commit.wordings.length === 0 ? []', instead: 'true ? []' },
      {
        what: 'the place in the schedule is not in it',
        line: 'const place = roles.length === 1 ? []',
        instead: 'const place = true ? []',
      },
      {
        what: 'the name of a run is in its first hash',
        line: '{ name: _, preset: __,',
        instead: '{ preset: __,',
      },
      {
        what: 'a file counts by where it lies',
        line: "typeof value === 'string' && isAbsolute(value) ? content : value;",
        instead: 'value;',
      },
      {
        what: 'the weights a run starts from are not in its first hash',
        line: "['anchor-run-v1', repeatable, weightsSha256, contextHash]",
        instead: "['anchor-run-v1', repeatable, contextHash]",
      },
    ],
  },
  {
    file: 'electron/evolution/loop/rollout-records.ts',
    tests: SUPERVISED_STEP,
    mutants: [
      {
        what: 'a record names the context of the step after',
        line: 'contextHash: run.context.hash,',
        instead: "contextHash: '',",
      },
      {
        what: 'a retry cannot be told from the first try',
        line: 'sample: attempt === 2 ? 1 : null,',
        instead: 'sample: null,',
      },
      {
        what: 'tokens of prompt and answer change places',
        line: 'promptTokens: rollout.promptTokens,\n    newTokens: rollout.newTokens,',
        instead: 'promptTokens: rollout.newTokens,\n    newTokens: rollout.promptTokens,',
      },
    ],
  },
  {
    file: 'electron/evolution/loop/metrics.ts',
    tests: SUPERVISED_STEP,
    mutants: [
      {
        what: 'mean rewards are divided by one more',
        line: 'values.reduce((sum, value) => sum + value, 0) / values.length;',
        instead: 'values.reduce((sum, value) => sum + value, 0) / (values.length + 1);',
      },
      {
        what: 'quarantined reviews are told as none',
        line: "count((review) => review.status === 'quarantined'),",
        instead: "count((review) => review.status === 'failed'),",
      },
      {
        what: 'the mean length of failed answers is that of all',
        line: "'incorrect_response_length/mean': mean(tokens(failed)),",
        instead: "'incorrect_response_length/mean': mean(tokens(rollouts)),",
      },
      {
        what: 'reviews of all phases count for each',
        line: "count((review) => review.phase === phase && review.status === 'done'),",
        instead: "count((review) => review.status === 'done'),",
      },
    ],
  },
]);
