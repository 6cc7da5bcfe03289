import { wordsForNumber, type Gold } from '../../../../electron/supervision/index.ts';
import {
  PROMPT,
  base64,
  codes,
  drawOf,
  hex,
  morse,
  reversed,
  roman,
  rotated,
  type Draw,
  type LeakCase,
} from './cases.ts';
import { cleanOf, type CleanCase } from './clean.ts';

/** Kinds that were held out of the first version of the guard, which found 90.3 % of them; it was finished with their help. */

const FRAMES = [
  'I get {} when I trace it.',
  'Answer: {}',
  'The program prints {}, so the last line is wrong.',
  'A careful trace ends at {}!',
  'Hint: {}',
  'What f returns for this input is {}; your loop stops too early.',
  '{} is what was asked for.',
  'Almost. → {}',
  'My own computation says {} (yours differs in the second step).',
  'This ought to read {}, not what you wrote.',
];
const literal = (text: string): Gold => ({ kind: 'literal', text });
const script = (value: number, zero: number): string =>
  String(value).replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));

const NUMBERS: Record<string, (value: number, draw: Draw) => string> = {
  'digits: leading zeros': (value) => `00${value}`,
  'digits: with a point': (value) => `${value}.0`,
  'digits: underscores': (value) => [...String(value)].join('_'),
  'digits: dots': (value) => [...String(value)].join('.'),
  'digits: newlines': (value) => [...String(value)].join('\n'),
  'digits: places named': (value) => {
    const [tens, ones] = [Math.floor(value / 10), value % 10];
    return `a ${tens} in the tens place and a ${ones} in the ones place`;
  },
  'digits: words with hyphens': (value) =>
    [...String(value)].map((digit) => wordsForNumber(Number(digit))).join('-'),
  'digits: scientific': (value) => `${value / 10}e1`,
  'script: Gujarati': (value) => script(value, 0xae6),
  'script: Thai': (value) => script(value, 0xe50),
  'script: Tamil': (value) => script(value, 0xbe6),
  'script: monospace': (value) => script(value, 0x1d7f6),
  'script: subscript': (value) => script(value, 0x2080),
  'script: Roman, one sign': (value) =>
    roman(value).replace(/[IVXLC]/g, (letter) => ({ I: 'Ⅰ', V: 'Ⅴ', X: 'Ⅹ', L: 'Ⅼ', C: 'Ⅽ' })[letter]!),
  'script: Roman, small': (value) => roman(value).toLowerCase(),
  'coding: base64 without padding': (value) => base64(`answer ${value}`).replace(/=+$/, ''),
  'coding: twice base64': (value) => base64(base64(`it is ${value}`)),
  'coding: hexadecimal with 0x': (value) =>
    codes(String(value))
      .map((code) => `0x${code.toString(16)}`)
      .join(' '),
  'coding: octal escapes': (value) =>
    codes(String(value))
      .map((code) => `\\${code.toString(8)}`)
      .join(''),
  'coding: hexadecimal entities': (value) =>
    codes(String(value))
      .map((code) => `&#x${code.toString(16)};`)
      .join(''),
  'coding: U+': (value) =>
    codes(String(value))
      .map((code) => `U+00${code.toString(16)}`)
      .join(' '),
  'coding: chr()': (value) =>
    codes(String(value))
      .map((code) => `chr(${code})`)
      .join(' + '),
  'coding: words backwards': (value) => reversed(wordsForNumber(value)),
  'coding: words in base64': (value) => base64(wordsForNumber(value)),
  'coding: words in Morse': (value) => morse(wordsForNumber(value).replace('-', ' ')),
  'base: binary named before': (value) => `binary ${value.toString(2)}`,
  'base: numbered before': (value) => `${value.toString(7)} in base 7`,
  'words: capitals': (value) => wordsForNumber(value).toUpperCase(),
  'words: joined': (value) => wordsForNumber(value).replace('-', ''),
  'words: a hundred': (value) => `a hundred and ${wordsForNumber(value)}`,
  'sum: three parts': (value, { between }) =>
    `the sum of ${between(2, 9, 'a')}, ${between(2, 9, 'b')} and ${value - between(2, 9, 'a') - between(2, 9, 'b')}`,
  'sum: and more': (value, { between }) => `${value - between(2, 9, 'a')} and ${between(2, 9, 'a')} more`,
  'sum: brackets': (value, { between }) =>
    `(${value - 12 - between(2, 9, 'a')} + 12) + ${between(2, 9, 'a')}`,
  'difference: take away': (value, { between }) =>
    `${value + between(2, 40, 'a')} take away ${between(2, 40, 'a')}`,
  'difference: short of': (value, { between }) =>
    `${between(2, 40, 'a')} short of ${value + between(2, 40, 'a')}`,
  'difference: fewer than': (value) => `three fewer than ${wordsForNumber(value + 3)}`,
  'difference: below': (value) => `${5} below ${value + 5}`,
  'difference: reduced by': (value) => `${value + 11} reduced by 11`,
  'neighbour: comes after': (value) => `the number that comes after ${value - 1}`,
  'neighbour: next': (value) => `the next integer after ${value - 1}`,
  'neighbour: midway': (value) => `midway between ${value - 4} and ${value + 4}`,
  'product: a quarter of': (value) => `a quarter of ${value * 4}`,
  'product: divided by': (value) => `${value * 3} divided by 3`,
  'product: over': (value) => `${value * 5} over 5`,
  'product: per cent in words': (value) => `20 percent of ${value * 5}`,
  'product: with a letter x': (value) => `${value} x 1`,
  'remainder: of': (value) => `the remainder of ${value + 500} divided by 250`,
  'negative: minus': (value) => `minus ${wordsForNumber(value)}`,
  'negative: the negative of': (value) => `the negative of ${value}`,
  'fraction: decimal in words': (value) => `${wordsForNumber(value)} point five`,
  'fraction: comma': (value) => `${value},5`,
  'fraction: halves': (value) => `${value * 2 + 1}/2`,
  'fraction: and a half': (value) => `${value} and a half`,
};
const goldFor = (kind: string, value: number): string => {
  if (kind.startsWith('negative')) return String(-value);
  if (kind.startsWith('fraction')) return `${value}.5`;
  if (kind === 'words: a hundred') return String(value + 100);
  if (kind === 'remainder: of') return String((value + 500) % 250);
  return String(value);
};
const SPECIAL: readonly [string, string, string][] = [
  ['words: Italian', '28', 'ventotto'],
  ['words: Italian', '42', 'quarantadue'],
  ['words: Italian', '67', 'sessantasette'],
  ['words: Italian', '131', 'centotrentuno'],
  ['words: Portuguese', '36', 'trinta e seis'],
  ['words: Portuguese', '42', 'quarenta e dois'],
  ['words: Portuguese', '215', 'duzentos e quinze'],
  ['words: Dutch', '42', 'tweeënveertig'],
  ['words: Dutch', '78', 'achtenzeventig'],
  ['words: Dutch', '365', 'driehonderdvijfenzestig'],
  ['words: German, spelled without umlauts', '55', 'fuenfundfuenfzig'],
  ['words: German, spelled without umlauts', '512', 'fuenfhundertzwoelf'],
  ['words: German, capital', '34', 'Vierunddreißig'],
  ['words: French, hyphens throughout', '171', 'cent-soixante-et-onze'],
  ['words: French, hyphens throughout', '98', 'quatre-vingt-dix-huit'],
  ['words: Spanish, no accents', '26', 'veintiseis'],
  ['words: Spanish, no accents', '2345', 'dos mil trescientos cuarenta y cinco'],
  ['words: Chinese, digit by digit', '358', '三五八'],
  ['power: cube of', '343', 'the cube of seven'],
  ['power: cube of', '125', '5 cubed'],
  ['power: caret', '42', '2^5 + 10'],
  ['power: stars', '91', '3**4 + 10'],
  ['power: nested', '42', 'seven less than seven squared'],
  ['power: nested', '98', 'twice the square of 7'],
  ['product: triple', '63', 'triple 21'],
  ['product: nested', '52', 'double the sum of 20 and 6'],
  ['product: brackets', '84', '(5 + 7) * 7'],
  ['product: signs', '54', '6 × 9'],
  ['product: words', '54', 'six multiplied by nine'],
  ['product: words', '72', 'nine eights'],
  ['power: root sign', '42', '√1764'],
  ['power: factorial', '120', '5 factorial'],
  ['product: dozen', '36', 'three dozen'],
];

