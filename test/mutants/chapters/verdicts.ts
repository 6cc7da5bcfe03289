import { chapter } from '../mutant.ts';
import { STEP } from './tests.ts';

const TASKS = 'test/electron/evolution/code-tasks';
const VERIFY = `${TASKS}/verify.test.ts`;
const COMPARE = 'test/electron/core/value-compare.test.ts';

/** Which answers are right and which proposals are tasks. */
export const VERDICTS = chapter('verdicts', [
  {
    file: 'electron/evolution/code-tasks/checking/verification.ts',
    tests: [VERIFY],
    mutants: [
      {
        what: 'what raised is compared with its value',
        line: 'if (failure !== null) return failure;\n    const value',
        instead: 'const value',
      },
    ],
  },
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
        what: 'a set has an order',
        line: "return wrap('{', itemKeys(encoded[1], equality)?.sort());",
        instead: "return wrap('{', itemKeys(encoded[1], equality));",
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
    file: 'electron/evolution/code-tasks/checking/reasons.ts',
    tests: [VERIFY, `${TASKS}/pool.test.ts`],
    mutants: [
      {
        what: 'a timeout is told as a death',
        line: "case 'timeout':\n    case 'memory':",
        instead: "case 'timeout':\n      return 'died';\n    case 'memory':",
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
      {
        what: 'a proposal in a broken form becomes a task',
        line: 'if (response.answer === null || (!response.formatOk && !keepsBroken))',
        instead: 'if (response.answer === null)',
      },
      {
        what: 'azr-compat throws away what broke the form',
        line: "readerOf(framework) === 'azr-compat' && framework.validator === 'azr-compat';",
        instead: 'false;',
      },

      {
        what: 'a task does not say which response made it',
        line: "origin: 'proposal',\n    rolloutId: id,",
        instead: "origin: 'proposal',\n    rolloutId: null,",
      },
      {
        what: 'an induction without a program keeps the form under azr-compat',
        line: 'return answer === null || readAnswerProgram(answer, framework.verifier) === null;',
        instead: 'return false;',
      },
      {
        what: 'no answer is paid as a right one',
        line: "return answer === null\n    ? failed('no-answer')",
        instead:
          "return answer === null\n    ? { kind: 'decided', verdict: { outcome: 'passed', reason: null, accuracy: 1, sandboxLevel: null } }",
        tests: [`${TASKS}/unread-form.test.ts`, ...STEP],
      },
    ],
  },
  {
    file: 'electron/evolution/code-tasks/buffers.ts',
    tests: [`${TASKS}/pool.test.ts`],
    mutants: [
      {
        what: 'tasks of the present step may be solved in it',
        line: 'const NEW_WINDOW_STEPS = 1;',
        instead: 'const NEW_WINDOW_STEPS = 0;',
      },
      {
        what: 'tasks of two steps count as new',
        line: 'const NEW_WINDOW_STEPS = 1;',
        instead: 'const NEW_WINDOW_STEPS = 2;',
      },
      {
        what: 'a full buffer drops its newest tasks',
        line: 'this.#tasks[taskType].splice(0, this.#tasks[taskType].length - this.#rules.bufferCap);',
        instead: 'this.#tasks[taskType].splice(this.#rules.bufferCap);',
      },
      {
        what: 'the filter of the buffer is for seeds',
        line: "if (task.origin === 'proposal' && !entersBuffer",
        instead: "if (task.origin !== 'proposal' && !entersBuffer",
      },
      {
        what: 'non-one drops what nobody solves',
        line: "return solveRate < 1 && (filter === 'non-one' || solveRate > 0);",
        instead: 'return solveRate < 1 && solveRate > 0;',
      },
      {
        what: 'non-extremes keeps what everybody solves',
        line: "return solveRate < 1 && (filter === 'non-one' || solveRate > 0);",
        instead: "return filter === 'non-one' ? solveRate < 1 : solveRate > 0;",
      },

      {
        what: "the original's half-new takes the larger half",
        line: "sampleWithoutReplacement(fresh, Math.floor(count / 2), seed, ...path, 'new'),",
        instead: "sampleWithoutReplacement(fresh, Math.ceil(count / 2), seed, ...path, 'new'),",
      },
      {
        what: 'task choice is uniform whatever the run says',
        line: "return fill(buffer, sampleWithoutReplacement(fresh, count, seed, ...path, 'new'), count, seed, path);",
        instead:
          "return fill(buffer, sampleWithoutReplacement(buffer, count, seed, ...path, 'new'), count, seed, path);",
      },
    ],
  },
]);
