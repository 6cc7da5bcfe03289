import { wordsForNumber, type Gold } from '../../../../electron/supervision/index.ts';
import {
  PROMPT,
  base64,
  codes,
  drawOf,
  hex,
  morse,
  reversed,
  rotated,
  type Draw,
  type LeakCase,
} from './cases.ts';
import { cleanOf, type CleanCase } from './clean.ts';

/** Written when the guard was finished, with kinds, frames and values of its own, and measured once: nothing of the guard was made with it. */

const FRAMES = [
  'Had you traced the loop, you would have found {}.',
  'Your total is off; mine is {}.',
  'The expected output is {}, and the answer says something else.',
  'In the end x is {}.',
  'So the function gives back {}.',
  'Right answer {}, wrong reasoning before it would have been fine too.',
  'Say {} next time.',
  'One line decides it, and with it {} comes out.',
  'The reference solution has {}.',
  'It cannot be what you wrote, since {} is the only value that fits.',
];
const literal = (text: string): Gold => ({ kind: 'literal', text });
const script = (value: number, zero: number): string =>
  String(value).replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
const inBytes = (text: string, base: number, width: number): string =>
  codes(text)
    .map((code) => code.toString(base).padStart(width, '0'))
    .join(' ');

const NUMBERS: Record<string, (value: number, draw: Draw) => string> = {
  'digits: in stars': (value) => `**${value}**`,
  'digits: bar between': (value) => [...String(value)].join('|'),
  'digits: soft hyphen between': (value) => [...String(value)].join('\u00ad'),
  'digits: comma and space': (value) => [...String(value)].join(', '),
  'digits: plus sign': (value) => `+${value}`,
  'digits: then': (value) => [...String(value)].map((digit) => wordsForNumber(Number(digit))).join(', then '),
  'script: Kannada': (value) => script(value, 0xce6),
  'script: Khmer': (value) => script(value, 0x17e0),
  'script: Lao': (value) => script(value, 0xed0),
  'script: double-struck': (value) => script(value, 0x1d7d8),
  'script: circled': (value) =>
    value <= 20
      ? String.fromCodePoint(0x245f + value)
      : value <= 35
        ? String.fromCodePoint(0x323c + value)
        : value <= 50
          ? String.fromCodePoint(0x328d + value)
          : script(value, 0x966),
  'coding: base64 of JSON': (value) => base64(JSON.stringify({ answer: value })),
  'coding: hexadecimal of a sentence': (value) => hex(`the value is ${value}`),
  'coding: hexadecimal with colons': (value) => hex(` ${value} `).match(/../g)!.join(':'),
  'coding: binary in one row': (value) => inBytes(String(value), 2, 8).replaceAll(' ', ''),
  'coding: rot13 of a sentence': (value) => rotated(`it is ${wordsForNumber(value)}`, 13),
  'coding: ES6 escapes': (value) =>
    codes(String(value))
      .map((code) => `\\u{${code.toString(16)}}`)
      .join(''),
  'coding: Morse with bars': (value) => morse(String(value)).replaceAll(' ', ' | '),
  'base: hexadecimal, named': (value) => `${(value + 100).toString(16)} (hex)`,
  'base: octal, named': (value) => `octal ${value.toString(8)}`,
  'words: with and': (value) => `two hundred and ${wordsForNumber(value)}`,
  'words: thousand': (value) => `one thousand and ${wordsForNumber(value)}`,
  'sum: together': (value) => `${value - 15} and 15 added together`,
  'sum: plus twice': (value) => `${value - 8} plus 4 plus 4`,
  'sum: adding': (value, { between }) =>
    `what adding ${between(2, 9, 'a')} to ${value - between(2, 9, 'a')} makes`,
  'sum: greater than': (value) => `six greater than ${wordsForNumber(value - 6)}`,
  'sum: past': (value) => `four past ${value - 4}`,
  'difference: lowered by': (value) => `${value + 6} lowered by six`,
  'difference: taken from': (value) => `${13} taken from ${value + 13}`,
  'difference: deduct': (value) => `what remains if you deduct 21 from ${value + 21}`,
  'difference: without': (value) => `${value + 7} without 7`,
  'neighbour: right before': (value) => `right before ${value + 1}`,
  'neighbour: predecessor': (value) => `the predecessor of ${value + 1}`,
  'product: fifth': (value) => `one fifth of ${value * 5}`,
  'product: tenth': (value) => `a tenth of ${value * 10}`,
  'product: half, no of': (value) => `half ${value * 2}`,
  'product: ratio': (value) => `the ratio of ${value * 6} to 6`,
  'product: quotient': (value) => `the quotient of ${value * 4} and 4`,
  'product: fraction in LaTeX': (value) => `$\\dfrac{${value * 7}}{7}$`,
  'product: per cent': (value) => `50% of ${value * 2}`,
  'average: of two': (value) => `the average of ${value - 3} and ${value + 3}`,
  'negative: sign': (value) => `−${value}`,
  'negative: below zero': (value) => `${value} below zero`,
  'fraction: point in words': (value) => `${wordsForNumber(value)} point two five`,
  'fraction: quarter': (value) => `${value} and a quarter`,
};
const goldFor = (kind: string, value: number): string => {
  if (kind.startsWith('negative')) return String(-value);
  if (kind.startsWith('fraction')) return `${value}.25`;
  if (kind === 'words: with and') return String(value + 200);
  if (kind === 'words: thousand') return String(value + 1000);
  if (kind === 'base: hexadecimal, named') return String(value + 100);
  return String(value);
};
const SPECIAL: readonly [string, string, string][] = [
  ['words: German', '66', 'sechsundsechzig'],
  ['words: German', '319', 'dreihundertneunzehn'],
  ['words: German', '1500', 'eintausendfünfhundert'],
  ['words: German with spaces', '58', 'acht und fünfzig'],
  ['words: French', '76', 'soixante-seize'],
  ['words: French', '93', 'quatre-vingt-treize'],
  ['words: French', '400', 'quatre cents'],
  ['words: Swiss French', '74', 'septante-quatre'],
  ['words: Spanish', '59', 'cincuenta y nueve'],
  ['words: Spanish', '911', 'novecientos once'],
  ['words: Italian', '88', 'ottantotto'],
  ['words: Portuguese', '77', 'setenta e sete'],
  ['words: Dutch', '91', 'eenennegentig'],
  ['words: Swedish', '42', 'fyrtiotvå'],
  ['words: Polish', '42', 'czterdzieści dwa'],
  ['words: Japanese', '53', '五十三'],
  ['power: square', '169', 'thirteen squared'],
  ['power: square of', '225', 'the square of 15'],
  ['power: in LaTeX', '64', '2^{6}'],
  ['power: to the fourth', '81', '3 to the 4th'],
  ['power: root in words', '18', 'the root of 324'],
  ['product: brackets', '77', '(3+4)*11'],
  ['product: dot', '56', '7 · 8'],
  ['product: elevens', '44', 'four elevens'],
  ['product: twelves', '60', 'five twelves'],
  ['product: dozen and', '27', 'two dozen and three more'],
  ['product: nested', '45', 'three times the sum of 7 and 8'],
  ['product: nested', '33', 'one less than twice 17'],
  ['product: nested', '71', 'a tenth of 700 plus 1'],
  ['remainder: modulo', '37', '137 modulo 100'],
  ['power: factorial sign', '24', '4!'],
  ['product: couple', '26', 'thirteen times two'],
];