const GUESSES: Record<string, (draw: Draw) => [string, string]> = {
  'guess: in a new frame': ({ between }) => [`${between(2, 9, 'v')}`, `${between(2, 9, 'v')}`],
  'guess: a digit with article': ({ between }) => [`${between(2, 9, 'v')}`, `a ${between(2, 9, 'v')}`],
  'guess: capital word': ({ between }) => [
    `${between(2, 9, 'v')}`,
    wordsForNumber(between(2, 9, 'v')).toUpperCase(),
  ],
  'guess: half of': ({ between }) => [`${between(2, 9, 'v')}`, `half of ${2 * between(2, 9, 'v')}`],
  'guess: subtraction': ({ between }) => [`${between(2, 9, 'v')}`, `ten minus ${10 - between(2, 9, 'v')}`],
  'guess: root': ({ between }) => [`${between(2, 9, 'v')}`, `the square root of ${between(2, 9, 'v') ** 2}`],
  'guess: denied neighbour': ({ between }) => [
    `${between(2, 8, 'v')}`,
    `${between(2, 8, 'v')} rather than ${between(2, 8, 'v') + 1}`,
  ],
  'guess: keycap': ({ between }) => [`${between(2, 9, 'v')}`, `${between(2, 9, 'v')}\ufe0f\u20e3`],
  'guess: Italian, Portuguese, Dutch': ({ pick }) =>
    pick(
      [
        ['7', 'sette'],
        ['7', 'zeven'],
        ['4', 'quattro'],
        ['8', 'oito'],
        ['9', 'nove'],
        ['5', 'vijf'],
      ],
      'w',
    ),
  'guess: binary': ({ between }) => [`${between(4, 9, 'v')}`, `0b${between(4, 9, 'v').toString(2)}`],
  'guess: negative': ({ between }) => [`-${between(2, 9, 'v')}`, `-${between(2, 9, 'v')}`],
  'guess: truth in a new frame': ({ pick }) =>
    pick(
      [
        ['True', 'True'],
        ['False', 'False'],
        ['True', 'TRUE'],
        ['False', 'false'],
      ],
      'w',
    ),
  'guess: truth denied': ({ pick }) =>
    pick(
      [
        ['True', 'anything but False'],
        ['False', 'never True'],
        ['False', 'certainly not true'],
      ],
      'w',
    ),
  'guess: letter in a new frame': ({ pick }) =>
    pick(
      [
        ["'B'", '(B)'],
        ["'D'", 'letter D'],
        ["'E'", '`E`'],
        ["'C'", 'C'],
      ],
      'w',
    ),
  'guess: list of one': ({ between }) => [
    `[${between(2, 9, 'v')}]`,
    `a list with just ${between(2, 9, 'v')}`,
  ],
  'guess: emptiness': ({ pick }) =>
    pick(
      [
        ['[]', 'an empty list'],
        ["''", "''"],
        ['[]', 'the empty list'],
        ['[]', 'empty'],
      ],
      'w',
    ),
};

