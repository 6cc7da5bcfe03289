import { expect, it } from 'vitest';
import type { CellMark } from '../../../electron/contract/index.ts';
import { matrixAsTable } from '../../../electron/cli/evaluation-text.ts';
import { aCell, aMatrix, aRow } from '../evaluation/export/fixture.ts';

it('a value that a person corrected is printed with its own interval and n, as the window shows it', () => {
  const corrected = { value: 0.8, low: 0.376, high: 0.964, n: 6 };
  const text = matrixAsTable(
    aMatrix([
      aRow({
        cells: [
          aCell({ value: 1, low: 0.566, high: 1, n: 5 }),
          aCell({ value: 1, low: 0.566, high: 1, n: 5, corrected, marks: ['overridden'] }),
        ],
      }),
    ]),
  );
  expect(text).toContain('100.0 [56.6–100.0] n=5');
  expect(text).toContain('80.0 [37.6–96.4] n=6o');
});

const MARKS: Record<CellMark, true> = {
  partial: true,
  judge: true,
  protocol: true,
  items: true,
  rules: true,
  unjudged: true,
  'load-affected': true,
  overridden: true,
  'mixed-answers': true,
};

it('the legend below the matrix has every mark that a cell can carry', () => {
  const marks = Object.keys(MARKS) as CellMark[];
  const text = matrixAsTable(aMatrix([aRow({ cells: [aCell({ n: 5, marks })] })]));
  const signs = [...(/ n=5(\S+)/.exec(text)?.[1] ?? '')];
  const legend = text.split('\n').find((line) => line.startsWith('½ ')) ?? '';
  expect(new Set(signs).size).toBe(marks.length);
  expect(legend.split(', ').map((part) => part.split(' ')[0])).toEqual(signs);
});
