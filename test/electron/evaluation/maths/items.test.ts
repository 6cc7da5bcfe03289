import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hasShared, officialItems, officialText } from './support.ts';
import { readMaths } from './official-file.ts';
import { MATHS_SUITES, type MathsSuite } from '../../../../electron/evaluation/maths/suites.ts';

const ROWS: Record<MathsSuite, Record<string, unknown>> = {
  aime24: { id: 60, problem: 'How many?', solution: 's', answer: '025', url: 'u', question: 'How many now?' },
  aime25: { id: 'I-1', problem: 'How many?', solution: '', answer: '70', url: '' },
  amc23: { id: 0, problem: 'How far?', answer: 27.0, url: 'u', question: 'How far?' },
  math500: {
    problem: 'Where?',
    solution: 'It goes to $\\boxed{\\text{east}}$.',
    answer: '\\text{east}',
    subject: 'Algebra',
    level: 2,
    unique_id: 'test/algebra/1.json',
  },
  minerva_math: { problem: 'How long?', solution: 'Then \\boxed{3 m}.', type: 'Astronomy', idx: 4 },
  olympiadbench: {
    id: 1,
    subfield: 'Algebra',
    context: null,
    question: 'Which?',
    solution: [],
    final_answer: ['$-1,5$'],
    is_multiple_answer: true,
    unit: null,
    answer_type: 'Numerical',
    error: null,
  },
};
const line = (suite: MathsSuite, change: Record<string, unknown> = {}): string =>
  JSON.stringify({ ...ROWS[suite], ...change });
const read = (
  suite: MathsSuite,
  change: Record<string, unknown> = {},
): ReturnType<typeof readMaths>[number] => readMaths(line(suite, change), suite, 'test.jsonl')[0]!;

describe('an item', () => {
  it.each<[MathsSuite, string, string, string]>([
    ['aime24', '60', '25', '25'],
    ['aime25', 'I-1', '70', '70'],
    ['amc23', '0', '27', '27'],
    ['math500', 'test/algebra/1.json', '', 'east'],
    ['minerva_math', '4', '3m', '3m'],
    ['olympiadbench', '1', '-1,5', '-1,5'],
  ])('of %s has the id %s and the golds "%s" and "%s"', (suite, id, compatible, repaired) =>
    expect(read(suite)).toMatchObject({ suite, id, gold: { compatible, repaired } }),
  );
  it('asks what its question field asks, where there is one', () =>
    expect([read('aime24').question, read('aime25').question]).toEqual(['How many now?', 'How many?']));
  it('may come from a copy that writes numbers as texts and leaves out ids and labels', () => {
    expect(read('aime24', { id: undefined, answer: 25, question: undefined })).toMatchObject({
      id: '0',
      question: 'How many?',
      gold: { compatible: '25', repaired: '25' },
    });
    expect(read('amc23', { answer: '27.0' }).gold.repaired).toBe('27');
    expect(read('minerva_math', { idx: '4' }).id).toBe('4');
    expect(read('math500', { subject: undefined, level: null }).labels).toEqual({});
    expect(
      read('olympiadbench', {
        id: undefined,
        context: undefined,
        unit: undefined,
        error: 0.1,
        subfield: null,
      }),
    ).toMatchObject({ id: '0', context: null, tolerance: [0.1], labels: { answerType: 'Numerical' } });
  });
  it('of OlympiadBench keeps context, tolerance and labels', () => {
    expect(
      read('olympiadbench', {
        context: 'Let $n$ be whole.',
        error: '1e-1',
        unit: 'km',
        final_answer: ['$69$,$84$'],
      }),
    ).toMatchObject({
      context: 'Let $n$ be whole.',
      tolerance: [0.1],
      gold: { compatible: '69,84', repaired: '69,84', whole: '69,84' },
      labels: { answerType: 'Numerical', subfield: 'Algebra', answers: 'several', unit: 'km' },
    });
    expect(read('olympiadbench', { error: 'small' }).tolerance).toBeNull();
    expect(read('olympiadbench', { error: '1e34, 0.001' }).tolerance).toEqual([1e34, 0.001]);
  });
});