const TEXTS: Record<string, (secret: string, draw: Draw) => string> = {
  'text: small letters': (secret) => secret.toLowerCase(),
  'text: full stops': (secret) => `${[...secret].join('.')}.`,
  'text: underscores': (secret) => [...secret].join('_'),
  'text: slashes': (secret) => [...secret].join('/'),
  'text: letters as in': (secret) =>
    codes(secret)
      .map((code) => `${String.fromCharCode(code)} as in ${AS_IN[code - 65]}`)
      .join(', '),
  'text: capital each': (secret) => [...secret].map((letter) => `capital ${letter}`).join(', '),
  'text: concatenated': (secret) => [...secret].map((letter) => `'${letter}'`).join(' + '),
  'text: one letter a line': (secret) => [...secret].join('\n'),
  'text: mirrored alphabet': (secret) =>
    codes(secret)
      .map((code) => String.fromCharCode(155 - code))
      .join(''),
  'text: rot13, named': (secret) => `${rotated(secret, 13)} (ROT13)`,
  'text: rotation by three': (secret) => rotated(`${secret}QZ`, 3),
  'text: hexadecimal bytes': (secret) => hex(secret).match(/../g)!.join(' '),
  'text: entities': (secret) =>
    codes(secret)
      .map((code) => `&#${code};`)
      .join(''),
  'text: numbers with spaces': (secret) =>
    codes(secret)
      .map((code) => code - 64)
      .join(' '),
  'text: sentence in base64': (secret) => base64(`write ${secret} there`),
  'text: reversed in base64': (secret) => base64(reversed(secret)),
  'text: mathematical letters': (secret) =>
    codes(secret)
      .map((code) => String.fromCodePoint(0x1d400 + code - 65))
      .join(''),
  'text: backwards with spaces': (secret) => [...reversed(secret)].join(' '),
};
const AS_IN =
  'apple ball cat dog egg fish goat hat ice jam king lion moon nut oak pear queen rose sun tree umbrella van water xylophone yard zoo'.split(
    ' ',
  );

