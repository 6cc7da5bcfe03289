/** Items of a sequence that are compared: its first ones. What is longer is compared by them alone. */
const MOST_COMPARED = 4000;
/** Rows of the table that one step works on. */
const ROWS = 32;

/**
 * Insertions, deletions and replacements (each 1) that turn one sequence into the other. Texts are compared by code point;
 * pass arrays to compare words or tokens. Of the table of both, 32 rows are worked out at once as bits (Myers 1999, Hyyrö 2003): five
 * milliseconds for the longest.
 */
export function editDistance(left: string | readonly string[], right: string | readonly string[]): number {
  const numbers = new Map<string, number>();
  const [rows, columns] = [numbered(left, numbers), numbered(right, numbers)];
  /** How much the distance grows from a column to the next, in the row that was worked out last: −1, 0 or 1. */
  const growth = new Int8Array(columns.length).fill(1);
  const places = new Int32Array(numbers.size);
  for (let from = 0; from < rows.length; from += ROWS)
    addRows(rows.subarray(from, from + ROWS), columns, places, growth);
  return growth.reduce((sum, step) => sum + step, rows.length);
}

/** Works out up to 32 rows. `places`: for each number in which of these rows it stands, as bits; all 0 before and after. */
function addRows(rows: Int32Array, columns: Int32Array, places: Int32Array, growth: Int8Array): void {
  for (const [row, item] of rows.entries()) places[item]! |= 1 << row;
  const last = rows.length - 1;
  // Rows in which the distance grows, or falls, from the row above.
  let [grows, falls] = [-1, 0];
  for (const [column, item] of columns.entries()) {
    const [more, less] = [Number(growth[column] === 1), Number(growth[column] === -1)];
    const equal = places[item]!;
    const met = equal | less;
    const across = (((met & grows) + grows) ^ grows) | met;
    const [up, down] = [falls | ~(across | grows), grows & across];
    growth[column] = ((up >>> last) & 1) - ((down >>> last) & 1);
    const [above, below] = [(up << 1) | more, (down << 1) | less];
    grows = below | ~(equal | falls | above);
    falls = above & (equal | falls);
  }
  for (const item of rows) places[item] = 0;
}

/** 1 for equal sequences, 0 when nothing is shared: 1 − distance ÷ length of the longer. Two empty sequences are equal. */
export function similarity(left: string | readonly string[], right: string | readonly string[]): number {
  const longer = Math.max(comparable(left).length, comparable(right).length);
  return longer === 0 ? 1 : 1 - editDistance(left, right) / longer;
}

function comparable(sequence: string | readonly string[]): readonly string[] {
  return (typeof sequence === 'string' ? [...sequence] : sequence).slice(0, MOST_COMPARED);
}

/** Equal items have one number. */
function numbered(sequence: string | readonly string[], numbers: Map<string, number>): Int32Array {
  return Int32Array.from(comparable(sequence), (item) => {
    const number = numbers.get(item) ?? numbers.size;
    numbers.set(item, number);
    return number;
  });
}