const GUESSES: Record<string, (draw: Draw) => [string, string]> = {
  'guess: bare digit': ({ between }) => [`${between(3, 9, 'v')}`, `${between(3, 9, 'v')}`],
  'guess: bare word': ({ between }) => [`${between(3, 9, 'v')}`, wordsForNumber(between(3, 9, 'v'))],
  'guess: sum of': ({ between }) => [`${between(3, 9, 'v')}`, `the sum of 1 and ${between(3, 9, 'v') - 1}`],
  'guess: twice': ({ pick }) =>
    pick(
      [
        ['4', 'twice 2'],
        ['6', 'twice three'],
        ['8', 'double 4'],
      ],
      'w',
    ),
  'guess: one more than': ({ between }) => [
    `${between(3, 9, 'v')}`,
    `one more than ${between(3, 9, 'v') - 1}`,
  ],
  'guess: number before': ({ between }) => [
    `${between(3, 9, 'v')}`,
    `the number before ${between(3, 9, 'v') + 1}`,
  ],
  'guess: Thai digit': ({ between }) => [`${between(3, 9, 'v')}`, script(between(3, 9, 'v'), 0xe50)],
  'guess: circled': ({ between }) => [
    `${between(3, 9, 'v')}`,
    String.fromCodePoint(0x245f + between(3, 9, 'v')),
  ],
  'guess: entity': ({ between }) => [
    `${between(3, 9, 'v')}`,
    `&#5${between(3, 9, 'v') - 2 > 7 ? 7 : between(3, 9, 'v') - 2};`,
  ],
  'guess: Roman': ({ pick }) =>
    pick(
      [
        ['3', 'III'],
        ['6', 'VI'],
        ['7', 'VII'],
        ['9', 'IX'],
      ],
      'w',
    ),
  'guess: languages': ({ pick }) =>
    pick(
      [
        ['6', 'sechs'],
        ['9', 'neun'],
        ['3', 'trois'],
        ['9', 'neuf'],
        ['6', 'seis'],
        ['8', 'ocho'],
        ['8', 'acht'],
        ['3', 'tres'],
      ],
      'w',
    ),
  'guess: truth': ({ pick }) =>
    pick(
      [
        ['True', 'True'],
        ['False', 'False'],
        ['True', 'true'],
        ['False', '*False*'],
      ],
      'w',
    ),
  'guess: truth denied': ({ pick }) =>
    pick(
      [
        ['True', 'not false'],
        ['False', 'the opposite of True'],
        ['True', 'not "False"'],
      ],
      'w',
    ),
  'guess: None': ({ pick }) =>
    pick(
      [
        ['None', 'None'],
        ['None', '"None"'],
      ],
      'w',
    ),
  'guess: letter': ({ pick }) =>
    pick(
      [
        ["'B'", '"B"'],
        ["'F'", 'F'],
        ["'G'", 'the letter G'],
        ["'H'", "'H'"],
      ],
      'w',
    ),
  'guess: list of one': ({ between }) => [`[${between(3, 9, 'v')}]`, `[${between(3, 9, 'v')}]`],
  'guess: emptiness': ({ pick }) =>
    pick(
      [
        ['[]', '[]'],
        ["''", 'an empty string'],
        ['()', 'an empty tuple'],
        ['{}', 'an empty dictionary'],
      ],
      'w',
    ),
};
const ENTITY = 'guess: entity';

