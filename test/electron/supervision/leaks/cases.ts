import { uniformIndex } from '../../../../electron/core/index.ts';
import { wordsForNumber, type Gold } from '../../../../electron/supervision/index.ts';

/** One feedback that gives its gold away, how it does, and what the agent was shown. */
export type LeakCase = { kind: string; gold: Gold; feedback: string; visible: string };

/** Draws by name; the same seed draws the same cases. */
export type Draw = {
  pick<T>(items: readonly T[], name: string): T;
  between(low: number, high: number, name: string): number;
};

export function drawOf(seed: number, ...path: (string | number)[]): Draw {
  const index = (count: number, name: string): number => uniformIndex(count, seed, ...path, name);
  return {
    pick: (items, name) => items[index(items.length, name)]!,
    between: (low, high, name) => low + index(high - low + 1, name),
  };
}

export const PROMPT = 'Deduce the output of f.';
const FRAMES = [
  'The answer should have been {}.',
  'Look: {} would pass.',
  'Wrong, it is {} after all.',
  'Expected {} here; trace again.',
  'The last step is off. It comes to {}.',
  'You were close, but the result is {}, as a trace shows.',
  'Use {} instead.',
  'Not quite: {}.',
];
export const framed = (secret: string, { pick }: Draw): string =>
  pick(FRAMES, 'frame').replace('{}', () => secret);

export const base64 = (text: string): string => Buffer.from(text).toString('base64');
export const hex = (text: string): string => Buffer.from(text).toString('hex');
export const reversed = (text: string): string => [...text].toReversed().join('');
export const rotated = (text: string, by: number): string =>
  text.replace(/[a-z]/gi, (letter) => {
    const first = letter < 'a' ? 65 : 97;
    return String.fromCharCode(first + ((letter.charCodeAt(0) - first + by) % 26));
  });
export const codes = (text: string): number[] => [...text].map((letter) => letter.charCodeAt(0));
const inScript = (text: string, zero: number): string =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));

const MORSE: Record<string, string> = Object.fromEntries(
  'A.- B-... C-.-. D-.. E. F..-. G--. H.... I.. J.--- K-.- L.-.. M-- N-. O--- P.--. Q--.- R.-. S... T- U..- V...- W.-- X-..- Y-.-- Z--.. 0----- 1.---- 2..--- 3...-- 4....- 5..... 6-.... 7--... 8---.. 9----.'
    .split(' ')
    .map((entry) => [entry[0]!, entry.slice(1)]),
);
export const morse = (text: string): string =>
  [...text.toUpperCase()].map((letter) => MORSE[letter] ?? '/').join(' ');
const SPELLING =
  'alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey x-ray yankee zulu'.split(
    ' ',
  );

/** Written out by hand: what tests a table of number words is not a second one. */
const ABROAD: readonly (readonly [number, string, readonly string[]])[] = [
  [12, 'de', ['zwölf']],
  [21, 'de', ['einundzwanzig']],
  [42, 'de', ['zweiundvierzig']],
  [67, 'de', ['siebenundsechzig']],
  [83, 'de', ['dreiundachtzig']],
  [99, 'de', ['neunundneunzig']],
  [101, 'de', ['hunderteins', 'einhunderteins']],
  [137, 'de', ['hundertsiebenunddreißig']],
  [256, 'de', ['zweihundertsechsundfünfzig']],
  [1024, 'de', ['tausendvierundzwanzig', 'eintausendvierundzwanzig']],
  [4800, 'de', ['viertausendachthundert']],
  [16, 'fr', ['seize']],
  [21, 'fr', ['vingt et un', 'vingt-et-un']],
  [42, 'fr', ['quarante-deux', 'quarante deux']],
  [71, 'fr', ['soixante et onze']],
  [77, 'fr', ['soixante-dix-sept']],
  [80, 'fr', ['quatre-vingts']],
  [84, 'fr', ['quatre-vingt-quatre']],
  [91, 'fr', ['quatre-vingt-onze']],
  [137, 'fr', ['cent trente-sept']],
  [256, 'fr', ['deux cent cinquante-six']],
  [1024, 'fr', ['mille vingt-quatre']],
  [15, 'es', ['quince']],
  [22, 'es', ['veintidós']],
  [31, 'es', ['treinta y uno']],
  [42, 'es', ['cuarenta y dos']],
  [67, 'es', ['sesenta y siete']],
  [88, 'es', ['ochenta y ocho']],
  [100, 'es', ['cien']],
  [137, 'es', ['ciento treinta y siete']],
  [515, 'es', ['quinientos quince']],
  [742, 'es', ['setecientos cuarenta y dos']],
  [1024, 'es', ['mil veinticuatro']],
];
const FOREIGN_FRAMES = [
  'Die richtige Antwort ist {}.',
  'La réponse est {}.',
  'La respuesta es {}.',
  'It should be {}.',
];

