/** Texts that readers once took the square of, or fell over: `before`, `piece` as often as fits, `behind`. */
export type KnownText = { before: string; piece: string; behind: string };

const text = (before: string, piece: string, behind: string): KnownText => ({ before, piece, behind });
const ALONE = (piece: string): KnownText => text('', piece, '');
const SPACES = text('x', ' ', 'x');
const NESTED_TEXT = text('\\boxed{', '\\text{', '}');
const DOTS_IN_A_BOX = text('\\boxed{', '.', '}');
const BEHIND_SPACES = [text('the answer is 1', ' ', '1'), text('<answer>the answer is 1', ' ', '1</answer>')];

/** Readers by module and name, each with what it was slow at; for `compareOutputs` the lines are read beside others as well. */
export const KNOWN_SLOW: readonly (readonly [module: string, reader: string, texts: readonly KnownText[]])[] =
  [
    [
      'evaluation/code/livecodebench/compare-lines',
      'compareOutputs',
      [SPACES, ALONE('\n'), ALONE('1 '), ALONE('1.0\n'), text('1', '0', '1')],
    ],
    [
      'evaluation/code/livecodebench/compare-lines',
      'decimalKey',
      [text('1', '0', '1'), text('1e', '9', ''), text('1e', '0', '1'), ALONE('٠')],
    ],
    ['core/response', 'findFences', [ALONE('```\n'), ALONE('```')]],
    ['core/response', 'readAnswerLiteral', [ALONE('```\n')]],
    ['core/response', 'readAnswerProgram', [ALONE('```\n')]],
    ['core/response', 'readAnswerName', [ALONE('```\n')]],
    ['evaluation/judges/ask', 'fence', [ALONE('1 ')]],
    ['evolution/code-tasks/intrinsic', 'cognitiveComplexity', [ALONE('.')]],
    ['evolution/code-tasks/checking/program', 'renameEntryCompat', [ALONE('\n')]],
    ['evolution/code-tasks/checking/program', 'countFunctionsCompat', [ALONE('\n')]],
    ['evaluation/safety/harmbench/minhash', 'tokensOf', [ALONE('-')]],
    ['evaluation/maths/normal/repaired', 'repairedForm', [ALONE('\\text{'), SPACES, ALONE('.')]],
    ['evaluation/maths/normal/compatible', 'compatibleForm', [ALONE('.'), SPACES]],
    ['evaluation/maths/normal/compatible', 'pythonStrip', [SPACES, ...BEHIND_SPACES]],
    ['evaluation/maths/protocol', 'extractAnswer', [NESTED_TEXT, DOTS_IN_A_BOX, ...BEHIND_SPACES]],
    ['core/ngram-index', 'NgramIndex of a text that is looked up', [text('"', 'Aa.', ''), ALONE('def f(')]],
    ['core/edit-distance', 'editDistance', [ALONE('ab')]],
  ];