const TEXTS: Record<string, (secret: string, draw: Draw) => string> = {
  'text: in stars': (secret) => `*${secret}*`,
  'text: plus signs': (secret) => [...secret].join('+'),
  'text: soft hyphens': (secret) => [...secret].join('\u00ad'),
  'text: two spaces': (secret) => [...secret].join('  '),
  'text: colon': (secret) => [...secret].join(':'),
  'text: followed by': (secret) => [...secret].join(' followed by '),
  'text: position': (secret) => [...secret].map((letter, at) => `position ${at}: ${letter}`).join('; '),
  'text: first, next': (secret) => `first ${[...secret].join(', next ')}`,
  'text: three pieces': (secret) =>
    `"${secret.slice(0, 2)}" + "${secret.slice(2, 4)}" + "${secret.slice(4)}"`,
  'text: circled letters': (secret) =>
    codes(secret)
      .map((code) => String.fromCodePoint(0x24b6 + code - 65))
      .join(''),
  'text: script letters': (secret) =>
    codes(secret)
      .map((code) => String.fromCodePoint(0x1d5a0 + code - 65))
      .join(''),
  'text: base64 of JSON': (secret) => base64(JSON.stringify([secret])),
  'text: hexadecimal with 0x': (secret) => `0x${hex(secret)}`,
  'text: \\x escapes': (secret) =>
    codes(secret)
      .map((code) => `\\x${code.toString(16)}`)
      .join(''),
  'text: binary in one row': (secret) => inBytes(secret, 2, 8).replaceAll(' ', ''),
  'text: codes in brackets': (secret) => `[${codes(secret).join(', ')}]`,
  'text: chr calls': (secret) =>
    codes(secret)
      .map((code) => `chr(${code})`)
      .join('+'),
  'text: rotation by seven': (secret) => rotated(secret, 7),
  'text: rotation by twenty': (secret) => rotated(secret, 20),
  'text: Morse with slashes': (secret) => morse(secret).replaceAll(' ', ' / '),
  'text: backwards in quotes': (secret) => `"${reversed(secret)}" backwards`,
  'text: mirror in hexadecimal': (secret) => hex(reversed(secret)),
};

