import { chapter } from '../mutant.ts';

const GUARD = 'test/electron/supervision/leaks/leak-guard.test.ts';
const KINDS = 'test/electron/supervision/leaks/kinds.test.ts';

/** The leak guard: each of its ways of finding an answer, gone or blunted. */
export const LEAKS = chapter('leak guard', [
  {
    file: 'electron/supervision/leaks/leak-guard.ts',
    tests: [GUARD, KINDS],
    mutants: [
      {
        what: 'feedback that is too long to be searched is let through',
        line: "return ['feedback too long to be searched'];",
        instead: 'return [];',
      },
      {
        what: 'answers that could be guessed are not guarded',
        line: 'return [...new Set(found((view) => statesGuess(gold, literal.trim(), view, areShown)))];',
        instead: 'return [];',
      },
      {
        what: 'all answers count as easily guessed',
        line: 'if (gold.bits < ENOUGH_BITS) {',
        instead: 'if (gold.bits < 1e9) {',
      },
      {
        what: 'an answer is told though it was shown',
        line: 'if (gold.single ? isShown(atom!) : includesRun(tokensOf(shown), sequenceTokens(gold))) return [];',
        instead: '',
      },
      {
        what: 'a list counts as shown where its parts are',
        line: 'includesRun(tokensOf(shown), sequenceTokens(gold))) return [];',
        instead: 'gold.atoms.every(isShown)) return [];',
      },
      {
        what: 'only lists are looked for',
        line: '? found((view) => statesAtom(atom!, view))',
        instead: '? []',
      },
      {
        what: 'lists are not looked for',
        line: ': found((view) => statesSequence(gold, view, areShown));',
        instead: ': [];',
      },

      {
        what: 'numbers in other languages are not looked for',
        line: '[...viewsOf(feedback), ...otherLanguages(feedback, gold)]',
        instead: 'viewsOf(feedback)',
      },
      {
        what: 'programs are not looked for',
        line: 'return programLeaks(feedback, gold.source, visible);',
        instead: 'return [];',
      },
    ],
  },
  {
    file: 'electron/supervision/leaks/values.ts',
    tests: [KINDS, GUARD],
    mutants: [
      {
        what: 'answers of twice as many bits count as guessed',
        line: 'export const ENOUGH_BITS = 5;',
        instead: 'export const ENOUGH_BITS = 40;',
      },
      {
        what: 'single digits count as secrets',
        line: 'export const ENOUGH_BITS = 5;',
        instead: 'export const ENOUGH_BITS = 1;',
      },
    ],
  },
]);