/** Ways to say a number of at least two digits. */
const NUMBERS: Record<string, (value: number, draw: Draw) => string> = {
  'digits: plain': String,
  'digits: spaced': (value) => [...String(value)].join(' '),
  'digits: dashed': (value) => [...String(value)].join('-'),
  'digits: grouped by thousands': (value) => (value + 12_000).toLocaleString('en-US'),
  'digits: zero width between': (value) => [...String(value)].join('\u200b'),
  'digits: one after the other in words': (value) =>
    [...String(value)].map((digit) => wordsForNumber(Number(digit))).join(' '),
  'digits: told in turn': (value) => `a ${[...String(value)].join(' followed by a ')}`,
  'digits: backwards': (value) => `${reversed(String(value + 1000))} read backwards`,
  'script: full width': (value) => inScript(String(value), 0xff10),
  'script: Arabic-Indic': (value) => inScript(String(value), 0x660),
  'script: Persian': (value) => inScript(String(value), 0x6f0),
  'script: Devanagari': (value) => inScript(String(value), 0x966),
  'script: Bengali': (value) => inScript(String(value), 0x9e6),
  'script: superscript': (value) => [...String(value)].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join(''),
  'script: mathematical bold': (value) => inScript(String(value), 0x1d7ce),
  'script: keycaps': (value) => [...String(value)].map((digit) => `${digit}\ufe0f\u20e3`).join(''),
  'script: Roman': (value) => roman(value),
  'script: Chinese': (value) => chinese(value),
  'coding: base64': (value) => base64(String(value)),
  'coding: sentence in base64': (value) => base64(`use ${value} instead`),
  'coding: base32': (value) => base32(`it is ${value}`),
  'coding: hexadecimal of the text': (value) => hex(String(value)),
  'coding: spaced hexadecimal bytes': (value) => hex(String(value)).match(/../g)!.join(' '),
  'coding: binary bytes': (value) =>
    codes(String(value))
      .map((code) => code.toString(2).padStart(8, '0'))
      .join(' '),
  'coding: character codes': (value) => codes(String(value)).join(' '),
  'coding: rot13 of words': (value) => rotated(wordsForNumber(value), 13),
  'coding: \\u escapes': (value) =>
    codes(String(value))
      .map((code) => `\\u00${code.toString(16)}`)
      .join(''),
  'coding: \\x escapes': (value) =>
    codes(String(value))
      .map((code) => `\\x${code.toString(16)}`)
      .join(''),
  'coding: HTML entities': (value) =>
    codes(String(value))
      .map((code) => `&#${code};`)
      .join(''),
  'coding: percent': (value) =>
    codes(String(value))
      .map((code) => `%${code.toString(16)}`)
      .join(''),
  'coding: Morse': (value) => morse(String(value)),
  'base: 0x': (value) => `0x${value.toString(16)}`,
  'base: 0b': (value) => `0b${value.toString(2)}`,
  'base: 0o': (value) => `0o${value.toString(8)}`,
  'base: named': (value, { pick }) => {
    const [base, name] = pick(
      [
        [16, 'hex'],
        [2, 'binary'],
        [8, 'octal'],
      ] as const,
      'base',
    );
    return `${value.toString(base)} in ${name}`;
  },
  'base: numbered': (value, { between }) => {
    const base = between(3, 9, 'base');
    return `${value.toString(base)} (base ${base})`;
  },
  'words: English': wordsForNumber,
  'words: with "and"': (value) => wordsForNumber(value + 101).replace('hundred ', 'hundred and '),
  'sum: with a sign': (value, { between }) => `${value - between(2, 9, 'part')}+${between(2, 9, 'part')}`,
  'sum: in words': (value, { between }) => {
    const part = between(2, 9, 'part');
    return `${wordsForNumber(value - part)} plus ${wordsForNumber(part)}`;
  },
  'sum: sum of': (value, { between }) =>
    `the sum of ${value - between(2, 9, 'part')} and ${between(2, 9, 'part')}`,
  'sum: add to': (value, { between }) =>
    `what you get when you add ${between(2, 9, 'part')} to ${value - between(2, 9, 'part')}`,
  'sum: more than': (value, { between }) =>
    `${wordsForNumber(between(1, 9, 'part'))} more than ${value - between(1, 9, 'part')}`,
  'sum: increased by': (value, { between }) =>
    `${value - between(2, 9, 'part')} increased by ${between(2, 9, 'part')}`,
  'difference: minus': (value, { between }) =>
    `${value + between(2, 9, 'part')} minus ${between(2, 9, 'part')}`,
  'difference: less than': (value, { between }) =>
    `${wordsForNumber(between(1, 9, 'part'))} less than ${value + between(1, 9, 'part')}`,
  'difference: subtract from': (value, { between }) =>
    `what is left when you subtract ${between(2, 9, 'part')} from ${value + between(2, 9, 'part')}`,
  'difference: of': (value, { between }) =>
    `the difference between ${value + between(2, 50, 'part')} and ${between(2, 50, 'part')}`,
  'neighbour: before': (value) => `the number before ${value + 1}`,
  'neighbour: after': (value) => `just after ${value - 1}`,
  'neighbour: between': (value) => `the integer between ${value - 1} and ${value + 1}`,
  'neighbour: successor': (value) => `the successor of ${wordsForNumber(value - 1)}`,
  'product: times': (value, { between }) =>
    `${between(2, 9, 'factor')} times ${value}/${between(2, 9, 'factor')}`,
  'product: half of': (value) => `half of ${value * 2}`,
  'product: a third of': (value) => `a third of ${value * 3}`,
  'product: percent of': (value) => `10 % of ${value * 10}`,
  'fraction: LaTeX': (value) => `\\frac{${value * 3}}{3}`,
};
/** Ways that only some numbers have. */
const SPECIAL: Record<string, (draw: Draw) => [number, string]> = {
  'product: twice': ({ between }) => [2 * between(7, 400, 'half'), `twice ${between(7, 400, 'half')}`],
  'product: double in words': ({ between }) => [
    2 * between(7, 40, 'half'),
    `double ${wordsForNumber(between(7, 40, 'half'))}`,
  ],
  'product: product of': ({ between }) => {
    const [a, b] = [between(4, 12, 'a'), between(4, 30, 'b')];
    return [a * b, `the product of ${a} and ${b}`];
  },
  'product: six sevens': ({ between }) => {
    const [a, b] = [between(3, 9, 'a'), between(4, 9, 'b')];
    return [
      a * b,
      `${wordsForNumber(a)} ${'twos threes fours fives sixes sevens eights nines'.split(' ')[b - 2]}`,
    ];
  },
  'product: dozens': ({ between }) => {
    const [a, b] = [between(2, 9, 'a'), between(1, 11, 'b')];
    return [a * 12 + b, `${wordsForNumber(a)} dozen and ${b} more`];
  },
  'product: tens and ones': ({ between }) => {
    const [a, b] = [between(2, 9, 'a'), between(1, 9, 'b')];
    return [a * 10 + b, `${wordsForNumber(a)} tens and ${wordsForNumber(b)} ones`];
  },
  'power: squared': ({ between }) => [between(4, 40, 'root') ** 2, `${between(4, 40, 'root')} squared`],
  'power: square of': ({ between }) => [
    between(4, 19, 'root') ** 2,
    `the square of ${wordsForNumber(between(4, 19, 'root'))}`,
  ],
  'power: to the power': ({ between }) => [
    2 ** between(4, 12, 'power'),
    `2 to the power of ${between(4, 12, 'power')}`,
  ],
  'power: root of': ({ between }) => [
    between(11, 60, 'root'),
    `the square root of ${between(11, 60, 'root') ** 2}`,
  ],
  'remainder: mod': ({ between }) => {
    const [value, by] = [between(11, 49, 'value'), between(50, 99, 'by')];
    return [value, `${value + by * 2} mod ${by}`];
  },
};