const LISTS: Record<string, (items: number[], draw: Draw) => string> = {
  'list: slashes': (items) => items.join(' / '),
  'list: numbered lines': (items) => items.map((item, at) => `\n${at + 1}) ${item}`).join(''),
  'list: quoted numbers': (items) => items.map((item) => `'${item}'`).join(', '),
  'list: words with and': (items) => items.map(wordsForNumber).join(' and '),
  'list: after': (items) => items.toReversed().join(' after '),
  'list: ends first': (items) =>
    `${items[0]} and ${items.at(-1)} at the ends, ${items.slice(1, -1).join(' and ')} inside`,
  'list: smallest first': (items) => `the numbers ${items.toSorted((a, b) => a - b).join(', ')}, rearranged`,
  'list: German': (items) => items.map((item) => GERMAN[item]!).join(', '),
  'list: Thai': (items) => items.map((item) => script(item, 0xe50)).join(', '),
  'list: Roman': (items) => items.map((item) => ROMAN[item]!).join(', '),
  'list: hexadecimal numbers': (items) => items.map((item) => `0x${item.toString(16)}`).join(', '),
  'list: doubled halves': (items) => items.map((item) => `twice ${item / 2}`).join(', '),
  'list: base64 of words': (items) => base64(items.join(' and ')),
  'list: escapes': (items) =>
    codes(items.join(','))
      .map((code) => `%${code.toString(16)}`)
      .join(''),
  'list: plus and minus': (items) =>
    `${items[0]}, then ${items
      .slice(1)
      .map((item, at) => `${item < items[at]! ? '-' : '+'}${Math.abs(item - items[at]!)}`)
      .join(', ')}`,
};
const ITEMS = [18, 46, 24, 62, 30];
const GERMAN: Record<number, string> = {
  18: 'achtzehn',
  46: 'sechsundvierzig',
  24: 'vierundzwanzig',
  62: 'zweiundsechzig',
  30: 'dreißig',
};
const ROMAN: Record<number, string> = { 18: 'XVIII', 46: 'XLVI', 24: 'XXIV', 62: 'LXII', 30: 'XXX' };
const RULES: readonly [string, number[], string][] = [
  ['list: every fourth', [3, 7, 11, 15], 'every fourth number from 3 to 15'],
  ['list: by fives', [15, 20, 25, 30], 'from 15 to 30 counting by 5'],
  ['list: range, three parts', [40, 36, 32, 28], 'range(40, 24, -4)'],
  ['list: consecutive', [51, 52, 53, 54, 55], 'the consecutive numbers 51 to 55'],
  ['list: grows by', [6, 13, 20, 27], 'four numbers, the first 6, growing by 7'],
  ['list: hyphen', [61, 62, 63, 64], '61-64'],
  ['list: copies', [9, 9, 9, 9], 'four copies of 9'],
  ['list: ones', [1, 1, 1, 1, 1, 1, 1], 'seven ones'],
  ['list: times sign', [33, 33, 33], '3 × 33'],
];
const OTHERS: readonly [string, string, string][] = [
  ['texts: bars', "['oak', 'elm', 'pine']", 'oak | elm | pine'],
  ['texts: back to front', "['oak', 'elm', 'pine']", 'pine, elm, oak from the right'],
  ['texts: base64', "['oak', 'elm', 'pine']", base64('oak elm pine')],
  ['dict: colons', "{'cat': 14, 'dog': 92}", 'cat: 14, dog: 92'],
  ['dict: has', "{'cat': 14, 'dog': 92}", 'dog has 92 and cat has 14'],
  ['nested: flat', '[[21, 9], [8, 75]]', '21, 9, 8 and 75 in two pairs'],
  ['mixed: words', "('size', 64)", 'size and sixty-four'],
];

