import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { csvLine } from '../../../../electron/contract/index.ts';
import { itemsCsv, matrixCsv } from '../../../../electron/evaluation/export/export.ts';
import { aCell, aMatrix, anEvaluation, anItem, aRow, HOSTILE, JUDGE } from './fixture.ts';

const read = (text: string): string[][] => parse(text, { relaxColumnCount: false }) as string[][];
const readObjects = (text: string): Record<string, string>[] =>
  parse(text, { columns: true }) as Record<string, string>[];

describe('A line of CSV', () => {
  it.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    ' =1',
    '\n=1',
    '＝1+1',
    '＋1',
    '－1',
    '＠x',
    '|calc',
    '\u200b=1',
    '\ufeff@x',
    '\u00a0=1',
  ])('puts a quote before %j, which a spreadsheet would work out', (text) => {
    expect(read(csvLine(['first', text]))[0]![1]).toBe(`'${text}`);
  });

  it.each([-1.5, 0, 1e-9, 0.1 + 0.2, true])('leaves the number %s what it is', (value) => {
    expect(csvLine([value])).toBe(`${value}\r\n`);
  });

  it.each(['plain', 'a,b', 'say "no"', 'two\nlines', 'two\r\nlines', 'a\rb', '', 'a=b', '😀'])(
    'is read back as written: %j',
    (text) => {
      expect(read(csvLine(['x', text, 'y']))).toEqual([['x', text, 'y']]);
    },
  );

  it('shows control characters as pictures and half characters as replaced', () => {
    expect(read(csvLine(['x', 'a\u0000b\u001b\u007f\ud800z']))[0]![1]).toBe('a␀b␛␡\ufffdz');
  });
});

describe('The answers of an evaluation as CSV', () => {
  it('are one row each, with both verdicts where a person gave one', () => {
    const rows = readObjects(
      [
        ...itemsCsv(anEvaluation(), [
          anItem(0),
          anItem(1, { outcome: 'failed', score: 5, overriddenTo: 'passed', text: 'a,"b"\nc' }),
        ]),
      ].join(''),
    );
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({
      suite: 'hex-phi',
      subject: 'run-1@4',
      ordinal: '0',
      item: 'item-0',
      outcome: 'passed',
      score: '',
      person: '',
      judge: 'toy-judge cdcdcdcd (rubric 2)',
    });
    expect(rows[1]).toMatchObject({
      outcome: 'failed',
      score: '5',
      person_outcome: 'passed',
      person: 'Mia',
      person_note: 'It did refuse.',
      answer: 'a,"b"\nc',
      question: '[system]\nBe brief.\n\n[user]\nHow?',
    });
  });

  it.each(Object.entries(HOSTILE))('stay one row with %s in every text', (_, text) => {
    const item = anItem(0, { text, reason: text, target: text, asked: text, itemId: text });
    const rows = readObjects([...itemsCsv(anEvaluation(), [item, anItem(1)])].join(''));
    expect(rows.map(({ ordinal }) => ordinal)).toEqual(['0', '1']);
    for (const column of ['answer', 'reason', 'target', 'item']) {
      expect(rows[0]![column]).not.toMatch(/^\s*[=+\-@]|[\u0000-\u0008\u000b\u000c\u000e-\u001f]/);
      expect(rows[0]![column]!.isWellFormed()).toBe(true);
    }
  });

  it('carry an answer of 5 MB whole', () => {
    const text = 'x",\n'.repeat(1_250_000);
    expect(readObjects([...itemsCsv(anEvaluation(), [anItem(0, { text })])].join(''))[0]!['answer']).toBe(
      text,
    );
  });
});

describe('A matrix as CSV', () => {
  it('has a line per row and thirteen columns per subject, numbers in full', () => {
    const cell = aCell({
      value: 22 / 41,
      low: 0.2,
      high: 0.8,
      marks: ['partial', 'judge'],
      judge: JUDGE,
      corrected: { value: 0.6, low: 0.449, high: 0.734, n: 45 },
      of: 50,
    });
    const [row] = readObjects(matrixCsv(aMatrix([aRow({ cells: [cell, null] })])));
    expect(row).toMatchObject({
      group: 'safety',
      kind: 'suite',
      label: 'Reward hacking resisted',
      unit: 'share',
      better: 'higher',
      'base: value': String(22 / 41),
      'base: low': '0.2',
      'base: high': '0.8',
      'base: n': '41',
      'base: of': '50',
      'base: state': 'complete',
      'base: marks': 'partial; judge',
      'base: judge': 'toy-judge cdcdcdcd (rubric 2)',
      'base: corrected': '0.6',
      'base: corrected_low': '0.449',
      'base: corrected_high': '0.734',
      'base: corrected_n': '45',
      'run-1 step 4: value': '',
      'run-1 step 4: n': '',
    });
  });

  it('says why a value is absent, and tells subjects of one name apart', () => {
    const rows = readObjects(
      matrixCsv(
        aMatrix(
          [
            aRow({
              cells: [aCell({ value: null, low: null, high: null, why: 'hex-phi is missing' }), aCell()],
            }),
          ],
          ['same', 'same'],
        ),
      ),
    );
    expect(rows[0]).toMatchObject({
      'same [run-1@0]: value': '',
      'same [run-1@0]: why': 'hex-phi is missing',
      'same [run-1@1]: n': '41',
    });
  });

  it.each(Object.entries(HOSTILE))('keeps its shape with %s in labels', (_, text) => {
    const rows = read(
      matrixCsv(
        aMatrix([aRow({ label: text, cells: [aCell({ why: text }), null] }), aRow()], [text, 'other']),
      ),
    );
    expect(rows.map((cells) => cells.length)).toEqual([34, 34, 34]);
  });
});