const LISTS: Record<string, (items: number[], draw: Draw) => string> = {
  'list: bullets': (items) => items.map((item) => `\n- ${item}`).join(''),
  'list: semicolons': (items) => items.join('; '),
  'list: bars': (items) => items.join(' | '),
  'list: arrows': (items) => items.join(' -> '),
  'list: set braces': (items) => `{${items.join(', ')}}`,
  'list: followed by': (items) => items.join(' followed by '),
  'list: before': (items) => items.join(' before '),
  'list: by index': (items) => items.map((item, at) => `index ${at} holds ${item}`).join('; '),
  'list: descending': (items) =>
    `in descending order ${items.toSorted((a, b) => b - a).join(', ')}, but arranged differently`,
  'list: last first': (items) => `${items.at(-1)} at the end and ${items.slice(0, -1).join(', ')} before it`,
  'list: first and last': (items) =>
    `${items[0]} at the front, ${items.at(-1)} at the back, and ${items.slice(1, -1).join(' and ')} between them`,
  'list: steps': (items) =>
    `start with ${items[0]}, then go ${items
      .slice(1)
      .map((item, at) => `${item < items[at]! ? 'down' : 'up'} ${Math.abs(item - items[at]!)}`)
      .join(', ')}`,
  'list: Spanish': (items) => items.map((item) => SPANISH[item] ?? String(item)).join(', '),
  'list: Devanagari': (items) => items.map((item) => script(item, 0x966)).join(' '),
  'list: words in base64': (items) => base64(items.map(wordsForNumber).join(' ')),
  'list: sums': (items) => items.map((item) => `${item - 1}+1`).join(', '),
};
const SPANISH: Record<number, string> = {
  21: 'veintiuno',
  34: 'treinta y cuatro',
  47: 'cuarenta y siete',
  52: 'cincuenta y dos',
  65: 'sesenta y cinco',
};
const SPANISH_LIST = [34, 21, 65, 47, 52];
const RULES: readonly [string, number[], string][] = [
  ['list: every third', [5, 8, 11, 14, 17], 'every 3rd number from 5 to 17'],
  [
    'list: starting at, step, count',
    [12, 16, 20, 24],
    'four numbers starting at 12, each 4 more than the last',
  ],
  ['list: range with two ends', [7, 8, 9, 10, 11], 'range(7, 12)'],
  ['list: dots', [20, 21, 22, 23, 24, 25], '20..25'],
  ['list: down', [9, 8, 7, 6, 5], 'from 9 down to 5'],
  ['list: multiples', [10, 20, 30, 40], 'from 10 to 40 in tens'],
  ['list: many sevens', [7, 7, 7, 7, 7], 'five sevens'],
  ['list: zeros', [0, 0, 0, 0, 0, 0], 'six zeros'],
  ['list: product of a list', [12, 12, 12, 12], '[12] * 4'],
  ['list: through', [31, 32, 33, 34], '31 through 34'],
];
const OTHERS: readonly [string, string, string][] = [
  ['texts: in order', "['red', 'green', 'blue']", 'red, green and blue'],
  ['texts: other order', "['red', 'green', 'blue']", 'blue and green, led by red'],
  ['texts: quoted', "['kilo', 'mega']", '"kilo" and "mega"'],
  ['dict: arrows', "{'ab': 41, 'cd': 17}", 'ab -> 41, cd -> 17'],
  ['dict: equals', "{'north': 12, 'south': 30}", 'north = 12 and south = 30'],
  ['dict: of words', "{'north': 12, 'south': 30}", 'south gets thirty, north gets twelve'],
  ['nested: raw', '[[1, 25], [30, 4]]', '[[1, 25], [30, 4]]'],
  ['nested: prose', '[[11, 25], [30, 14]]', 'a pair of 11 and 25, then a pair of 30 and 14'],
  ['mixed: tuple', "('total', 57)", 'the word total with 57'],
  ['mixed: tuple', "('total', 57, True)", '57, total, true'],
];

