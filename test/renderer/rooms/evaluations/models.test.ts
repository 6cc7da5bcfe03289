import { describe, expect, it } from 'vitest';
import {
  changeText,
  chanceText,
  directionOf,
  isIncomparable,
  scoreText,
  intervalText,
  toneOf,
  valueOf,
} from '../../../../renderer/rooms/evaluations/score-text.ts';
import {
  baseColumns,
  columnsAsked,
  groupedRows,
  holes,
  largestChange,
  nameOfColumn,
  stepInGrid,
  suitesOf,
} from '../../../../renderer/rooms/evaluations/matrix/grid.ts';
import { evaluationsSearch } from '../../../../renderer/rooms/evaluations/page-state.ts';
import {
  columnsInAddress,
  shownColumns,
  subjectGroups,
  toggled,
} from '../../../../renderer/rooms/evaluations/request/subject-list.tsx';
import { cell, change, column, matrix, row, subject } from './made.ts';

describe('figures', () => {
  it.each([
    [0.625, 'share', '62.5 %'],
    [1.843, 'scale', '1.84'],
    [1234, 'count', '1,234'],
    [null, 'share', '–'],
    [Number.NaN, 'share', '–'],
  ] as const)('%s as %s reads %s', (value, unit, text) => {
    expect(scoreText(value, unit)).toBe(text);
  });
  it('an interval is told in brackets in the unit of its score, and not at all where there is none', () => {
    expect([
      intervalText(0.5, 0.7, 'share'),
      intervalText(1.5, 2, 'scale'),
      intervalText(null, 0.7, 'share'),
    ]).toEqual(['[50.0–70.0]', '[1.50–2.00]', null]);
  });
  it.each([
    [0.042, 'share', '+4.2'],
    [-0.0042, 'share', '−0.4'],
    [0.0004, 'share', '±0.0'],
    [-0.304, 'scale', '−0.30'],
    [12, 'count', '+12'],
    [-1500, 'count', '−1,500'],
  ] as const)('a change of %s in a %s reads %s', (moved, unit, text) => {
    expect(changeText(moved, unit)).toBe(text);
  });
  it('is better in the direction of its score, and a change too small to print is none', () => {
    expect([
      toneOf(0.1, 'higher', 'share'),
      toneOf(0.1, 'lower', 'share'),
      toneOf(0.1, 'neither', 'share'),
      toneOf(0.0001, 'lower', 'share'),
    ]).toEqual(['good', 'bad', 'plain', 'same']);
    expect([directionOf(0.1, 'share'), directionOf(-0.1, 'share'), directionOf(0.0001, 'share')]).toEqual([
      'up',
      'down',
      'same',
    ]);
  });
  it('p is printed as papers do', () => {
    expect([chanceText(0.0004), chanceText(0.0456)]).toEqual(['< 0.001', '= 0.046']);
  });
  it('a person’s correction counts before the graders’ value', () => {
    expect(valueOf(cell(0.5, { corrected: { value: 0.6, low: 0.4, high: 0.8, n: 64 } }))).toBe(0.6);
  });
  it('another judge, protocol or set of items is another measurement; a partial one is not', () => {
    expect([
      isIncomparable(cell(0.5, { marks: ['judge'] })),
      isIncomparable(cell(0.5, { marks: ['items'] })),
      isIncomparable(cell(0.5, { marks: ['partial', 'unjudged'] })),
    ]).toEqual([true, true, false]);
  });
});

