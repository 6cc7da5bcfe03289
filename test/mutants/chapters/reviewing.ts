import { chapter } from '../mutant.ts';
import { SUPERVISED_STEP } from './tests.ts';

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
    ],
  },
]);
