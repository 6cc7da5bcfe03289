import { chapter } from '../mutant.ts';
import { STEP } from './tests.ts';

const TASKS = 'test/electron/evolution/code-tasks';
const VERIFY = `${TASKS}/verify.test.ts`;
const REGRESSIONS = `${TASKS}/regressions.test.ts`;
const COMPARE = 'test/electron/core/value-compare.test.ts';

/** Which answers are right and which proposals are tasks. */
export const VERDICTS = chapter('verdicts', [
  {
    file: 'electron/evolution/code-tasks/checking/verification.ts',
    tests: [REGRESSIONS, VERIFY],
    mutants: [
      {
        what: "strict is Python's equality",
        line: "if (sameValue(value, gold, 'strict')) return null;",
        instead: "if (sameValue(value, gold, 'python')) return null;",
      },
      {
        what: 'one right call is enough',
        line: "Number(rule === 'any' ? share > 0 : share === 1);",
        instead: 'Number(share > 0);',
      },
      {
        what: 'half of the calls are enough',
        line: "Number(rule === 'any' ? share > 0 : share === 1);",
        instead: "Number(rule === 'any' ? share > 0 : share >= 0.5);",
      },
      {
        what: 'the share of right calls counts where all have to be right',
        line: "const accuracy = rule === 'accuracy' ? share :",
        instead: 'const accuracy = true ? share :',
      },
      {
        what: 'calls that gave nothing are left out',
        line: "const counted = ignoreDied ? problems.filter((problem) => problem !== 'died') : problems;",
        instead: "const counted = problems.filter((problem) => problem !== 'died');",
      },
      {
        what: 'an answer of which nothing ran is right',
        line: 'counted.length === 0 ? 0 : right / counted.length;',
        instead: 'counted.length === 0 ? 1 : right / counted.length;',
      },
      {
        what: 'every call is held against the first gold',
        line: '(value, call) => differenceOf(value, golds[call] as EncodedValue);',
        instead: '(value, call) => differenceOf(value, golds[0] as EncodedValue);',
      },
      {
        what: 'a partly right answer is called passed',
        line: "outcome: accuracy === 1 ? 'passed' : 'failed', reason,",
        instead: "outcome: accuracy > 0 ? 'passed' : 'failed', reason,",
      },
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
    tests: [REGRESSIONS, VERIFY],
    mutants: [
      {
        what: 'a call that was not reached counts as returned',
        line: "return reached ? null : 'not-run';",
        instead: 'return null;',
      },
      {
        what: 'a timeout is told as a death',
        line: "case 'timeout':\n    case 'memory':",
        instead: "case 'timeout':\n      return 'died';\n    case 'memory':",
      },
      {
        what: 'values that are no data are told as raised',
        line: "  UnsupportedType: 'unsupported-value',\n",
        instead: '',
      },
    ],
  },
  {
    file: 'electron/evolution/code-tasks/checking/proposals.ts',
    tests: [REGRESSIONS],
    mutants: [
      {
        what: 'a program with several functions is taken',
        line: 'if (rules.rejectMultipleFunctions && facts.functions.length > 1)',
        instead: 'if (false as boolean)',
      },
      {
        what: 'a function without parameters is taken',
        line: "if (entry.args.length === 0) return { ok: false, reason: 'no-parameters' };",
        instead: '',
      },
      {
        what: 'forbidden modules are taken',
        line: 'if (bannedImport(facts.imports, rules.bannedModules) !== null)',
        instead: 'if (false as boolean)',
      },
      {
        what: 'forbidden calls are taken',
        line: "if (bannedCall(facts.callsTo, facts.functions) !== null) return { ok: false, reason: 'banned-call' };",
        instead: '',
      },
      {
        what: 'the same task is taken again',
        line: 'if (rules.rejectDuplicates && existing.has(taskKey(prepared.type.name, task)))',
        instead: 'if (false as boolean)',
      },
      {
        what: 'the gold of every input is that of the first',
        line: 'const gold = prepared.type.goldOf(check, call, rules);',
        instead: 'const gold = prepared.type.goldOf(check, 0, rules);',
      },
      {
        what: 'an empty call is taken',
        line: "if (read.values.length === 0) return { ok: false, reason: 'no-input' };",
        instead: '',
      },
      {
        what: 'azr-compat takes eval and input in a program',
        line: "if (program.includes('input(')) return { ok: false, reason: 'banned-call' };",
        instead: '',
      },
    ],
  },
  {
    file: 'electron/evolution/code-tasks/checking/gold-values.ts',
    tests: [REGRESSIONS],
    mutants: [
      {
        what: 'what differs between two runs becomes a gold',
        line: "if (!check.deterministic) return { ok: false, reason: 'non-deterministic' };",
        instead: '',
      },
      {
        what: 'None becomes a gold',
        line: "if (value[0] === 'n') return { ok: false, reason: 'empty-output' };",
        instead: '',
      },
      {
        what: 'NaN becomes a gold',
        line: "if (valueKey(value, 'strict') === null) return { ok: false, reason: 'not-comparable' };",
        instead: '',
      },
      {
        what: 'a gold may be of any length',
        line: "return text.length > rules.maxLiteralChars ? { ok: false, reason: 'too-long' } : { ok: true, text };",
        instead: 'return { ok: true, text };',
      },
      {
        what: 'what raised has an empty gold',
        line: 'if (failure !== null) return { ok: false, reason: failure };\n  if (!check.deterministic)',
        instead: "if (failure !== null) return { ok: true, text: '' };\n  if (!check.deterministic)",
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
        line: "const keepsBroken = readerOf(framework) === 'azr-compat';",
        instead: 'const keepsBroken = false;',
      },
      {
        what: 'the validator decides whether what broke the form is kept',
        line: "const keepsBroken = readerOf(framework) === 'azr-compat';",
        instead: "const keepsBroken = framework.validator === 'azr-compat';",
      },
      {
        what: 'duplicates are looked for among no tasks',
        line: 'framework.rejectDuplicates ? run.state.buffers.keys(taskType) : new Set<string>();',
        instead: 'new Set<string>();',
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
        what: 'recency weighs by step, so that seeds never come',
        line: 'return tasks.map((task) => task.step + 1);',
        instead: 'return tasks.map((task) => task.step);',
      },
      {
        what: 'half-new takes the smaller half of new tasks',
        line: "sampleWithoutReplacement(fresh, Math.ceil(count / 2), seed, ...path, 'new');",
        instead: "sampleWithoutReplacement(fresh, Math.floor(count / 2), seed, ...path, 'new');",
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
      {
        what: 'white space at the end of a line makes another task',
        line: '.map((line) => line.trimEnd())',
        instead: '',
      },
      {
        what: 'tasks of other types with the same program are duplicates',
        line: 'sha256Hex(canonicalJson([taskType, program, task.inputs]));',
        instead: 'sha256Hex(canonicalJson([program, task.inputs]));',
      },
      {
        what: 'tasks with other inputs are duplicates',
        line: 'sha256Hex(canonicalJson([taskType, program, task.inputs]));',
        instead: 'sha256Hex(canonicalJson([taskType, program]));',
      },
    ],
  },
]);