describe('the matrix', () => {
  const columns = [column('a@0'), column('a@4', { base: 'a@0' }), column('b@4', { base: 'b@0' })];
  it('measures changes from the column that each one names, where it is there', () => {
    expect(baseColumns(columns)).toEqual([null, 0, null]);
  });
  it('is asked for the ways of asking apart, and names a column without its step', () => {
    const both = [...columns, column('a@4', { key: 'a@4~context', withContext: true })];
    const rows = [row('s', [cell(0.1), cell(0.2), null, cell(0.4)])];
    expect(columnsAsked({ columns: both, rows }, true)).toEqual({
      columns: [both[3]],
      rows: [{ ...rows[0], cells: [cell(0.4)] }],
    });
    expect(
      ['alone, step 8', 'alone, step 8, with context', 'embedded-policy'].map((label) =>
        nameOfColumn({ label }),
      ),
    ).toEqual(['alone', 'alone', 'embedded-policy']);
  });
  it('orders by group, and by change within a group', () => {
    const rows = [
      row('still', [cell(0.5), cell(0.5, { change: change(0) })]),
      row('moved', [cell(0.5), cell(0.2, { change: change(-0.3) })]),
      row('code', [cell(0.1), cell(0.2, { change: change(0.1) })], { group: 'code' }),
      row('empty', [null, cell(0.2)]),
    ];
    const names = (byChange: boolean): string[][] =>
      groupedRows({ rows }, { byChange, withScores: true }).map((group) => group.rows.map(({ key }) => key));
    expect(names(false)).toEqual([['code'], ['still', 'moved', 'empty']]);
    expect(names(true)).toEqual([['code'], ['moved', 'still', 'empty']]);
    expect(largestChange(rows[3] as never)).toBe(-1);
  });
  it('leaves further scores of a suite out unless asked for', () => {
    const rows = [
      row('s', [cell(0.5)]),
      row('s/parsed', [cell(0.9)], { kind: 'score', suite: 's' }),
      row('aggregate:code', [cell(0.5)], { kind: 'aggregate', suite: null }),
    ];
    const shown = (withScores: boolean): string[] =>
      groupedRows({ rows }, { byChange: false, withScores }).flatMap((group) =>
        group.rows.map(({ key }) => key),
      );
    expect(shown(false)).toEqual(['s', 'aggregate:code']);
    expect(shown(true)).toHaveLength(3);
    expect(suitesOf({ rows })).toEqual(['s']);
  });
  it('counts what is missing: empty and partial cells of suites, not of aggregates', () => {
    const made = matrix(
      [
        row('s', [null, cell(0.5, { state: 'partial' }), cell(0.5)]),
        row('aggregate:code', [null, null, null], { kind: 'aggregate', suite: null }),
      ],
      columns,
    );
    expect(holes(made)).toBe(2);
  });
  it('is walked by arrow keys and stops at its edges', () => {
    const size = { rows: 3, columns: 2 };
    expect(stepInGrid('ArrowDown', { row: 2, column: 0 }, size)).toEqual({ row: 2, column: 0 });
    expect(stepInGrid('ArrowRight', { row: 1, column: 0 }, size)).toEqual({ row: 1, column: 1 });
    expect([
      stepInGrid('Home', { row: 1, column: 1 }, size),
      stepInGrid('End', { row: 1, column: 0 }, size),
      stepInGrid('x', { row: 1, column: 0 }, size),
    ]).toEqual([{ row: 1, column: 0 }, { row: 1, column: 1 }, null]);
  });
});

describe('columns', () => {
  const subjects = [
    subject('a@0', { evaluations: 2 }),
    subject('a@4'),
    subject('b@2', { evaluations: 1 }),
    subject('model:big', { kind: 'model', runId: null, runName: null, model: 'big' }),
  ];
  it('are the chosen ones in the order of choosing, else the ends of the two newest runs with figures', () => {
    expect(shownColumns(['b@2', 'a@0'], subjects)).toEqual(['b@2', 'a@0']);
    const asked = { evaluations: 3 };
    const runs = ['new', 'older', 'oldest'].flatMap((run) => [
      subject(`${run}@0`, asked),
      subject(`${run}@4`, asked),
      subject(`${run}@8`),
    ]);
    const model = subject('model:big', { kind: 'model', runId: null, ...asked });
    expect(shownColumns([], [model, ...runs])).toEqual(['new@4', 'older@4']);
    expect(shownColumns([], [model, ...runs.slice(0, 3)])).toEqual(['new@0', 'new@4']);
    expect(shownColumns([], [model])).toEqual(['model:big']);
    // Whoever takes the last one away is not given others.
    expect(shownColumns([columnsInAddress([])], subjects)).toEqual([]);
  });
  it('are grouped by run, models of the library last, and found by name', () => {
    expect(
      subjectGroups(subjects, '', 'Library').map(({ name, subjects: own }) => [name, own.length]),
    ).toEqual([
      ['run a', 2],
      ['run b', 1],
      ['Library', 1],
    ]);
    expect(subjectGroups(subjects, ' BIG ', 'Library').map(({ name }) => name)).toEqual(['Library']);
    expect(
      subjectGroups(subjects, 'run a', 'Library').flatMap(({ subjects: own }) => own.map(({ id }) => id)),
    ).toEqual(['a@0', 'a@4']);
  });
  it('come and go', () => {
    expect([toggled(['a', 'b'], 'a'), toggled(['a'], 'c')]).toEqual([['b'], ['a', 'c']]);
  });
});

describe('the address', () => {
  it('opens with anything in it', () => {
    const opened = evaluationsSearch.parse({
      tab: 'nothing',
      columns: 7,
      seed: 'x',
      limit: -4,
      sort: [],
      show: 'all-of-it',
      suite: 500,
      item: 12,
    });
    expect(opened).toMatchObject({
      tab: 'matrix',
      columns: [],
      sort: 'suite',
      show: 'all',
      suite: '500',
      item: '12',
    });
    expect([opened.seed, opened.limit]).toEqual([undefined, undefined]);
  });
  it('keeps columns once, in order', () => {
    expect(evaluationsSearch.parse({ columns: 'b@2,a@0,b@2,' }).columns).toEqual(['b@2', 'a@0']);
  });
});