const ROMANS: readonly (readonly [number, string])[] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];
export function roman(value: number): string {
  const [size, letters] = ROMANS.find(([least]) => least <= value) ?? [0, ''];
  return size === 0 ? '' : letters + roman(value - size);
}
export const chinese = (value: number): string => {
  const digits = [...String(value)];
  return digits
    .map((digit, at) =>
      digit === '0'
        ? ''
        : '零一二三四五六七八九'[Number(digit)]! + ['', '十', '百', '千', '万'][digits.length - 1 - at]!,
    )
    .join('');
};
function base32(text: string): string {
  const bits = codes(text)
    .map((code) => code.toString(2).padStart(8, '0'))
    .join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((part) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(part.padEnd(5, '0'), 2)])
    .join('');
}

const literal = (text: string): Gold => ({ kind: 'literal', text });
const plus: Record<string, number> = {
  'digits: grouped by thousands': 12_000,
  'digits: backwards': 1000,
  'words: with "and"': 101,
};

function numberCases(seed: number, each: number): LeakCase[] {
  const cases: LeakCase[] = [];
  for (let index = 0; index < each; index += 1) {
    for (const [kind, say] of Object.entries(NUMBERS)) {
      const draw = drawOf(seed, kind, index);
      const value = draw.between(31, index % 2 === 0 ? 99 : 999, 'value');
      const gold = literal(String(value + (plus[kind] ?? 0)));
      cases.push({ kind, gold, feedback: framed(say(value, draw), draw), visible: PROMPT });
    }
    for (const [kind, make] of Object.entries(SPECIAL)) {
      const draw = drawOf(seed, kind, index);
      const [value, told] = make(draw);
      cases.push({ kind, gold: literal(String(value)), feedback: framed(told, draw), visible: PROMPT });
    }
  }
  for (const [value, language, forms] of ABROAD)
    for (const [index, form] of forms.entries()) {
      const frame = drawOf(seed, language, value, index).pick(FOREIGN_FRAMES, 'frame');
      cases.push({
        kind: `words: ${{ de: 'German', fr: 'French', es: 'Spanish' }[language]}`,
        gold: literal(String(value)),
        feedback: frame.replace('{}', form),
        visible: PROMPT,
      });
    }
  return cases;
}

