/** Texts longer than this are compared by their first part only; the table grows with the product of both lengths. */
const MAX_COMPARED = 4000;

/**
 * Insertions, deletions and replacements (each 1) that turn one sequence into the other. Texts are compared by code point;
 * pass arrays to compare words or tokens.
 */
export function editDistance(left: string | readonly string[], right: string | readonly string[]): number {
  const [a, b] = [comparable(left), comparable(right)];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [row, item] of a.entries()) {
    const current = [row + 1];
    for (const [column, other] of b.entries()) {
      const replaced = (previous[column] as number) + (item === other ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] as number) + 1, (current[column] as number) + 1));
    }
    previous = current;
  }
  return previous[b.length] as number;
}

/** 1 for equal sequences, 0 when nothing is shared: 1 − distance ÷ length of the longer. Two empty sequences are equal. */
export function similarity(left: string | readonly string[], right: string | readonly string[]): number {
  const longer = Math.max(comparable(left).length, comparable(right).length);
  return longer === 0 ? 1 : 1 - editDistance(left, right) / longer;
}

function comparable(sequence: string | readonly string[]): readonly string[] {
  return (typeof sequence === 'string' ? [...sequence] : sequence).slice(0, MAX_COMPARED);
}
