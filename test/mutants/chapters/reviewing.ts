import { chapter } from '../mutant.ts';
import { ITERATION, SUPERVISED_STEP } from './tests.ts';

const BATCH = 'test/electron/supervision/review-batch.test.ts';

/** What supervision is given: golds for the leak guard alone, counts of a batch for its exec review. */
export const REVIEWING = chapter('reviewing', [
  {
    file: 'electron/evolution/code-tasks/scoring.ts',
    tests: SUPERVISED_STEP,
    mutants: [
      {
        what: "a solver's reviews come without golds",
        line: 'return reviewItemsOf(scored, view, null, { parsed: parsedFacts(found.facts), golds });',
        instead: 'return reviewItemsOf(scored, view, null, { parsed: parsedFacts(found.facts), golds: [] });',
      },
      {
        what: "a proposer's reviews come without golds",
        line: 'return reviewItemsOf(scored, view, validity, { parsed: parsedFacts(found.facts), golds });',
        instead:
          'return reviewItemsOf(scored, view, validity, { parsed: parsedFacts(found.facts), golds: [] });',
      },
      {
        what: 'only solved tasks have golds',
        line: 'const answered = task ?? found.newTask;',
        instead: 'const answered = task;',
      },
      {
        what: 'the reviewer of a proposal is not told whether it is valid',
        line: "const validity = { valid: verdict.outcome === 'passed', reason: verdict.reason };",
        instead: 'const validity = null;',
      },
      {
        what: 'the reviewer of a solver does not see its task',
        line: 'const view = task === null ? null : definitionOf(taskType).viewOf(task);',
        instead: 'const view = null;',
      },
      {
        what: 'the reviewer of a proposal sees no references',
        line: 'found.proposal ?? { program: given?.program ?? null, inputs: [], message: null },\n      references,',
        instead:
          'found.proposal ?? { program: given?.program ?? null, inputs: [], message: null },\n      [],',
      },
    ],
  },
  {
    file: 'electron/evolution/code-tasks/task-types/deduction/index.ts',
    tests: [...SUPERVISED_STEP, 'test/electron/evolution/code-tasks/verify.test.ts'],
    mutants: [
      {
        what: 'the gold of a deduction is its input, which was shown',
        line: "goldsOf: (task) => task.outputs.map((text) => ({ kind: 'literal', text })),",
        instead: "goldsOf: (task) => task.inputs.map((text) => ({ kind: 'literal', text })),",
      },
      {
        what: 'the reviewer of a deduction sees the output',
        line: 'viewOf: (task) => ({ ...EMPTY_VIEW, program: task.program, inputs: task.inputs.slice(0, 1) }),',
        instead:
          'viewOf: (task) => ({ ...EMPTY_VIEW, program: task.program, inputs: task.inputs.slice(0, 1), output: task.outputs[0] ?? null }),',
      },
    ],
  },
  {
    file: 'electron/evolution/code-tasks/task-types/abduction/index.ts',
    tests: [...SUPERVISED_STEP, 'test/electron/evolution/code-tasks/verify.test.ts'],
    mutants: [
      {
        what: 'the gold of an abduction is its output, which was shown',
        line: "goldsOf: (task) => task.inputs.map((text) => ({ kind: 'literal', text })),",
        instead: "goldsOf: (task) => task.outputs.map((text) => ({ kind: 'literal', text })),",
      },
      {
        what: 'the solver of an abduction is shown the input',
        line: "pack.render('solve-abduction', { program: task.program, output: task.outputs[0] ?? '' }),",
        instead: "pack.render('solve-abduction', { program: task.program, output: task.inputs[0] ?? '' }),",
      },
    ],
  },
  {
    file: 'electron/evolution/code-tasks/task-types/induction/index.ts',
    tests: [...SUPERVISED_STEP, 'test/electron/evolution/code-tasks/verify.test.ts'],
    mutants: [
      {
        what: 'the program of an induction is no gold',
        line: "{ kind: 'program', source: task.program },",
        instead: '',
      },
      {
        what: 'hidden outputs of an induction are no golds',
        line: '...splitPairs(task).hidden.map(({ output })',
        instead: '...splitPairs(task).given.map(({ output })',
      },
      {
        what: 'the pairs that verify are those that were shown',
        line: 'return { given: pairs.slice(0, shown), hidden: pairs.slice(shown) };',
        instead: 'return { given: pairs.slice(0, shown), hidden: pairs.slice(0, shown) };',
      },
      {
        what: 'of an odd number the larger half is shown',
        line: 'const shown = Math.floor(pairs.length / 2);',
        instead: 'const shown = Math.ceil(pairs.length / 2);',
        tests: ['test/electron/evolution/code-tasks/pool.test.ts'],
      },
      {
        what: 'the first inputs count where there are more than asked for',
        line: 'inputs: inputs.slice(-inductionInputs),',
        instead: 'inputs: inputs.slice(0, inductionInputs),',
        tests: [
          'test/electron/evolution/code-tasks/original-readers.test.ts',
          'test/electron/evolution/code-tasks/reading.test.ts',
        ],
      },
    ],
  },
  {
    file: 'electron/evolution/loop/supervision.ts',
    tests: SUPERVISED_STEP,
    mutants: [
      {
        what: 'what passed in a batch counts what is invalid as well',
        line: "passed: count(({ verdict }) => verdict.outcome === 'passed'),",
        instead: "passed: count(({ verdict }) => verdict.outcome !== 'failed'),",
      },
      {
        what: "solvers' broken answers count as invalid proposals",
        line: "request.purpose === 'propose' && verdict.outcome === 'invalid'),",
        instead: "verdict.outcome === 'invalid'),",
      },
      {
        what: 'what kept the form is counted as what broke it',
        line: 'formatFailures: count(({ response }) => !response.formatOk),',
        instead: 'formatFailures: count(({ response }) => response.formatOk),',
      },
      {
        what: 'timeouts are not counted',
        line: "timeouts: count(({ verdict }) => verdict.reason === 'timeout'),",
        instead: 'timeouts: 0,',
      },
      {
        what: 'a batch has one response more than it has',
        line: 'n: batch.length,',
        instead: 'n: batch.length + 1,',
      },
    ],
  },
  {
    file: 'electron/evolution/frameworks/azr/index.ts',
    tests: SUPERVISED_STEP,
    mutants: [
      {
        what: 'solve rates are counted one place too low',
        line: 'const bin = Math.round(rate * estimateSamples);',
        instead: 'const bin = Math.max(0, Math.round(rate * estimateSamples) - 1);',
      },
      {
        what: 'solve rates are rounded down',
        line: 'const bin = Math.round(rate * estimateSamples);',
        instead: 'const bin = Math.floor(rate * estimateSamples * 0.99);',
      },
      {
        what: 'the histogram of solve rates has no place for what everybody solves',
        line: 'new Array<number>(estimateSamples + 1).fill(0);',
        instead: 'new Array<number>(estimateSamples).fill(0);',
      },
    ],
  },
  {
    file: 'electron/evolution/loop/step.ts',
    tests: SUPERVISED_STEP,
    mutants: [
      {
        what: 'the statistics of every batch are those of the first',
        line: 'statistics: stage.statistics(config, batch, values) };',
        instead: 'statistics: stage.statistics(config, batchesOf(scored)[0]!, values) };',
      },
      {
        what: 'exec reviews are not asked for',
        line: '  lastReviews.offer(\n    counted.map(',
        instead: '  [].concat(\n    counted.map(',
      },
      {
        what: 'reviews count as of passed work what failed',
        line: "firstTry.filter(({ verdict }) => verdict.outcome === 'passed')",
        instead: "firstTry.filter(({ verdict }) => verdict.outcome === 'failed')",
      },
    ],
  },
  {
    file: 'electron/supervision/review-batch.ts',
    tests: [BATCH, ...SUPERVISED_STEP],
    mutants: [
      {
        what: 'reviews are not held against the golds',
        line: '...findLeaks(answer.feedback, golds, visibleTo(item)),',
        instead: '',
      },
      {
        what: 'code that nobody showed is no leak',
        line: '...unseenCode(answer.feedback, `${visibleTo(item)}\\n${writtenBy(item)}`),',
        instead: '',
      },
      {
        what: 'a leak does not quarantine',
        line: "if (answer === null) return skipped ? 'skipped-by-budget' : 'failed';\n  return leaks.length > 0 ? 'quarantined' : 'done';",
        instead: "if (answer === null) return skipped ? 'skipped-by-budget' : 'failed';\n  return 'done';",
      },
      {
        what: 'a proposer may hear the answer of the task it proposed',
        line: "if (!task || role === 'proposer') return '';",
        instead: "if (!task) return '';",
      },
      {
        what: 'reviews that were skipped and failed change places',
        line: "skipped ? 'skipped-by-budget' : 'failed';",
        instead: "skipped ? 'failed' : 'skipped-by-budget';",
      },
    ],
  },
  {
    file: 'electron/supervision/raw-item.ts',
    tests: ['test/electron/supervision/rubric.test.ts', 'test/electron/supervision/rubric.test.ts'],
    mutants: [
      {
        what: 'exec records are made without statistics, so that the embedded supervisor learns nothing of them',
        line: 'statistics: item.statistics ?? null,',
        instead: 'statistics: null,',
      },
      {
        what: 'records are made without what a proposal was found to be',
        line: 'validity: item.validity ? { valid: item.validity.valid, reason: item.validity.reason ?? null } : null,',
        instead: 'validity: null,',
      },
      {
        what: 'records are made without the task',
        line: "item.phase === 'exec'\n        ? null",
        instead: "item.phase !== 'exec'\n        ? null",
      },
    ],
  },
  {
    file: 'electron/evolution/frameworks/rzero/review.ts',
    tests: ITERATION,
    mutants: [
      {
        what: 'what a question’s author claims may be told',
        line: 'const golds = goldsAbout({ majority, claimed: found.claimed }, texts);',
        instead: 'const golds = goldsAbout({ majority }, texts);',
      },
      {
        what: 'what most answers agree on may be told',
        line: 'const golds = goldsAbout({ majority, claimed: found.claimed }, texts);',
        instead: 'const golds = goldsAbout({ claimed: found.claimed }, texts);',
      },
      {
        what: 'the label of a trained answer may be told',
        line: 'const golds = goldsAbout({ majority: labelOf(task) }, [rollout.text]);',
        instead: 'const golds = goldsAbout({}, [rollout.text]);',
      },
      {
        what: 'the reviewer sees the box of a text that is no question',
        line: "rollout.text.replace(/\\\\boxed\\s*\\{[^\\n]*/g, '\\\\boxed{…}');",
        instead: 'rollout.text;',
      },
      {
        what: 'agreement is counted one place too low',
        line: 'const bin = Math.round(vote.agreement * BINS);',
        instead: 'const bin = Math.max(0, Math.round(vote.agreement * BINS) - 1);',
      },
      {
        what: 'the reviewer is not told how much a question repeats',
        line: '...(clusterShare === null ? {} : { clusterShare }),',
        instead: '',
      },
    ],
  },
]);
