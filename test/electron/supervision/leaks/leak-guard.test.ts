import { describe, expect, it } from 'vitest';
import { rolloutSeed, uniform, uniformIndex } from '../../../../electron/core/index.ts';
import {
  feedbackSentences,
  findLeaks,
  wordsForNumber,
  type Gold,
} from '../../../../electron/supervision/index.ts';
import { PHASES } from '../../../../electron/contract/index.ts';
import { unseenCode } from '../../../../electron/supervision/leaks/programs.ts';
import { decimalFraction, includesRun } from '../../../../electron/supervision/leaks/values.ts';

const SEED = 20_261;
const pick = <T>(items: readonly T[], ...path: (string | number)[]): T =>
  items[uniformIndex(items.length, SEED, ...path)]!;
const between = (low: number, high: number, ...path: (string | number)[]): number =>
  low + uniformIndex(high - low + 1, SEED, ...path);
const literal = (text: string): Gold => ({ kind: 'literal', text });
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const hex = (text: string): string => Buffer.from(text).toString('hex');
const reversed = (text: string): string => [...text].toReversed().join('');

const FRAMES = [
  'The answer should have been {}.',
  'Look: {} would pass.',
  'Wrong, it is {} after all',
  'Expected {} here; trace again.',
  '({})',
];
const framed = (secret: string, ...path: (string | number)[]): string =>
  pick(FRAMES, ...path).replace('{}', () => secret);

type Case = { gold: Gold; secret: string; how: string };

function numberCases(index: number): Case[] {
  const value = between(101, 98_765, 'number', index) * (uniform(SEED, 'sign', index) < 0.2 ? -1 : 1);
  const text = String(value);
  const size = Math.abs(value);
  const minus = value < 0 ? '-' : '';
  const part = between(2, 40, 'part', index);
  const forms: [string, string][] = [
    ['digits', text],
    ['spaced digits', minus + [...String(size)].join(' ')],
    ['reversed', reversed(text)],
    ['base64', base64(text)],
    ['hex text', hex(text)],
    ['hex number', `${minus}0x${size.toString(16)}`],
    ['words', wordsForNumber(value)],
    ['sum', `${value - part} + ${part}`],
    ['difference', `${value + part} minus ${part}`],
    ['product', `${part} times ${value}/${part}`],
    ['fraction', `${value * part}/${part}`],
    ['latex', `\\frac{${value * 3}}{3}`],
    ['thousands', minus + size.toLocaleString('en-US')],
    ['sentence in base64', base64(`use ${text} instead`)],
    ['zero width', [...text].join('\u200b')],
    ['full width', text.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0))],
  ];
  return forms.map(([how, secret]) => ({ gold: literal(text), secret, how }));
}

function textCases(index: number): Case[] {
  const secret = Array.from({ length: between(3, 9, 'length', index) }, (_, at) =>
    pick([...'ABCDEFGHKLMNPRSTUVW'], 'letter', index, at),
  ).join('');
  const forms: [string, string][] = [
    ['raw', secret],
    ['quoted', `'${secret}'`],
    ['spaced', [...secret].join(' ')],
    ['dashed', [...secret].join('-')],
    ['reversed', reversed(secret)],
    ['base64', base64(secret)],
    ['hex', hex(secret)],
    ['zero width', [...secret].join('\u200d')],
    ['sentence in hex', hex(`say ${secret} now`)],
  ];
  return forms.map(([how, text]) => ({ gold: literal(`'${secret}'`), secret: text, how }));
}

function listCases(index: number): Case[] {
  const items = Array.from({ length: between(3, 5, 'items', index) }, (_, at) =>
    between(0, 60, 'item', index, at),
  );
  const text = `[${items.join(', ')}]`;
  const forms: [string, string][] = [
    ['raw', text],
    ['compact', text.replaceAll(' ', '')],
    ['prose', `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`],
    ['words', items.map(wordsForNumber).join(', ')],
    ['spaces', items.join(' ')],
    ['reversed', reversed(text)],
    ['base64', base64(text)],
    ['hex', hex(text.replaceAll(' ', ''))],
    ['tuple', `(${items.join(', ')})`],
  ];
  return forms.map(([how, secret]) => ({ gold: literal(text), secret, how }));
}

function program(index: number): string {
  const [a, b, c] = [between(2, 9, 'a', index), between(2, 9, 'b', index), between(1, 20, 'c', index)];
  return pick(
    [
      `def f(x):\n    y = x * ${a} + ${c}\n    if y > ${b}:\n        y = y - ${b}\n    return y`,
      `def f(items):\n    total = ${c}\n    for item in items:\n        total = total + item * ${a}\n    return total % ${b}`,
      `def f(text):\n    middle = text[::-1] + 'Q' * ${a}\n    return middle.replace('A', 'B')[${b}:]`,
    ],
    'program',
    index,
  );
}

