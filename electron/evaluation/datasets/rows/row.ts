/** A row of a file as it was written, or why it is refused. `row` counts from 1: the line for lines and tables, the entry for lists. */
export type Row = {
  row: number;
  fault: null;
  /** Its fields. Values that only Python's JSON knows (NaN, the infinities) stand as null. */
  value: Readonly<Record<string, unknown>>;
  /** The row as JSON text, with numbers as the file wrote them; null where the file is no JSON. */
  text: string | null;
  /** True when `text` holds NaN or an infinity, so that a strict reader would refuse it. */
  isPython: boolean;
};
export type RefusedRow = { row: number; fault: string };
export type ReadRow = Row | RefusedRow;

/** How a file's JSON is read: strictly, or with the NaN and infinities of Python's json module. */
export type Dialect = 'strict' | 'python';

export type RowLimits = {
  dialect: Dialect;
  /** Bytes of one row; a longer one is refused without being kept. */
  rowBytes: number;
};

export const MEBIBYTE = 1 << 20;
