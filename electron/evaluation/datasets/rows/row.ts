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

const isBlank = (bytes: Buffer): boolean =>
  bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);

/** The lines of a stream, blank ones left out; `row` is the line's number, counted from 1. */
export async function* linesOf(chunks: AsyncIterable<Buffer>, rowBytes: number): AsyncGenerator<Piece> {
  const line = new Collector(rowBytes);
  let row = 0;
  const end = (): Piece | null => {
    row += 1;
    const bytes = line.take();
    return bytes !== null && isBlank(bytes) ? null : { row, bytes };
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      line.add(chunk.subarray(from, at), true);
      from = at + 1;
      const piece = end();
      if (piece !== null) yield piece;
    }
    line.add(chunk.subarray(from), false);
    if (line.isHopeless) return yield { row: row + 1, bytes: null };
  }
  if (line.length === 0) return;
  const piece = end();
  if (piece !== null) yield piece;
}

/** A piece of a file that holds one row; null for one that was longer than allowed and was passed over. */
export type Piece = { row: number; bytes: Buffer | null };

/** A row that goes on for so many times its limit is not the row of any file, and nothing behind it is looked at. */
const HOPELESS = 16;

/**
 * Collects the bytes of one row up to a limit; beyond it nothing is kept, so that a row of a gigabyte takes no memory.
 * A row far beyond the limit is hopeless.
 */
export class Collector {
  #parts: Buffer[] = [];
  #length = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get length(): number {
    return this.#length;
  }

  get isHopeless(): boolean {
    return this.#length > HOPELESS * this.#limit;
  }

  add(bytes: Buffer, isLast: boolean): void {
    this.#length += bytes.length;
    if (this.#length > this.#limit) this.#parts = [];
    // A copy of what waits for its end, since a slice would keep the whole chunk it was cut from.
    else if (bytes.length > 0) this.#parts.push(isLast ? bytes : Buffer.from(bytes));
  }

  /** The row, and an empty collector after it. Null when it was too long. */
  take(): Buffer | null {
    const over = this.#length > this.#limit;
    const bytes = over ? null : this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    [this.#parts, this.#length] = [[], 0];
    return bytes;
  }
}