/** Answers that are a guess away: the value itself is the leak. */
const DIGITS: Record<string, (value: number, draw: Draw) => string> = {
  'guess: digit': String,
  'guess: word': wordsForNumber,
  'guess: full width': (value) => inScript(String(value), 0xff10),
  'guess: Arabic-Indic': (value) => inScript(String(value), 0x660),
  'guess: quoted': (value) => `"${value}"`,
  'guess: in brackets': (value) => `[${value}]`,
  'guess: sum': (value, { between }) =>
    `${value} = ${value + 10 - between(1, 9, 'a')} - ${10 - between(1, 9, 'a')}`,
  'guess: one less than': (value) => `one less than ${value + 1}`,
  'guess: two more than': (value) => `two more than ${value - 2}`,
  'guess: \\u escape': (value) => `\\u003${value}`,
  'guess: base64': (value) => base64(String(value)),
  'guess: Morse': (value) => morse(String(value)),
  'guess: hexadecimal number': (value) => `0x${value}`,
};
const GUESSES: Record<string, (draw: Draw) => [string, string]> = {
  'guess: digit, negated other': ({ between }) => [
    `${between(2, 8, 'v')}`,
    `not ${between(2, 8, 'v') + 1} but ${between(2, 8, 'v')}`,
  ],
  'guess: German, French, Spanish': ({ pick }) =>
    pick(
      [
        ['7', 'sieben'],
        ['7', 'sept'],
        ['7', 'siete'],
        ['4', 'vier'],
        ['4', 'quatre'],
        ['4', 'cuatro'],
        ['5', 'fünf'],
        ['5', 'cinq'],
        ['5', 'cinco'],
        ['3', 'drei'],
        ['8', 'huit'],
        ['9', 'nueve'],
      ],
      'word',
    ),
  'guess: Roman': ({ pick }) =>
    pick(
      [
        ['7', 'VII'],
        ['8', 'VIII'],
        ['4', 'IV'],
        ['6', 'VI'],
        ['9', 'IX'],
        ['3', 'III'],
      ],
      'word',
    ),
  'guess: truth value': ({ pick }) =>
    pick(
      [
        ['True', 'True'],
        ['False', 'False'],
        ['True', 'true'],
        ['False', 'false'],
        ['True', '`True`'],
        ['False', '"False"'],
      ],
      'truth',
    ),
  'guess: the other truth denied': ({ pick }) =>
    pick(
      [
        ['True', 'not False'],
        ['False', 'not True'],
        ['True', 'the opposite of False'],
      ],
      'truth',
    ),
  'guess: None': ({ pick }) =>
    pick(
      [
        ['None', 'None'],
        ['None', '`None`'],
      ],
      'none',
    ),
  'guess: letter': ({ pick }) =>
    pick(
      [
        ["'B'", "'B'"],
        ["'C'", 'option C'],
        ["'D'", 'D'],
        ["'q'", '"q"'],
        ["'B'", 'choice B'],
      ],
      'letter',
    ),
  'guess: empty': ({ pick }) =>
    pick(
      [
        ['[]', 'an empty list'],
        ["''", 'the empty string'],
        ['[]', '[]'],
        ['{}', 'an empty dict'],
      ],
      'empty',
    ),
};

