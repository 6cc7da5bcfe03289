import { chapter } from '../mutant.ts';
import { STEP } from './tests.ts';

const TASKS = 'test/electron/evolution/code-tasks';
const COMPARE = 'test/electron/core/value-compare.test.ts';

/** Which answers are right and which proposals are tasks. */
export const VERDICTS = chapter('verdicts', [
  {
    file: 'electron/core/values/value-compare.ts',
    tests: [COMPARE],
    mutants: [
      {
        what: 'NaN equals NaN',
        line: 'if (Number.isNaN(value)) return null;',
        instead: "if (Number.isNaN(value)) return 'nan';",
      },

      {
        what: 'a list equals a tuple',
        line: "return wrap('(', itemKeys(encoded[1], equality));",
        instead: "return wrap('[', itemKeys(encoded[1], equality));",
      },
      {
        what: 'True is not 1 in Python',
        line: "return equality === 'strict' ? `b${encoded[1]}`",
        instead: 'return true ? `b${encoded[1]}`',
      },
      {
        what: 'a dict has an order',
        line: 'entryKeys(encoded[1], equality)?.sort());',
        instead: 'entryKeys(encoded[1], equality));',
      },
      {
        what: 'a frozenset is a set in strict too',
        line: "wrap(equality === 'strict' ? '<' : '{',",
        instead: "wrap('{',",
      },
      {
        what: 'strict takes 1.0 for 1',
        line: "? prefix('f', realKey(hexToDouble(encoded[1])))",
        instead: '? realKey(hexToDouble(encoded[1]))',
      },
      {
        what: 'equal means that neither has a key',
        line: 'return key !== null && key === valueKey(right, equality);',
        instead: 'return key === valueKey(right, equality);',
      },
    ],
  },

  {
    file: 'electron/evolution/code-tasks/scoring.ts',
    tests: [...STEP, `${TASKS}/unread-form.test.ts`],
    mutants: [
      {
        what: 'an answer in a broken form is verified all the same',
        line: 'if (!response.formatOk) return { ...scored, verdict: invalid(formatReason(framework, response)) };',
        instead: '',
      },
    ],
  },
]);
