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
        what: 'only the first gold is looked for',
        line: 'golds.flatMap((gold) => leaksOf(gold, feedback, visible))',
        instead: 'golds.slice(0, 1).flatMap((gold) => leaksOf(gold, feedback, visible))',
      },
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
        what: 'encoded answers are not looked for',
        line: '[...told, ...encodedLeaks(visibleText(feedback), literal, gold)]',
        instead: 'told',
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
      {
        what: 'expressions are not looked for',
        line: 'return notationsOf(gold.text).flatMap((text) => literalLeaks(feedback, text, visible));',
        instead: 'return [];',
      },
      {
        what: 'copied passages are not looked for',
        line: 'return passageLeaks(feedback, gold.text, visible);',
        instead: 'return [];',
      },
      {
        what: 'a rounded fraction is not the fraction',
        line: 'return gold.d === 1n ? equal(stated, gold) : nearlyEqual(stated, gold);',
        instead: 'return equal(stated, gold);',
      },
      {
        what: 'integers are met by what is near them',
        line: 'return gold.d === 1n ? equal(stated, gold) : nearlyEqual(stated, gold);',
        instead: 'return nearlyEqual(stated, gold);',
        reason:
          'a stated number with a fraction of less than 0.00005 beside a whole one is none that anybody writes',
      },
      { what: 'hexadecimal has a case', line: "how === 'hex' ? 'i' : '').test(", instead: "'').test(" },
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
      {
        what: 'negative numbers lose their sign',
        line: "+ decimals) * (match[1] === '-' ? -1n : 1n);",
        instead: '+ decimals);',
      },
      {
        what: 'a run with a gap is a run',
        line: 'while (held > 0 && token !== wanted[held]) held = back[held - 1]!;\n    if (token === wanted[held]) held += 1;\n    if (held',
        instead: 'if (token === wanted[held]) held += 1;\n    if (held',
      },
    ],
  },
  {
    file: 'electron/supervision/leaks/views.ts',
    tests: [GUARD, KINDS],
    mutants: [
      {
        what: 'invisible characters hide an answer',
        line: ".replace(INVISIBLE, ''),\n  );",
        instead: ',\n  );',
      },
      {
        what: 'what stands backwards is not read',
        line: "{ how: 'reversed', text: [...plain].toReversed().join('') },",
        instead: '',
      },
      { what: 'rot13 is not read', line: "{ how: 'rot13', text: rot13(plain) },", instead: '' },
      { what: 'escapes are not read', line: "{ how: 'escapes', text: unescaped(plain) },", instead: '' },
      {
        what: 'codings are not read',
        line: '...DECODERS.map(([how, ...coding]) => {',
        instead: '...[].map(([how, ...coding]) => {',
      },
      {
        what: 'what is coded twice is not read',
        line: '`${text} ; ${decoded(text, coding)}`',
        instead: 'text',
      },
      {
        what: 'full-width and other forms of letters are not read',
        line: ".normalize('NFKC')\n      .replace(/[\\n\\r\\t]/g, ' ')",
        instead: ".replace(/[\\n\\r\\t]/g, ' ')",
      },
    ],
  },
  {
    file: 'electron/supervision/leaks/sequences.ts',
    tests: [GUARD, KINDS],
    mutants: [
      {
        what: 'letters one by one are not read',
        line: 'return spelledOut(text, tight) || isShifted(text, tight);',
        instead: 'return isShifted(text, tight);',
      },
      {
        what: 'another alphabet is not read',
        line: 'return spelledOut(text, tight) || isShifted(text, tight);',
        instead: 'return spelledOut(text, tight);',
      },
      {
        what: 'a rule that makes the list is not read',
        line: 'if (isNumbers && statesRule(numbers, told, arithmetic)) return true;',
        instead: '',
      },
      {
        what: 'a list in another order is not read',
        line: 'holdsAll(numbers, told) &&',
        instead: 'false &&',
      },
      { what: 'numbers of steps count as parts of a list', line: ".replace(LABELS, ' ~ ')", instead: '' },
    ],
  },
  {
    file: 'electron/supervision/leaks/programs.ts',
    tests: [GUARD, KINDS],
    mutants: [
      {
        what: 'a program is told where nearly all of it is',
        line: 'const CONTAINED = 0.3;',
        instead: 'const CONTAINED = 1.01;',
      },
      {
        what: 'quoted lines are not read',
        line: '...(quoted ? [`program line quoted (${how})`] : []),',
        instead: '',
      },
      {
        what: 'a program in words is not read',
        line: '...(operations.length >= 2 && includesInOrder(operationsTold(text), operations)',
        instead: '...(operations.length >= 1e9 && includesInOrder(operationsTold(text), operations)',
      },
      {
        what: 'renaming hides a program',
        line: "const key = NAME.test(token) && !KEYWORDS.has(token) ? 'name' : token;",
        instead: 'const key = token;',
      },
      { what: 'code between backticks is no code', line: '  /`([^`]+)`/g,\n', instead: '' },
    ],
  },
]);
