import { expect, it } from 'vitest';
import { matrixAsTable } from '../../../electron/cli/evaluation-text.ts';
import { aCell, aMatrix, aRow } from '../evaluation/export/fixture.ts';

it('a value that a person corrected is printed with its own interval, as the window shows it', () => {
  const corrected = { value: 0.8, low: 0.376, high: 0.964 };
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
  expect(text).toContain('80.0 [37.6–96.4] n=5o');
});
