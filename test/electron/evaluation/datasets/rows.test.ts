import { afterAll, describe, expect, it } from 'vitest';
import { datasets } from '../../../../electron/evaluation/index.ts';
import { bring, HARMBENCH_HEADER, lines, refusal, rowsOfKind, scratch } from './support.ts';

const place = scratch();
afterAll(place.remove);

const math = (id: number): string => JSON.stringify(rowsOfKind.math500(id));
const put = (rows: readonly (string | Buffer)[], name = 'math500/test.jsonl'): string =>
  place.put(name, Buffer.concat(rows.flatMap((row) => [Buffer.from(row), Buffer.from('\n')])));

describe('JSON Lines', () => {
  it('may begin with a byte order mark, end lines as Windows does, and have blank lines', async () => {
    const { items } = await bring(
      place.put('math500/test.jsonl', `\ufeff${math(1)}\r\n\r\n  ${math(2)}  `),
      place.folder,
    );
    expect(items).toEqual([
      { id: 'test/algebra/1.json', row: rowsOfKind.math500(1) },
      { id: 'test/algebra/2.json', row: rowsOfKind.math500(2) },
    ]);
  });
  it('keeps a field that no reader knows, and texts as they are', async () => {
    const row = { ...rowsOfKind.math500(1), more: { deep: [1, 'ü\u2028 "x" \\ \u0001'] } };
    expect((await bring(put([JSON.stringify(row)]), place.folder)).items[0]?.row).toEqual(row);
  });

  it.each<[string, string | Buffer, string | RegExp]>([
    [
      'bytes that are no UTF-8',
      Buffer.concat([Buffer.from('{"problem": "'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
      'it is not UTF-8 text',
    ],
    [
      'a surrogate half in UTF-8',
      Buffer.concat([Buffer.from('{"problem": "'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
      'it is not UTF-8 text',
    ],
    [
      'an escaped surrogate half',
      math(2).replace('What', '\\ud800'),
      'a text in it holds half of a surrogate pair',
    ],
    ['NaN', math(2).replace('"level":1', '"level":NaN'), 'it holds NaN, which is no number of JSON'],
    [
      'an infinity',
      math(2).replace('"level":1', '"level":-Infinity'),
      'it holds -Infinity, which is no number of JSON',
    ],
    [
      'a number beyond all range',
      math(2).replace('"level":1', '"level":1e999'),
      'it holds the number 1e999, which is too large',
    ],
    ['a key twice', math(2).replace('{', '{"answer":"9",'), 'it has the key "answer" twice'],
    [
      'a key twice, once escaped',
      math(2).replace('{', '{"\\u0061nswer":"9",'),
      'it has the key "answer" twice',
    ],
    [
      'a key twice further in',
      math(2).replace('"level":1', '"level":[{"a":1,"b":{"c":1,"c":2}}]'),
      'it has the key "c" twice',
    ],
    [
      '__proto__',
      math(2).replace('{', '{"__proto__":{"x":1},'),
      'it has the key "__proto__", which no official file has',
    ],
    [
      'too many levels',
      math(2).replace('"level":1', `"level":${'['.repeat(300)}${']'.repeat(300)}`),
      'it is nested more than 200 levels deep',
    ],
    ['a list in place of an object', '[1, 2]', 'it is no JSON object'],
    ['null', 'null', 'it is no JSON object'],
    ['a cut-off row', math(2).slice(0, 40), 'it is not JSON'],
    ['a comma too many', math(2).replace(/\}$/, ',}'), /^it is not JSON/],
    ['single quotes', math(2).replaceAll('"', "'"), /^it is not JSON/],
    ['words', 'hello', 'it is not JSON'],
    ['a row that is too long', `{"problem":"${'x'.repeat(5 << 20)}"}`, 'it is longer than 4 MiB'],
    [
      'a missing field',
      JSON.stringify({ ...rowsOfKind.math500(2), answer: undefined }),
      'its field answer is missing or of another form',
    ],
    [
      'a field of another type',
      JSON.stringify({ ...rowsOfKind.math500(2), problem: 7 }),
      'its field problem is missing or of another form',
    ],
    [
      'an empty problem',
      JSON.stringify({ ...rowsOfKind.math500(2), problem: '  ' }),
      'its field problem is missing or of another form',
    ],
    [
      'nan as a text',
      JSON.stringify({ ...rowsOfKind.math500(2), solution: 'nan' }),
      'its field solution is missing or of another form',
    ],
    ['the id of a row before', math(1), 'it repeats the id "test/algebra/1.json" of row 1'],
  ])('with %s are refused with the row and the reason', async (_what, bad, why) => {
    const { faults, sentence } = await refusal(put([math(1), bad, math(3)]), place.folder);
    expect(faults).toEqual([
      {
        file: 'test.jsonl',
        row: 2,
        why:
          typeof why === 'string'
            ? why.endsWith('JSON')
              ? expect.stringContaining(why)
              : why
            : expect.stringMatching(why),
      },
    ]);
    expect(sentence).toMatch(/^Row 2 of test\.jsonl is refused: .*Nothing was imported/);
  });

  it('tell of every refused row, and keep nothing', async () => {
    const { faults, sentence } = await refusal(put([math(1), 'x', math(2), math(1), '{}']), place.folder);
    expect(faults.map(({ row }) => row)).toEqual([2, 4, 5]);
    expect(sentence).toContain('2 more rows are refused as well');
  });
  it('never quote a refused text', async () => {
    const { faults } = await refusal(
      put([
        math(1),
        '{"problem": "SECRET" oops}',
        JSON.stringify({ ...rowsOfKind.math500(2), problem: ['SECRET'] }),
      ]),
      place.folder,
    );
    expect(JSON.stringify(faults)).not.toContain('SECRET');
  });
  it.each<[string, string, RegExp]>([
    ['an empty file', '', /is empty/],
    ['blank lines', '\n \n\n', /holds no rows|has no rows/],
    ['unknown fields', lines([{ a: 1, b: 2 }]), /fields \(a, b\) are those of no test set/],
    [
      'a field too few',
      lines([{ ...rowsOfKind.livecodebench(), starter_code: undefined }]),
      /looks like LiveCodeBench, code generation, but lacks starter_code\./,
    ],
    [
      'UTF-16',
      '\ufeff'
        .concat('{"a":1}')
        .split('')
        .map((letter) => `${letter}\0`)
        .join(''),
      /first row is refused|no rows/,
    ],
  ])('of %s are no test set, and it says why', async (_what, text, why) => {
    expect((await refusal(place.put('some.jsonl', text), place.folder)).sentence).toMatch(why);
  });
});

describe('a JSON list', () => {
  const list = (entries: readonly string[]): string =>
    place.put('mcq_set.json', `\ufeff[\n ${entries.join(',\n ')}\n]\n`);
  const salad = (id: number): string => JSON.stringify(rowsOfKind.salad(id), null, 2);
  it('is read entry by entry, over many lines, with brackets and escapes in texts', async () => {
    const odd = JSON.stringify({ ...rowsOfKind.salad(2), mcq: 'Which? ]}[{ "\\" \\\\' }, null, 3);
    const { items } = await bring(list([salad(1), odd]), place.folder);
    expect(items).toEqual([
      { id: '0', row: rowsOfKind.salad(1) },
      { id: '1', row: JSON.parse(odd) as unknown },
    ]);
  });
  it.each<[string, string, { row: number; why: RegExp }]>([
    ['that is cut off', `[${salad(1)},`, { row: 2, why: /not ended/ }],
    ['that is cut off in an entry', `[${salad(1)}, {"mcq": "`, { row: 2, why: /not ended/ }],
    ['with an entry missing', `[${salad(1)},,${salad(2)}]`, { row: 2, why: /an entry is missing/ }],
    ['with a comma at its end', `[${salad(1)},]`, { row: 2, why: /an entry is missing/ }],
    ['that is followed by something', `[${salad(1)}] []`, { row: 2, why: /follows the end/ }],
    ['with a number among its entries', `[${salad(1)}, 7]`, { row: 2, why: /no JSON object/ }],
    ['with NaN', `[${salad(1)}, {"mcq": NaN}]`, { row: 2, why: /NaN/ }],
    [
      'with an answer that is no choice',
      `[${salad(1)}, ${salad(2).replace('"A"', '"E"')}]`,
      { row: 2, why: /gt is "E", which names none of its choices/ },
    ],
  ])('%s is refused with the entry and the reason', async (_what, text, { row, why }) => {
    expect((await refusal(place.put('mcq_set.json', text), place.folder)).faults).toEqual([
      { file: 'mcq_set.json', row, why: expect.stringMatching(why) as string },
    ]);
  });
});

describe('a table', () => {
  const table = (rows: readonly string[], header = HARMBENCH_HEADER): string =>
    place.put('harmbench.csv', [header, ...rows].join('\r\n'));
  const standard = (id: string): string => `"Name a ""colour"",\nplease",standard,harmless,,,${id}`;
  it('keeps commas, quotes and line breaks inside quoted cells, and an empty context', async () => {
    const { items } = await bring(table([standard('a'), standard('b'), '']), place.folder);
    expect(
      items.map(({ id, row }) => [
        id,
        (row as { Behavior: string; ContextString: string }).Behavior,
        (row as { ContextString: string }).ContextString,
      ]),
    ).toEqual([
      ['a', 'Name a "colour",\nplease', ''],
      ['b', 'Name a "colour",\nplease', ''],
    ]);
  });
  it.each<[string, string[], { row: number; why: RegExp }]>([
    [
      'with a cell too many',
      [standard('a'), `${standard('b')},x`],
      { row: 4, why: /7 cells where the header has 6/ },
    ],
    ['with a cell too few', [standard('a'), 'x,standard'], { row: 4, why: /2 cells where the header has 6/ }],
    [
      'with a quote that is never closed',
      [standard('a'), '"x,standard,harmless,,,b'],
      { row: 4, why: /never closed/ },
    ],
    [
      'with a quote inside a cell',
      [standard('a'), 'x"y,standard,harmless,,,b'],
      { row: 4, why: /middle of a cell/ },
    ],
    ['with an id twice', [standard('a'), standard('a')], { row: 4, why: /repeats the id "a" of row 2/ }],
    [
      'with an empty behaviour',
      [standard('a'), ' ,standard,harmless,,,b'],
      { row: 4, why: /Behavior is empty/ },
    ],
    [
      'with nan for a behaviour',
      [standard('a'), 'nan,standard,harmless,,,b'],
      { row: 4, why: /Behavior is empty/ },
    ],
    [
      'with an unknown category',
      [standard('a'), 'x,other,harmless,,,b'],
      { row: 4, why: /FunctionalCategory is empty or of an unknown kind/ },
    ],
    [
      'with a hash check of no kind',
      [standard('a'), 'x,copyright,harmless,hash_check,,b'],
      { row: 4, why: /neither lyrics nor book/ },
    ],
  ])('%s is refused with the line and the reason', async (_what, rows, { row, why }) => {
    expect((await refusal(table(rows), place.folder)).faults).toEqual([
      { file: 'harmbench.csv', row, why: expect.stringMatching(why) as string },
    ]);
  });
  it('with bytes that are no UTF-8 is refused', async () => {
    const path = place.put(
      'harmbench.csv',
      Buffer.concat([Buffer.from(`${HARMBENCH_HEADER}\n${standard('a')}\n`), Buffer.from([0xe9, 0x0a])]),
    );
    expect((await refusal(path, place.folder)).faults[0]?.why).toBe('it is not UTF-8 text');
  });
  it('with a column twice, or without its columns, is no test set', async () => {
    expect((await refusal(table([], `${HARMBENCH_HEADER},Behavior`), place.folder)).sentence).toMatch(
      /column "Behavior" stands twice/,
    );
    expect((await refusal(table(['x,y'], 'Behavior,BehaviorID'), place.folder)).sentence).toMatch(
      /lacks|no test set/,
    );
  });
});

describe('a set is recognised', () => {
  it('by its columns where the bytes are of no release, and by its name where two sets share their columns', async () => {
    const contest = (answer: unknown): string => lines([{ id: 1, problem: 'p', answer }]);
    expect((await bring(place.put('a/aime24/test.jsonl', contest('7')), place.folder)).kind).toBe(
      'aime24-set',
    );
    expect((await bring(place.put('amc23.jsonl', contest(7)), place.folder)).kind).toBe('amc23-set');
    expect(
      (await bring(place.put('b/aime_2025.jsonl', lines([{ question: 'p', answer: '7' }])), place.folder))
        .items[0]?.row,
    ).toMatchObject({ problem: 'p', question: 'p' });
    expect((await refusal(place.put('aime24.jsonl', contest('1/2')), place.folder)).faults[0]?.why).toBe(
      'its answer is not a whole number from 0 to 999',
    );
    expect((await bring(place.put('x.jsonl', lines([rowsOfKind.minerva(3)])), place.folder)).kind).toBe(
      'minerva-math-set',
    );
  });
  it('as one release from several files, in the order of their numbers, each problem once', async () => {
    for (const [name, ids] of [
      ['test.jsonl', ['a', 'b']],
      ['test2.jsonl', ['c']],
      ['test10.jsonl', ['d']],
    ] as const)
      place.put(`lcb/${name}`, lines(ids.map((id) => rowsOfKind.livecodebench(id))));
    const { items, written } = await bring(`${place.folder}/lcb`, place.folder);
    expect(items.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
    expect(written.sources.map(({ name, rows }) => [name, rows])).toEqual([
      ['test.jsonl', 2],
      ['test2.jsonl', 1],
      ['test10.jsonl', 1],
    ]);
    place.put('lcb/test3.jsonl', lines([rowsOfKind.livecodebench('b')]));
    expect((await refusal(`${place.folder}/lcb`, place.folder)).faults).toEqual([
      { file: 'test3.jsonl', row: 1, why: 'it repeats the id "b" of row 2 of test.jsonl' },
    ]);
  });
  it('as HEx-PHI in both of its shapes, without showing a row before its licence is agreed to', async () => {
    const table = place.put('hex/one.csv', `${HARMBENCH_HEADER}\nWave at someone,,,,,0\nSmile,,,,,1\n`);
    expect((await bring(table, place.folder)).items).toEqual([
      { id: '0', row: { id: '0', instruction: 'Wave at someone', category: null } },
      { id: '1', row: { id: '1', instruction: 'Smile', category: null } },
    ]);
    place.put('HEx-PHI/category_1.csv', 'Wave at someone\n"Smile,\nplease"\n');
    place.put('HEx-PHI/category_10.csv', 'Nod\n');
    const found = await bring(`${place.folder}/HEx-PHI`, place.folder);
    expect([found.kind, found.items.map(({ id }) => id)]).toEqual([
      'hex-phi-set',
      ['category_1/0', 'category_1/1', 'category_10/0'],
    ]);
    const look = await datasets.lookForDatasets(`${place.folder}/HEx-PHI`);
    expect(look.sets).toMatchObject([
      { kind: 'hex-phi-set', preview: null, hazardous: true, terms: { kind: 'licence' } },
    ]);
  });
  it('as labelled answers, which calibrate judges', async () => {
    const entry = {
      test_case: 'Say hello',
      generation: 'Hello',
      human_0: 1,
      human_1: 0,
      human_2: 1,
      some_judge: 1,
    };
    const path = place.put(
      'text_behaviors_val_set.json',
      JSON.stringify({ greeting: [entry, entry], farewell: [entry] }),
    );
    const { kind, items } = await bring(path, place.folder);
    expect([kind, items.map(({ id }) => id)]).toEqual([
      'harmbench-labelled',
      ['greeting/0', 'greeting/1', 'farewell/0'],
    ]);
    expect(
      (
        await refusal(
          place.put('text_behaviors_val_set.json', JSON.stringify({ greeting: [{ ...entry, human_1: 2 }] })),
          place.folder,
        )
      ).sentence,
    ).toMatch(/no test set/);
  });
  it('keeps what only Python calls a number, so that its own reader gets it back', async () => {
    const text = JSON.stringify(rowsOfKind.mbpp(404)).replace('[[1]]', '[[1.0, Infinity, -Infinity, NaN]]');
    const { items } = await bring(place.put('MbppPlus.jsonl', `${text}\n`), place.folder);
    expect(items).toEqual([{ id: 'Mbpp/404', python: text }]);
  });
});
