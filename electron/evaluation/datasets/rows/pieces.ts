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
