import { crossedMeanInterval } from './crossed-interval.ts';
import { wilsonInterval, Z_95, type Interval } from './intervals.ts';

/** Two raters who each said yes or no to the same items. */
export type YesNoTable = { bothYes: number; onlyFirst: number; onlySecond: number; bothNo: number };

export function yesNoTable(first: readonly boolean[], second: readonly boolean[]): YesNoTable {
  if (first.length !== second.length)
    throw new RangeError(
      `Cannot compare ${first.length} ratings with ${second.length}; both must rate the same items.`,
    );
  const table = { bothYes: 0, onlyFirst: 0, onlySecond: 0, bothNo: 0 };
  first.forEach((yes, index) => {
    if (yes) table[second[index] === true ? 'bothYes' : 'onlyFirst'] += 1;
    else table[second[index] === true ? 'onlySecond' : 'bothNo'] += 1;
  });
  return table;
}

/**
 * Cohen's kappa of a square table of counts (rows: first rater, columns: second), with the large-sample 95 % interval of Fleiss,
 * Cohen & Everitt (1969). Where raters agree on every item that interval has no width, however few the items; the lower end is then
 * what Wilson's limit of the raw agreement gives at the same chance agreement. Null when both raters used one and the same
 * category throughout (or there are no items): then chance explains everything and kappa is not defined.
 * @throws RangeError when the table is not square.
 */
export function cohenKappa(
  table: readonly (readonly number[])[],
  z = Z_95,
): (Interval & { kappa: number }) | null {
  const size = table.length;
  if (table.some((row) => row.length !== size))
    throw new RangeError('Kappa needs a square table: the same categories for both raters.');
  const n = table.flat().reduce((sum, count) => sum + count, 0);
  if (n === 0) return null;
  const cell = (row: number, column: number): number => (table[row]?.[column] ?? 0) / n;
  const categories = Array.from({ length: size }, (_, index) => index);
  const rows = categories.map((row) => categories.reduce((sum, column) => sum + cell(row, column), 0));
  const columns = categories.map((column) => categories.reduce((sum, row) => sum + cell(row, column), 0));
  const at = (list: readonly number[], index: number): number => list[index] ?? 0;
  const observed = categories.reduce((sum, index) => sum + cell(index, index), 0);
  const chance = categories.reduce((sum, index) => sum + at(rows, index) * at(columns, index), 0);
  if (chance >= 1 - 1e-12) return null;
  const kappa = (observed - chance) / (1 - chance);
  if (observed >= 1 - 1e-12)
    return { kappa: 1, low: (wilsonInterval(n, n, z).low - chance) / (1 - chance), high: 1 };

  let onDiagonal = 0;
  let offDiagonal = 0;
  for (const row of categories) {
    for (const column of categories) {
      if (row === column)
        onDiagonal += cell(row, row) * (1 - (at(rows, row) + at(columns, row)) * (1 - kappa)) ** 2;
      else offDiagonal += cell(row, column) * (at(columns, row) + at(rows, column)) ** 2;
    }
  }
  const variance =
    (onDiagonal + (1 - kappa) ** 2 * offDiagonal - (kappa - chance * (1 - kappa)) ** 2) /
    (n * (1 - chance) ** 2);
  const spread = z * Math.sqrt(Math.max(0, variance));
  return { kappa, low: Math.max(-1, kappa - spread), high: Math.min(1, kappa + spread) };
}

/** Mean of scores on a scale of 0 to 100 with a 95 % interval (Student's t, kept within the scale); null for no scores. */
export function scaleMean(scores: readonly number[]): (Interval & { mean: number }) | null {
  if (scores.length === 0) return null;
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const { low, high } = crossedMeanInterval([scores.map((score) => score / 100)]);
  return scores.length === 1
    ? { mean, low: 0, high: 100 }
    : { mean, low: Math.max(0, low * 100), high: Math.min(100, high * 100) };
}