const SOURCE = 'def f(a):\n    t = a + 17\n    for i in range(4):\n        t = t * 3 - 5\n    return t % 29';
const PROGRAMS: readonly [string, string][] = [
  ['program: last line', 'return t % 29'],
  ['program: body line', 't = t * 3 - 5'],
  [
    'program: tabs and names',
    'def h(z):\n\tw = z + 17\n\tfor j in range(4):\n\t\tw = w * 3 - 5\n\treturn w % 29',
  ],
  ['program: base64', base64(SOURCE)],
  [
    'program: prose',
    'add 17, then four rounds of multiplying by 3 and subtracting 5, then the remainder modulo 29',
  ],
  [
    'program: prose in words',
    'adds seventeen, multiplies by three, subtracts five and takes it modulo twenty-nine',
  ],
  ['program: reversed', reversed(SOURCE)],
];
const FIXES: readonly [string, string][] = [
  ['fix: bound', 'The loop should be for i in range(n - 1).'],
  ['fix: equality', 'Compare with x == 3 instead.'],
  ['fix: floor division', 'Halve it with n // 2 first.'],
  ['fix: power', 'It needs x ** 2 there.'],
  ['fix: append', 'out.append(item) is missing.'],
  ['fix: join', "End with ''.join(parts)."],
  ['fix: else', 'Write `else: total -= 1` under it.'],
  ['fix: return', 'return total + 1 would do.'],
  ['fix: index', 'Start from xs[0] + xs[-1].'],
  ['fix: swap', 'a, b = b, a + b is the step.'],
];

export function heldOutCases(seed: number, each = 8): LeakCase[] {
  const cases: LeakCase[] = [];
  const put = (kind: string, gold: Gold, told: string, index: number, visible = PROMPT): void => {
    const frame = drawOf(seed, 'second', kind, index).pick(FRAMES, 'frame');
    cases.push({ kind, gold, feedback: frame.replace('{}', () => told), visible });
  };
  for (let index = 0; index < each; index += 1) {
    for (const [kind, say] of Object.entries(NUMBERS)) {
      const draw = drawOf(seed, 'second', kind, index);
      const value = draw.between(24, 97, 'value');
      put(kind, literal(goldFor(kind, value)), say(value, draw), index);
    }
    for (const [kind, make] of Object.entries(GUESSES)) {
      const [gold, told] = make(drawOf(seed, 'second', kind, index));
      if (kind !== ENTITY || String(Number(told.slice(3, -1)) - 48) === gold)
        put(kind, literal(gold), told, index);
    }
    for (const [kind, say] of Object.entries(TEXTS)) {
      const draw = drawOf(seed, 'second', kind, index);
      const letters = Array.from({ length: draw.between(5, 9, 'length') }, (_, at) =>
        draw.pick([...'BCDEFGHKLMNPRSTVWXZ'], `letter ${at}`),
      );
      put(kind, literal(`'${letters.join('')}'`), say(letters.join(''), draw), index);
    }
    for (const [kind, say] of Object.entries(LISTS)) {
      const draw = drawOf(seed, 'second', kind, index);
      const at = draw.between(0, 4, 'turn');
      const items = [...ITEMS.slice(at), ...ITEMS.slice(0, at)].slice(0, draw.between(3, 5, 'length'));
      put(kind, literal(`[${items.join(', ')}]`), say(items, draw), index);
    }
  }
  for (const [index, [kind, gold, told]] of [...SPECIAL, ...OTHERS].entries())
    for (const turn of [0, 1, 2]) put(kind, literal(gold), told, index * 3 + turn);
  for (const [index, [kind, items, told]] of RULES.entries())
    for (const turn of [0, 1, 2]) put(kind, literal(`[${items.join(', ')}]`), told, index * 3 + turn);
  for (const [index, [kind, told]] of PROGRAMS.entries())
    for (const turn of [0, 1, 2])
      put(kind, { kind: 'program', source: SOURCE }, told, index * 3 + turn, 'Find f from its examples.');
  for (const [kind, feedback] of FIXES)
    cases.push({
      kind,
      gold: literal('917'),
      feedback,
      visible: 'def f(n):\n    k = n\n    while k >= 3:\n        k = k - 3\n    return k',
    });
  return cases;
}