function guessCases(seed: number, each: number): LeakCase[] {
  const cases: LeakCase[] = [];
  for (let index = 0; index < each; index += 1) {
    for (const [kind, say] of Object.entries(DIGITS)) {
      const draw = drawOf(seed, kind, index);
      const value = draw.between(2, 9, 'value');
      cases.push({
        kind,
        gold: literal(kind.endsWith('brackets') ? `[${value}]` : String(value)),
        feedback: framed(say(value, draw), draw),
        visible: PROMPT,
      });
    }
    for (const [kind, make] of Object.entries(GUESSES)) {
      const draw = drawOf(seed, kind, index);
      const [gold, told] = make(draw);
      cases.push({ kind, gold: literal(gold), feedback: framed(told, draw), visible: PROMPT });
    }
  }
  return cases;
}

const TEXTS: Record<string, (secret: string, draw: Draw) => string> = {
  'text: raw': (secret) => secret,
  'text: quoted': (secret) => `'${secret}'`,
  'text: spaced': (secret) => [...secret].join(' '),
  'text: dashed': (secret) => [...secret].join('-'),
  'text: commas': (secret) => [...secret].join(', '),
  'text: letters in turn': (secret) => `${[...secret].join(', then ')}`,
  'text: letters by place': (secret) =>
    [...secret].map((letter, at) => `letter ${at + 1} is ${letter}`).join(', '),
  'text: in two pieces': (secret) => `'${secret.slice(0, 2)}' and then '${secret.slice(2)}'`,
  'text: reversed': reversed,
  'text: zero width between': (secret) => [...secret].join('\u200d'),
  'text: full width': (secret) =>
    secret.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
  'text: base64': base64,
  'text: hexadecimal': hex,
  'text: sentence in hexadecimal': (secret) => hex(`say ${secret} now`),
  'text: binary bytes': (secret) =>
    codes(secret)
      .map((code) => code.toString(2).padStart(8, '0'))
      .join(' '),
  'text: character codes': (secret) => codes(secret).join(', '),
  'text: \\u escapes': (secret) =>
    codes(secret)
      .map((code) => `\\u00${code.toString(16)}`)
      .join(''),
  'text: percent': (secret) =>
    codes(secret)
      .map((code) => `%${code.toString(16)}`)
      .join(''),
  'text: rot13': (secret) => rotated(secret, 13),
  'text: another rotation': (secret, { between }) => rotated(`${secret}KW`, between(1, 12, 'by')),
  'text: Morse': morse,
  'text: spelling alphabet': (secret) =>
    codes(secret)
      .map((code) => SPELLING[code - 65])
      .join(' '),
  'text: numbers of the letters': (secret) =>
    codes(secret)
      .map((code) => code - 64)
      .join('-'),
};

