import {
  SUITE_GROUPS,
  type EvaluationMatrix,
  type MatrixColumn,
  type MatrixRow,
  type SuiteGroup,
} from '../../../../electron/contract/index.ts';

export type RowGroup = { group: SuiteGroup; rows: MatrixRow[] };

/** Place of the column that each column's changes are measured from; null for one that has none. */
export const baseColumns = (columns: readonly MatrixColumn[]): (number | null)[] =>
  columns.map(({ base }) => {
    const place = columns.findIndex(({ key }) => key === base);
    return place < 0 ? null : place;
  });

/** The largest change of a row in any column, as a distance; −1 where nothing can be compared. */
export const largestChange = ({ unit, cells }: MatrixRow): number =>
  Math.max(
    -1,
    ...cells.flatMap((cell) =>
      cell?.change == null ? [] : [Math.abs(unit === 'share' ? cell.change.value * 100 : cell.change.value)],
    ),
  );

/**
 * The rows by group, in the order of groups. Scores beside a suite's first one follow their suite and are left out unless asked
 * for; sorted by change, the rows that moved most stand first in their group.
 */
export function groupedRows(
  matrix: Pick<EvaluationMatrix, 'rows'>,
  { byChange, withScores }: { byChange: boolean; withScores: boolean },
): RowGroup[] {
  const shown = matrix.rows.filter(({ kind }) => withScores || kind !== 'score');
  return SUITE_GROUPS.flatMap((group) => {
    const rows = shown.filter((row) => row.group === group);
    if (rows.length === 0) return [];
    return [
      {
        group,
        rows: byChange ? rows.toSorted((a, b) => largestChange(b) - largestChange(a)) : rows,
      },
    ];
  });
}

/** The suites that the rows are of, in their order. */
export const suitesOf = ({ rows }: Pick<EvaluationMatrix, 'rows'>): string[] => [
  ...new Set(rows.flatMap(({ suite }) => (suite === null ? [] : [suite]))),
];

/** Cells that hold nothing or not everything that could be asked. */
export const holes = ({ rows }: Pick<EvaluationMatrix, 'rows'>): number =>
  rows
    .filter(({ kind }) => kind === 'suite')
    .flatMap(({ cells }) => cells)
    .filter((cell) => cell === null || cell.state === 'partial').length;

/** The table with only its columns of the weights alone, or only those under a context. */
export function columnsAsked(
  matrix: Pick<EvaluationMatrix, 'columns' | 'rows'>,
  withContext: boolean,
): Pick<EvaluationMatrix, 'columns' | 'rows'> {
  const isMeant = (index: number): boolean => matrix.columns[index]?.withContext === withContext;
  return {
    columns: matrix.columns.filter((_, index) => isMeant(index)),
    rows: matrix.rows.map((row) => ({ ...row, cells: row.cells.filter((_, index) => isMeant(index)) })),
  };
}

/** What a column is called without its step, which its head tells apart. */
export const nameOfColumn = ({ label }: Pick<MatrixColumn, 'label'>): string =>
  label.replace(/(, step \d+)?(, with context)?$/, '');

/** One step through a grid of cells, which has `rows` × `columns` places; null for a key that does not move. */
export function stepInGrid(
  key: string,
  { row, column }: { row: number; column: number },
  size: { rows: number; columns: number },
): { row: number; column: number } | null {
  const within = (value: number, most: number): number => Math.max(0, Math.min(most - 1, value));
  switch (key) {
    case 'ArrowUp':
      return { row: within(row - 1, size.rows), column };
    case 'ArrowDown':
      return { row: within(row + 1, size.rows), column };
    case 'ArrowLeft':
      return { row, column: within(column - 1, size.columns) };
    case 'ArrowRight':
      return { row, column: within(column + 1, size.columns) };
    case 'Home':
      return { row, column: 0 };
    case 'End':
      return { row, column: size.columns - 1 };
    default:
      return null;
  }
}