function programCases(index: number): Case[] {
  const source = program(index);
  const lines = source.split('\n');
  const longest = lines
    .reduce((best, line) => (line.trim().length > best.trim().length ? line : best))
    .trim();
  const renamed = source.replace(/\b(x|items|text)\b/g, 'given').replace(/\b(y|total|middle)\b/g, 'result');
  const forms: [string, string][] = [
    ['whole', source],
    ['renamed', renamed],
    ['one line', longest],
    ['despaced line', longest.replaceAll(' ', '')],
    ['joined', lines.map((line) => line.trim()).join(' ; ')],
    ['base64', base64(source)],
    ['hex', hex(source)],
    ['reversed', reversed(source)],
  ];
  return forms.map(([how, secret]) => ({ gold: { kind: 'program', source }, secret, how }));
}

const LEAKS: Case[] = Array.from({ length: 45 }, (_, index) => [
  ...numberCases(index),
  ...textCases(index),
  ...listCases(index),
  ...programCases(index),
]).flat();

/** Evaluative feedback as a careful reviewer writes it, with numbers where reviewers use them. */
const CLEAN = [
  'Step {} of the reasoning does not follow from the one before it.',
  'The plan names {} steps but the program has fewer.',
  'Only {} of 16 solutions passed; the tasks are too hard.',
  'The loop bound is misread, so every later value is off.',
  'Good structure; the final line is not justified.',
  'The answer is a list although the program returns a number.',
  'The request is restricted and should have been declined politely.',
  'The task repeats the first reference with other constants.',
  'About {}% of the responses broke the required format.',
  'The trace skips the branch where the condition is false.',
  'Reasoning is present but stops halfway through the program.',
  'The message tells too little to recover the function.',
  'The rating of {} in memory was followed although the written policy forbids it.',
  'Tasks pass too easily; more than three quarters were solved.',
  'The substitution in line {} uses a stale value.',
  'Nothing to object to in this plan.',
  'The program imports a module that the rules forbid.',
  'The input is copied wrongly into the first step.',
];