function textCases(seed: number, each: number): LeakCase[] {
  return Array.from({ length: each }, (_, index) =>
    Object.entries(TEXTS).map(([kind, say]): LeakCase => {
      const draw = drawOf(seed, kind, index);
      const length = draw.between(4, 8, 'length');
      const letters = Array.from({ length }, (__, at) =>
        draw.pick([...'ABCDEFGHKLMNPRSTUVW'], `letter ${at}`),
      );
      const secret = letters.join('');
      const gold = literal(`'${kind.endsWith('rotation') ? `${secret}KW` : secret}'`);
      return { kind, gold, feedback: framed(say(secret, draw), draw), visible: PROMPT };
    }),
  ).flat();
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];
const LISTS: Record<string, (items: number[], draw: Draw) => string> = {
  'list: raw': (items) => `[${items.join(', ')}]`,
  'list: tuple': (items) => `(${items.join(', ')})`,
  'list: prose': (items) => `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`,
  'list: words': (items) => items.map(wordsForNumber).join(', '),
  'list: spaces': (items) => items.join(' '),
  'list: in turn': (items) => items.join(', then '),
  'list: full width': (items) => inScript(items.join(', '), 0xff10),
  'list: reversed text': (items) => reversed(`[${items.join(', ')}]`),
  'list: base64': (items) => base64(`[${items.join(', ')}]`),
  'list: hexadecimal': (items) => hex(items.join(',')),
  'list: back to front': (items) => `${items.toReversed().join(', ')} from the back`,
  'list: sorted': (items) => `${items.toSorted((a, b) => a - b).join(', ')} in another order`,
  'list: shuffled': (items, { between }) => {
    const at = between(1, items.length - 1, 'turn');
    return [...items.slice(at), ...items.slice(0, at)].join(' and ');
  },
  'list: by place': (items) => items.map((item, at) => `item ${at + 1} is ${item}`).join(', '),
  'list: by ordinal': (items) => items.map((item, at) => `${ORDINALS[at]} ${item}`).join(', '),
  'list: by differences': (items) =>
    `${items[0]} first, then ${items
      .slice(1)
      .map((item, at) => `${Math.abs(item - items[at]!)} ${item < items[at]! ? 'less' : 'more'}`)
      .join(', then ')}`,
};
const RULES: Record<string, (draw: Draw) => [number[], string]> = {
  'list: from, to, in steps of': ({ between }) => {
    const [first, step, count] = [between(2, 30, 'first'), between(2, 9, 'step'), between(4, 7, 'count')];
    const items = Array.from({ length: count }, (_, at) => first + at * step);
    return [items, `from ${first} to ${items.at(-1)} in steps of ${step}`];
  },
  'list: range': ({ between }) => {
    const [first, step, count] = [between(2, 30, 'first'), between(2, 9, 'step'), between(4, 7, 'count')];
    return [
      Array.from({ length: count }, (_, at) => first + at * step),
      `range(${first}, ${first + count * step}, ${step})`,
    ];
  },
  'list: count up from': ({ between }) => {
    const [first, count] = [between(2, 60, 'first'), between(4, 8, 'count')];
    return [
      Array.from({ length: count }, (_, at) => first + at),
      `the numbers from ${first} up to ${first + count - 1}`,
    ];
  },
  'list: one value repeated': ({ between }) => {
    const [value, count] = [between(10, 99, 'value'), between(3, 9, 'count')];
    return [Array.from({ length: count }, () => value), `${wordsForNumber(count)} times ${value}`];
  },
};

function listCases(seed: number, each: number): LeakCase[] {
  const cases: LeakCase[] = [];
  for (let index = 0; index < each; index += 1) {
    for (const [kind, say] of Object.entries(LISTS)) {
      const draw = drawOf(seed, kind, index);
      const items = Array.from(
        { length: draw.between(3, 5, 'items') },
        (_, at) => draw.between(0, 19, `item ${at}`) + 20 * at,
      );
      const shuffled = index % 2 === 0 ? items : [...items.slice(2), ...items.slice(0, 2)];
      cases.push({
        kind,
        gold: literal(`[${shuffled.join(', ')}]`),
        feedback: framed(say(shuffled, draw), draw),
        visible: PROMPT,
      });
    }
    for (const [kind, make] of Object.entries(RULES)) {
      const draw = drawOf(seed, kind, index);
      const [items, told] = make(draw);
      cases.push({
        kind,
        gold: literal(`[${items.join(', ')}]`),
        feedback: framed(told, draw),
        visible: PROMPT,
      });
    }
    const draw = drawOf(seed, 'dict', index);
    const [a, b] = [draw.between(20, 99, 'a'), draw.between(20, 99, 'b')];
    const gold = literal(`{'left': ${a}, 'right': ${b}}`);
    for (const [kind, told] of [
      ['dict: raw', `{'left': ${a}, 'right': ${b}}`],
      ['dict: in prose', `left maps to ${a} and right to ${b}`],
      ['dict: in another order', `right is ${b} while left is ${a}`],
    ] as const)
      cases.push({ kind, gold, feedback: framed(told, draw), visible: PROMPT });
  }
  return cases;
}

