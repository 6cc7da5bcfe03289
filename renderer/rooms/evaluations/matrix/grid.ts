import {
  SUITE_GROUPS,
  type EvaluationMatrix,
  type MatrixColumn,
  type MatrixRow,
  type SuiteGroup,
} from '../../../../electron/contract/index.ts';
import { changeBetween } from '../score-text.ts';

export type RowGroup = { group: SuiteGroup; rows: MatrixRow[] };

/**
 * Which column each column's change is measured from: the chosen one for all, else the base of its own run. Null for a column
 * that has none, and for the base itself.
 */
export function baseColumns(columns: readonly MatrixColumn[], chosen: string | undefined): (number | null)[] {
  const placeOf = (subject: string | null | undefined): number =>
    columns.findIndex((column) => column.subject === subject);
  const all = placeOf(chosen);
  return columns.map((column, index) => {
    const place = all >= 0 ? all : placeOf(column.base);
    return place < 0 || place === index ? null : place;
  });
}

/** The largest change of a row in any column, as a distance; −1 where nothing can be compared. */
export function largestChange(row: MatrixRow, bases: readonly (number | null)[]): number {
  return Math.max(
    -1,
    ...bases.flatMap((base, column) => {
      const change = changeBetween(row, column, base);
      return change === null ? [] : [Math.abs(row.unit === 'share' ? change * 100 : change)];
    }),
  );
}

/**
 * The rows by group, in the order of groups. Scores beside a suite's first one follow their suite and are left out unless asked
 * for; sorted by change, the rows that moved most stand first in their group.
 */
export function groupedRows(
  matrix: Pick<EvaluationMatrix, 'rows'>,
  bases: readonly (number | null)[],
  { byChange, withScores }: { byChange: boolean; withScores: boolean },
): RowGroup[] {
  const shown = matrix.rows.filter(({ kind }) => withScores || kind !== 'score');
  return SUITE_GROUPS.flatMap((group) => {
    const rows = shown.filter((row) => row.group === group);
    if (rows.length === 0) return [];
    return [
      {
        group,
        rows: byChange ? rows.toSorted((a, b) => largestChange(b, bases) - largestChange(a, bases)) : rows,
      },
    ];
  });
}

/** The suites that the rows are of, in their order. */
export const suitesOf = ({ rows }: Pick<EvaluationMatrix, 'rows'>): string[] => [
  ...new Set(rows.flatMap(({ suite }) => (suite === null ? [] : [suite]))),
];

/** Cells that hold nothing or not everything that could be asked. */
export function holes({ rows }: Pick<EvaluationMatrix, 'rows'>): number {
  return rows
    .filter(({ kind }) => kind === 'suite')
    .flatMap(({ cells }) => cells)
    .filter((cell) => cell === null || cell.state === 'partial').length;
}

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