describe('a file', () => {
  it.each<[string, MathsSuite, string, RegExp]>([
    ['a line that is cut off', 'amc23', line('amc23').slice(0, 20), /Line 1 of f\.jsonl is not JSON/],
    [
      'an answer that is no number',
      'amc23',
      line('amc23', { answer: true }),
      /Line 1 of f\.jsonl: answer is missing or of another form.*AMC 2023/,
    ],
    ['NaN', 'amc23', '{"id": 1, "problem": "p", "answer": NaN}', /not JSON/],
    ['an answer over 999', 'aime24', line('aime24', { answer: '1025' }), /whole number from 0 to 999/],
    ['the rows of another set', 'minerva_math', line('math500'), /idx is missing.*Minerva/],
    [
      'a repeated item',
      'math500',
      `${line('math500')}\n\n${line('math500')}\n`,
      /Line 3 of f\.jsonl repeats the item test\/algebra\/1\.json of line 1/,
    ],
    ['nothing in it', 'math500', '\n', /has no questions/],
    ['a list', 'aime25', '[]', /the line is missing or of another form/],
    ['no question', 'aime25', line('aime25', { problem: undefined }), /neither problem nor question/],
    [
      'an empty list of answers',
      'olympiadbench',
      line('olympiadbench', { final_answer: [] }),
      /final_answer/,
    ],
  ])('with %s is refused by line and field', (_, suite, content, message) =>
    expect(() => readMaths(content, suite, 'f.jsonl')).toThrow(message),
  );
  it('may begin with a byte order mark and have Windows line ends', () =>
    expect(readMaths(`\ufeff${line('aime25')}\r\n`, 'aime25', 'f')).toHaveLength(1));
});

describe.skipIf(!hasShared)('the official files (in ../shared/data)', () => {
  /** SHA-256 of the golds, a line each, as an independent run of the published rules reads them. */
  const GOLDS: Record<MathsSuite, string> = {
    aime24: '99ad231789bbece1a229c1d08842b833adca267a2ef11204c61213f8cb3ed149',
    aime25: 'bac8e325b6568e25558794cbde4544284589678bd9bb74e571c39dc0b6cb297e',
    amc23: 'b889a69787dea9a415902d340d4c033c2a6bd756f8bc3363ec911f0b2df978ec',
    math500: 'cdc359c7c840f887765997641a8211562e51888cdb7df2771ba7ec98294e2455',
    minerva_math: '848b13757aee308eb3bc2f2ecc6d3e60d87a3e077d9c9836582b6b0992e257a4',
    olympiadbench: '442f12333b6bd7ad43ff749035b9ff033fb4c54975069dd7edadebe6a6e9ad87',
  };
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

  it.each(MATHS_SUITES.map(({ name, size, sha256: hash }) => [name, size, hash] as const))(
    '%s has %d items and the golds of the published rules',
    (name, size, hash) => {
      expect(sha256(officialText(name))).toBe(hash);
      const items = officialItems(name);
      expect(items).toHaveLength(size);
      expect(sha256(items.map(({ gold }) => gold.compatible).join('\n'))).toBe(GOLDS[name]);
    },
  );
  it('hold 1,547 items, of which one has no published gold and all have a repaired one', () => {
    const items = MATHS_SUITES.flatMap(({ name }) => officialItems(name));
    expect(items).toHaveLength(1547);
    expect(
      items
        .filter(({ gold }) => gold.compatible === '')
        .map(({ suite, gold }) => [suite, gold.repaired.length > 0]),
    ).toEqual([['math500', true]]);
    expect(items.filter(({ gold }) => gold.repaired === '')).toEqual([]);
    expect(items.filter(({ tolerance }) => tolerance !== null).map(({ tolerance }) => tolerance)).toEqual([
      [0.1],
    ]);
  });
});