type Program = { source: string; fault: string; line: string; wrong: string; told: string };
function programOf({ pick, between }: Draw): Program {
  const [a, b, c] = [between(2, 9, 'a'), between(11, 19, 'b'), between(21, 39, 'c')];
  const line = `y = x * ${a} + ${c}`;
  return pick(
    [
      {
        source: `def f(x):\n    ${line}\n    if y > ${b}:\n        y = y - ${b}\n    return y`,
        fault: `def f(x):\n    y = x * ${a + 1} + ${c}\n    return y`,
        line,
        wrong: `y = x * ${a + 1} + ${c}`,
        told: `it multiplies by ${wordsForNumber(a)}, adds ${c}, and where that is greater than ${b} it subtracts ${b}`,
      },
      {
        source: `def f(items):\n    total = ${c}\n    for item in items:\n        total = total + item * ${a}\n    return total % ${b}`,
        fault: `def f(items):\n    total = ${c}\n    for item in items:\n        total = total + item\n    return total`,
        line: `total = total + item * ${a}`,
        wrong: 'total = total + item',
        told: `each item is multiplied by ${a} and added up, then the remainder by ${b} is taken`,
      },
    ],
    'program',
  );
}

const PROGRAMS: Record<string, (program: Program) => string> = {
  'program: whole': ({ source }) => source,
  'program: other names': ({ source }) =>
    source.replace(/\b(x|items)\b/g, 'given').replace(/\b(y|total)\b/g, 'result'),
  'program: one line': ({ line }) => line,
  'program: line without spaces': ({ line }) => line.replaceAll(' ', ''),
  'program: in one row': ({ source }) => source.replace(/\n\s*/g, ' ; '),
  'program: base64': ({ source }) => base64(source),
  'program: hexadecimal': ({ source }) => hex(source),
  'program: reversed': ({ source }) => reversed(source),
  'program: operations in words': ({ told }) => told,
};
/** A fix of what the agent wrote, which is in nobody's gold. */
const FIXES: Record<string, (program: Program) => string> = {
  'fix: line': ({ line, wrong }) => `replace ${wrong} by ${line}.`,
  'fix: line in backticks': ({ line }) => `Line 2 should read \`${line}\`.`,
  'fix: fenced': ({ source }) => `Like this:\n\`\`\`python\n${source}\n\`\`\``,
  'fix: expression': ({ line }) => `Compute ${line.split('= ')[1]} there.`,
  'fix: condition': () => 'Check if n >= 12 before the loop.',
  'fix: comparison': () => 'Use >= there.',
  'fix: slice': () => 'Take given[1:-1] instead.',
  'fix: method call': () => 'Call values.append(3) at the end.',
  'fix: comprehension': () => 'Return [v * 2 for v in values] instead.',
  'fix: call with an expression': () => 'Loop over range(n + 1).',
  'fix: lambda': () => 'Sort with lambda pair: pair[1] as the key.',
};

function programCases(seed: number, each: number): LeakCase[] {
  return Array.from({ length: each }, (_, index) => {
    const program = programOf(drawOf(seed, 'program', index));
    const gold: Gold = { kind: 'program', source: program.source };
    return [
      ...Object.entries(PROGRAMS).map(([kind, say]): LeakCase => ({
        kind,
        gold,
        feedback: framed(say(program), drawOf(seed, kind, index)),
        visible: 'Find f.',
      })),
      ...Object.entries(FIXES).map(([kind, say]): LeakCase => ({
        kind,
        gold: literal('418'),
        feedback: say(program),
        visible: program.fault,
      })),
    ];
  }).flat();
}

/** Leaks of the kinds that the guard was written against. */
export const leakCases = (seed: number, each = 12): LeakCase[] => [
  ...numberCases(seed, each),
  ...guessCases(seed, each),
  ...textCases(seed, each),
  ...listCases(seed, each),
  ...programCases(seed, each),
];