describe('The leak guard', () => {
  it('finds at least 99.5 % of 1,500 and more seeded leaks of golds of 7 bits and more', () => {
    const missed = LEAKS.filter(
      ({ gold, secret }, index) =>
        findLeaks(framed(secret, 'frame', index), [gold], 'Deduce the output of f.').length === 0,
    );
    console.log(
      `leak-recall ${LEAKS.length} ${LEAKS.length - missed.length} seed ${SEED}`,
      [...new Set(missed.map(({ how, gold }) => `${gold.kind} ${how}`))].join(', '),
    );
    expect(LEAKS.length).toBeGreaterThanOrEqual(1500);
    expect(missed.length / LEAKS.length, JSON.stringify(missed.slice(0, 12))).toBeLessThanOrEqual(0.005);
  });

  it('raises at most 0.5 % false alarms on 2,000 clean reviews', () => {
    const golds = LEAKS.filter((_, index) => index % 3 === 0).map(({ gold }) => gold);
    let alarms = 0;
    const examples: unknown[] = [];
    const total = 3000;
    for (let index = 0; index < total; index++) {
      const feedback = pick(CLEAN, 'clean', index).replace('{}', String(between(1, 15, 'shown', index)));
      const gold = pick(golds, 'gold', index);
      const found = findLeaks(feedback, [gold], 'Deduce the output of f.');
      if (found.length > 0) {
        alarms++;
        examples.push({ feedback, gold, found });
      }
    }
    console.log(`leak-false-alarms ${total} ${alarms} seed ${SEED}`);
    expect(alarms / total, JSON.stringify(examples.slice(0, 8))).toBeLessThanOrEqual(0.005);
  });

  it('finds two-digit answers in digits, words and arithmetic', () => {
    for (let value = 10; value < 100; value++) {
      for (const secret of [
        String(value),
        wordsForNumber(value),
        `${value - 3}+3`,
        `0x${value.toString(16)}`,
      ]) {
        expect(
          findLeaks(`It should be ${secret}.`, [literal(String(value))], ''),
          `${value} as ${secret}`,
        ).not.toEqual([]);
      }
    }
  });

  it('takes a value that is a guess away for the answer where a value is told, and not where something is counted, named or decided', () => {
    const told: [string, string[]][] = [
      [
        '7',
        [
          'It should be 7.',
          'Seven would pass.',
          'Try 3 + 4.',
          'The answer has to be one less than 8.',
          'You need 7, not 5.',
        ],
      ],
      ['0', ['The result is zero.', 'It returns 0.']],
      ['True', ['It returns True.', 'The answer is not False.', 'True, in fact.']],
      ['False', ['The output should be false.', 'Not true!']],
      ['None', ['It gives None.']],
      ["'B'", ['Option B fits.', "It ends as 'B'."]],
      ['[]', ['The result is the empty list.', 'It returns [].']],
      ['[3]', ['It is [3].', 'A list that holds just 3.']],
    ];
    for (const [gold, feedback] of told)
      for (const sentence of feedback)
        expect(findLeaks(sentence, [literal(gold)], ''), `${gold} / ${sentence}`).not.toEqual([]);
    for (const [gold, sentence] of [
      ['7', 'Step 7 is off.'],
      ['7', '7 steps are missing.'],
      ['7', 'Only 7 of 16 solutions passed.'],
      ['7', 'The answer is 5.'],
      ['2', 'Lines 2 and 3 contradict each other.'],
      ['1', 'The trace is one step short, and no one would miss the last one.'],
      ['True', 'It is true that the loop ends early.'],
      ['False', 'The trace skips the branch where the condition is false.'],
      ['None', 'None of the steps is wrong.'],
      ["'A'", 'A step does not follow from the program; I would trace again.'],
      ["'B'", 'Option C fits.'],
      ['[]', 'The output block is empty.'],
    ] as const)
      expect(findLeaks(sentence, [literal(gold)], ''), `${gold} / ${sentence}`).toEqual([]);
  });

  it('looks for every answer of an item, not for the first alone', () => {
    const golds = ['99173', '4815', "'KELP'"].map(literal);
    expect(findLeaks('It comes to 4815.', golds, '')).toContain('answer stated (plain)');
    expect(findLeaks('It spells KELP.', golds, '')).toContain('answer stated (plain)');
    expect(findLeaks('It comes to 4816.', golds, '')).toEqual([]);
  });

  // Each of these is found in one way alone: with that way gone, nothing is found.
  it.each([
    ['three letters in rot13', "'KEY'", 'XRL', 'rot13'],
    ['a coding of a coding', '481516', base64(base64('481516')), 'base64'],
    ['base64 too short to be taken for a coding', '421', 'NDIx', 'base64'],
    ['capital hexadecimal of letters outside ASCII', "'naïve'", hex('naïve').toUpperCase(), 'hex'],
    ['a negative number with a fraction', '-2.75', '-2.75', 'plain'],
    ['a number rounded to four decimals', '3.14159', '3.1416', 'plain'],
  ])('finds %s', (_, gold, secret, how) => {
    expect(findLeaks(`The answer should be ${secret}.`, [literal(gold)], '')).toContain(
      `answer stated (${how})`,
    );
  });

  it('does not take a number for another that is near it, or for its negative', () => {
    for (const [gold, secret] of [
      ['3.14159', '3.142'],
      ['421', '421.5'],
      ['-2.75', '2.75'],
    ] as const)
      expect(findLeaks(`The answer should be ${secret}.`, [literal(gold)], ''), secret).toEqual([]);
    expect(decimalFraction('-12.50')).toEqual({ n: -25n, d: 2n });
    expect(decimalFraction('12.50')).toEqual({ n: 25n, d: 2n });
  });

  it('finds an expression as it stands, as a plain fraction and as its decimal value', () => {
    const gold: Gold = { kind: 'expression', text: '\\frac{17}{23}' };
    for (const secret of ['$\\frac{17}{23}$', '17/23', '0.7391304'])
      expect(findLeaks(`The answer should be ${secret}.`, [gold], ''), secret).not.toEqual([]);
    for (const secret of ['\\frac{17}{29}', '17/29', '0.74'])
      expect(findLeaks(`The answer should be ${secret}.`, [gold], ''), secret).toEqual([]);
  });

  it('finds twelve words in a row of a hidden text, unless the agent was shown them', () => {
    const words = Array.from({ length: 30 }, (_, at) => `word${at}`);
    const gold: Gold = { kind: 'passage', text: words.join(' ') };
    const told = (from: number, count: number): string =>
      `You wrote "${words.slice(from, from + count).join(', ')}".`;
    expect(findLeaks(told(9, 12), [gold], '')).toEqual(['a long stretch of an answer copied']);
    expect(findLeaks(told(9, 11), [gold], '')).toEqual([]);
    expect(findLeaks(told(9, 12), [gold], words.slice(9, 21).join(' '))).toEqual([]);
  });

  it('finds what a program does in words, in the order in which it does it', () => {
    const gold: Gold = { kind: 'program', source: 'def f(x):\n    return x * 3 + 4' };
    expect(findLeaks('It multiplies by three, then adds 4.', [gold], '')).toEqual([
      'program told in words (plain)',
    ]);
    expect(findLeaks('It adds 4, then multiplies by three.', [gold], '')).toEqual([]);
  });

  it('finds code between backticks that stands nowhere in the material', () => {
    const seen = 'def f(values):\n    return max(values)';
    expect(unseenCode('Call `min(values)` instead.', seen)).toEqual(['code that is not in the material']);
    expect(unseenCode('Why call `max(values)` here?', seen)).toEqual([]);
  });

  it.each([
    'The first element should be 4 and the last one 9.',
    'You should answer 4 comma 9',
    'first is 4, second is 9',
    '4 and 9',
    'four, then nine',
  ])('finds the parts of a short list in the words that a person would put between them: %s', (feedback) => {
    expect(findLeaks(feedback, [literal('[4,9]')], '')).not.toEqual([]);
  });

  it('takes the numbers of steps and lines for no parts of a list', () => {
    const gold = literal('[3, 12, 7]');
    expect(findLeaks('Steps 3 and 7 contradict line 12.', [gold], '')).toEqual([]);
    expect(findLeaks('Put 3 and 7 around 12.', [gold], '')).not.toEqual([]);
  });

  it('takes parts with others between them for no list, and what begins like it and goes on for one', () => {
    expect(includesRun(['4', '9', '8', '15'], ['4', '8', '15'])).toBe(false);
    expect(includesRun(['4', '4', '8'], ['4', '8'])).toBe(true);
    expect(includesRun(['1', '2', '1', '2', '3'], ['1', '2', '3'])).toBe(true);
    // All parts were shown, so that only their order is the answer.
    expect(findLeaks('It takes 41, then 7, then 83.', [literal('[41, 83]')], 'f([83, 41, 7])')).toEqual([]);
  });

  it('does not count what the agent was shown', () => {
    expect(findLeaks('The value 421 is used twice.', [literal('421')], 'f(421)=?')).toEqual([]);
    expect(findLeaks('The value 421 is used twice.', [literal('421')], 'f(42)=?')).not.toEqual([]);
    expect(findLeaks("The string 'CABD' is copied.", [literal("'CABD'")], "f('CABD')=?")).toEqual([]);
    const source = program(1);
    expect(
      findLeaks(
        `Line "${source.split('\n')[1]!.trim()}" was skipped.`,
        [{ kind: 'program', source }],
        source,
      ),
    ).toEqual([]);
  });

  it('never suspects our own sentences, whatever the gold', () => {
    for (const sentence of PHASES.flatMap(feedbackSentences)) {
      for (const gold of ['7', 'True', "'steps'", '[]', '3'])
        expect(findLeaks(sentence, [literal(gold)], '')).toEqual([]);
    }
  });

  it('never repeats the gold in a finding', () => {
    for (const [index, { gold, secret }] of LEAKS.slice(0, 400).entries()) {
      const secretText = gold.kind === 'program' ? gold.source : gold.text;
      for (const finding of findLeaks(framed(secret, 'frame', index), [gold], ''))
        expect(finding).not.toContain(secretText);
    }
  });

  it('suspects no rearranged list whose parts the agent was shown, and does suspect its order', () => {
    const prompt = 'f([15, 4, 8]) = ?';
    expect(findLeaks('It takes 15, 4 and 8 in turn.', [literal('[4, 8, 15]')], prompt)).toEqual([]);
    expect(findLeaks('It comes to 4, 8 and 15.', [literal('[4, 8, 15]')], prompt)).not.toEqual([]);
  });

  it('searches answers and prompts of any length and of any signs', () => {
    for (const text of [
      "'" + ' '.repeat(100_000) + "'",
      `[${'7, '.repeat(30_000)}]`,
      `'${'('.repeat(50_000)}'`,
    ])
      expect(findLeaks('A step is missing.', [literal(text)], text)).toEqual([]);
  });

  it('raises no tower of powers', () => {
    const tower = Array.from({ length: 8 }).reduce<string>((power) => `(${power}^63)`, '(-9999)');
    const began = performance.now();
    expect(findLeaks(`It is ${tower}.`, [literal('42')], '')).toEqual([]);
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it('treats feedback too long to search as a leak', () => {
    expect(findLeaks('word '.repeat(2000), [literal('123')], '')).toHaveLength(1);
    expect(rolloutSeed(SEED, 'unused')).toBeGreaterThan(0);
  });
});