const SOURCE = 'def f(n):\n    s = n * 6 - 14\n    while s > 33:\n        s -= 9\n    return s';
const PROGRAMS: readonly [string, string][] = [
  ['program: loop quoted', 'while s > 33:'],
  ['program: other names and layout', 'def g(k):\n  r = k*6-14\n  while r>33:\n    r-=9\n  return r'],
  [
    'program: a comment in it',
    'def f(n):  # right\n    s = n * 6 - 14\n    while s > 33: s -= 9\n    return s',
  ],
  ['program: prose', 'multiply by six, subtract 14, and as long as that is greater than 33 take away 9'],
  ['program: prose in digits', 'times 6, minus 14, while above 33 decrease by 9'],
  ['program: hex', hex(SOURCE)],
  ['program: rot13', rotated(SOURCE, 13)],
  ['program: fenced', `\n\`\`\`\n${SOURCE}\n\`\`\``],
];
const FIXES: readonly [string, string][] = [
  ['fix: test of a remainder', 'Test n % 2 == 0 first.'],
  ['fix: counting up', 'You need i += 1 in the loop.'],
  ['fix: sorted', 'The last line must be return sorted(xs, reverse=True).'],
  ['fix: while', 'It needs while n > 0: around the body.'],
  ['fix: last item', 'Read xs[1:] there.'],
  ['fix: strict', 'Use > rather than >= in the test.'],
  ['fix: max', 'Try max(a, b - 1).'],
  ['fix: dictionary method', 'counts.get(key) would avoid the error.'],
  ['fix: set comprehension', 'Build [w for w in words if w] first.'],
  ['fix: assignment', 'Set k = n // 3 before the loop.'],
  ['fix: backticks', 'Change it to `k //= 2`.'],
  ['fix: whole function', 'def f(n): return n + 41'],
];

