import { chapter } from '../mutant.ts';
import { ITERATION } from './tests.ts';

const VOTES = 'test/electron/core/votes.test.ts';
const CLUSTERS = 'test/electron/core/text-clusters.test.ts';

/** R-Zero: rewards, votes, groups of repeated texts, windows, places. */
export const RZERO_MUTANTS = chapter('r-zero', [
  {
    file: 'electron/core/votes.ts',
    tests: [VOTES, ...ITERATION],
    mutants: [
      {
        what: 'of equally large classes the last wins',
        line: 'one.places.length > best.places.length ? one : best',
        instead: 'one.places.length >= best.places.length ? one : best',
      },
      {
        what: 'agreement is a share of all samples',
        line: 'biggest.places.length / (answers.length - abstained.length),',
        instead: 'biggest.places.length / answers.length,',
      },
      {
        what: 'an empty answer votes',
        line: "if (answer === null || answer.trim() === '') {",
        instead: 'if (answer === null) {',
      },
      {
        what: 'answers are the same in one direction alone',
        line: ' || (await same(one.first, answer)))',
        instead: ')',
      },
      {
        what: 'answers are compared as texts alone',
        line: 'if (one.first === answer || (await same(answer, one.first)) || (await same(one.first, answer)))',
        instead: 'if (one.first === answer)',
      },
      {
        what: 'the majority is the first answer of all',
        line: 'majority: biggest?.first ?? null,',
        instead: 'majority: found[0]?.first ?? null,',
      },
    ],
  },
  {
    file: 'electron/core/text-clusters.ts',
    tests: [CLUSTERS],
    mutants: [
      {
        what: 'groups are joined by their farthest members',
        line: '(ofGone * (distances[far] as number) + ofKept * (distances[near] as number)) / (ofGone + ofKept);',
        instead: 'Math.max(distances[far] as number, distances[near] as number);',
      },

      {
        what: 'what lies at the cut is joined',
        line: 'if (least < cut) parent[gone] = kept;',
        instead: 'if (least <= cut) parent[gone] = kept;',
      },
    ],
  },
  {
    file: 'electron/core/bleu.ts',
    tests: [CLUSTERS],
    mutants: [
      {
        what: 'a short text is not held to be short',
        line: 'hypothesis > reference ? 1 : Math.exp(1 - reference / hypothesis);',
        instead: '1;',
      },
      { what: 'n-grams up to three words count', line: 'const LONGEST = 4;', instead: 'const LONGEST = 3;' },
      {
        what: 'what does not match counts as 1',
        line: 'const UNMATCHED = 0.1;',
        instead: 'const UNMATCHED = 1;',
      },
      {
        what: 'an n-gram counts as often as the other text has it',
        line: 'sum += own < other ? own : other;',
        instead: 'sum += other;',
      },
      {
        what: 'precision is divided by the words of the reference',
        line: 'Math.max(1, hypothesis - n + 1)',
        instead: 'Math.max(1, reference - n + 1)',
      },
    ],
  },
]);
