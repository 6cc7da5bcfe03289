type Page<Row> = { rows: readonly Row[]; next: string | null };

/** Rows of a list that are read at a time where all of them are wanted. */
export const ROWS_AT_A_TIME = 200;

/** The rows of all pages, one after the other. */
export async function everyRow<Row>(read: (cursor: string | null) => Promise<Page<Row>>): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Row> = await read(cursor);
    rows.push(...page.rows);
    cursor = page.next;
  } while (cursor !== null);
  return rows;
}