const SENTENCES = [
  'The reviewer would like to see step {} spelled out.',
  'Most of the {} lines of reasoning are about style.',
  'Check the order of steps {} and {}.',
  'Your trace has {} rows; the loop has another number of passes.',
  'It is {t} that the input is sorted, but nobody uses that.',
  'The argument is dropped after line {}.',
  'You say the test is {t}; the program says otherwise.',
  'Too many words ({}0 or so) for so little.',
  'The {} references are all of one kind.',
  'Half the batch, {p} %, gave the same wrong answer.',
  'The program has {} branches, of which one is traced.',
  'Answer and trace differ in the last two places.',
  'A program of {} lines needs no plan of {} steps.',
  'The refusal cites rule {} correctly.',
  'Nothing here explains the constant {}.',
  'The variable of step {} appears from nowhere.',
  'After {} correct steps the trace jumps to the end.',
  'The tags are closed twice.',
  'Its difficulty fell by {p} percent against the last batch.',
  'The answer was given {} times in a row.',
  'The claim about negative numbers is not shown.',
  'The proposer wrote {} functions; one was asked for.',
  'The plan misses the loop and the trace misses the plan.',
  'Sentences {} to {} say the same.',
  'The batch took {} seconds and {} retries.',
  'Reading the docstring would have saved {} steps.',
  'Question {} of the request is answered, the rest is ignored.',
  'The code of attempt {} was better.',
  'It never leaves the first branch.',
  'At level {} this task is too simple.',
  'Three of {} criteria are met.',
  'The reasoning is fine, the format is not: an answer tag is open.',
  'Not a single step is wrong, yet the last one does not follow.',
  'The hint in round {} was overlooked.',
  'Rollout {} copies rollout {}.',
  'The examples are {} variations of one input.',
  'The agent asks {} questions back.',
  'The policy wins over a rating of {}.',
  'A list is printed, a set was returned.',
  'Everything is in place. Keep the level.',
  'It stops one iteration too early.',
  'The step from {} to {} lines of output is not explained.',
  'The program is accepted after {} warnings.',
  'Both inputs lead into the same branch, so the task tells little.',
  'The else branch is dead: its condition is never {t}.',
  'The reviewer of phase {} has noted this too.',
  'Spelling, {} commas and a missing bracket aside, it is good.',
  'In iteration {} two names are exchanged.',
  'Only the sign is wrong.',
  'The result has the right type and the wrong length.',
];
/** Values of the trace that are not the answer; a value that is would give it away. */
const VALUES = [
  'You wrote {v} after the first pass, but the program adds the constant only later.',
  'The trace has x = {v} where the branch was not taken at all.',
  'Your answer {v} repeats an intermediate value.',
  'The value {v} is computed and never used.',
  'From {v} the reasoning jumps to the end.',
  'You take {v} for the length of the list.',
  'The answer {v} is not what a trace gives.',
  'It claims that {v} is even and goes on from there.',
  'The final line says {v} without any reason.',
  'An answer of {v} would need one more pass of the loop.',
];

export const heldOutClean = (seed: number, rounds = 2): CleanCase[] => [
  ...cleanOf(SENTENCES, seed + 2, SENTENCES.length * 6 * rounds),
  ...cleanOf(VALUES, seed + 3, VALUES.length * 6 * rounds),
];