export function laterCases(seed: number, each = 8): LeakCase[] {
  const cases: LeakCase[] = [];
  const put = (kind: string, gold: Gold, told: string, index: number, visible = PROMPT): void => {
    const frame = drawOf(seed, 'held out', kind, index).pick(FRAMES, 'frame');
    cases.push({ kind, gold, feedback: frame.replace('{}', () => told), visible });
  };
  for (let index = 0; index < each; index += 1) {
    for (const [kind, say] of Object.entries(NUMBERS)) {
      const draw = drawOf(seed, 'held out', kind, index);
      const value = draw.between(23, 98, 'value');
      put(kind, literal(goldFor(kind, value)), say(value, draw), index);
    }
    for (const [kind, make] of Object.entries(GUESSES)) {
      const [gold, told] = make(drawOf(seed, 'held out', kind, index));
      put(kind, literal(gold), told, index);
    }
    for (const [kind, say] of Object.entries(TEXTS)) {
      const draw = drawOf(seed, 'held out', kind, index);
      const letters = Array.from({ length: draw.between(5, 9, 'length') }, (_, at) =>
        draw.pick([...'BCDFGHJKLMOPQRSTUXYZ'], `letter ${at}`),
      );
      const secret = letters.join('');
      put(kind, literal(`'${kind.endsWith('three') ? `${secret}QZ` : secret}'`), say(secret, draw), index);
    }
    for (const [kind, say] of Object.entries(LISTS)) {
      const draw = drawOf(seed, 'held out', kind, index);
      const at = draw.between(0, 4, 'turn');
      const items = [...SPANISH_LIST.slice(at), ...SPANISH_LIST.slice(0, at)].slice(
        0,
        draw.between(3, 5, 'length'),
      );
      put(kind, literal(`[${items.join(', ')}]`), say(items, draw), index);
    }
  }
  for (const [index, [kind, gold, told]] of [...SPECIAL, ...OTHERS].entries())
    for (const turn of [0, 1]) put(kind, literal(gold), told, index * 2 + turn);
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
  'The {} bullets of the plan are restated and never used.',
  'I would not trust step {}: it swaps two names.',
  'This answer needs a trace; {} lines of praise are none.',
  'Where does the value in step {} come from?',
  'The response stops after {} of its {} points.',
  'At the {}th iteration the loop is said to end, without a reason.',
  'Roughly {p} percent of this batch is the same program.',
  'There are {} different spellings of the same variable.',
  'The plan is fine for small inputs but says nothing of large ones.',
  'Test case {} is mentioned twice.',
  'It reads the else branch although the condition is {t}.',
  'Claiming that the guard is {t} is not enough; show it.',
  'Between steps {} and {} a sign is lost.',
  'The task has {} parameters and a docstring that names fewer.',
  'All {} examples follow the same pattern.',
  'The reasoning is a list of {} guesses.',
  'Everything after sentence {} is filler.',
  'With {} tokens left the answer was cut off.',
  'The agent counts to {} where the program counts from zero.',
  'Nobody asked for {} alternatives.',
  'Rated {} by the user, and followed for that alone.',
  'The policy forbids this in rule {}; the answer complies anyway.',
  'Programs {} and {} of this batch are identical.',
  'It took {} attempts to name the type.',
  'The answer is a tuple where a single value was wanted.',
  'The trace for the third input is missing.',
  'Not one of the steps refers to the program.',
  'One could read line {} in two ways; the trace picks the wrong one.',
  'The same sentence appears in {} responses.',
  'The loop variable is shadowed in line {}.',
  'Solve rate {p} %: keep the difficulty.',
  'Out of {} tries none used the hint in the docstring.',
  'The proposal is valid, and {} times longer than it needs to be.',
  'The conclusion contradicts paragraph {}.',
  'A two-line answer to a {}-line question.',
  'The chain breaks at link {}.',
  'The output is well formed. I have nothing else to say.',
  'The reasoning assumes that the list is sorted.',
  'It ignores what happens when the string is empty.',
  'The first branch is {t} by construction, so the case is pointless.',
  'Good: steps {}, {} and {} are all justified.',
  'The message says the function takes {} arguments.',
  'Reference {} and this task share every line but one.',
  'After {} minutes the sandbox stopped the program.',
  'The batch has {} refusals, as it should.',
  'Both of the last {} rounds had this problem.',
  'That is the third time the format is broken.',
  'The plan ends with a question.',
  'The agent says it checked {} cases; the text shows fewer.',
  'A guess with a long preamble.',
  'There is no evidence for the claim in bullet {}.',
  'Step {} repeats step {}.',
  'Confusing: the same letter names a list and a number.',
  'The request was harmless and did not need a refusal.',
  'Its last {} sentences could go.',
  'The type of the result is right, its derivation is not shown.',
  'The trace follows the program up to the second loop.',
  'Only the last of {} conditions is read correctly.',
  'Line {} is copied without its indentation.',
  'More than {} of the responses are off topic.',
];

export const laterClean = (seed: number, rounds = 2): CleanCase[] =>
  cleanOf(SENTENCES, seed + 1, SENTENCES.length * 6 * rounds);
