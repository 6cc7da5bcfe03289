import { Failure } from '../../../contract/index.ts';
import type { FoundSet } from '../found/sets.ts';
import type { KeptRow } from '../kinds/kind.ts';
import { readRows } from '../rows/read-rows.ts';
import type { Row } from '../rows/row.ts';
import type { SourceFile } from '../sources/source.ts';
import type { Watch } from '../sources/unpack.ts';
import type { ItemsWriter } from './items-file.ts';
import { misevolutionRows, type KnownTexts } from './misevolution.ts';
import { MOST_COUNTED, RefusedRows, RowsRefused } from './refused-rows.ts';

const MOST_ROWS = 1_000_000;

/** Takes the rows of a set's files, one file after the other: those that are right are written, the others are noted. */
export class RowKeeper {
  readonly #set: FoundSet;
  readonly #writer: ItemsWriter;
  readonly #known: KnownTexts | null;
  readonly #refused = new RefusedRows();
  /** Where each id stands. */
  readonly #seen = new Map<string, string>();

  constructor(set: FoundSet, writer: ItemsWriter, known: KnownTexts | null) {
    [this.#set, this.#writer, this.#known] = [set, writer, known];
    // A fault of the set as a whole; those of rows are found again below.
    if (set.fault !== null && set.fault.row === null) this.#refused.add(set.fault);
  }

  async keep(file: SourceFile, watch: Watch): Promise<void> {
    if (this.#set.format === 'text') {
      for (const [index, kept] of (await misevolutionRows(file, this.#known, watch)).entries())
        await this.#take(kept, index + 1, file);
      return;
    }
    let index = 0;
    for await (const row of readRows(file, this.#set.format, this.#set.reader, watch)) {
      if (row.fault !== null) this.#refuse(file, row.row, row.fault);
      else await this.#read(row, index, file);
      index += 1;
    }
  }

  /** @throws RowsRefused when any row was refused, or when there was none. */
  end(): void {
    if (this.#refused.count === 0 && this.#writer.rows === 0)
      this.#refused.add({ file: this.#set.files[0]?.name ?? '', row: null, why: 'it holds no rows' });
    if (this.#refused.count > 0) throw new RowsRefused(this.#refused.report);
  }

  async #read(row: Row, index: number, file: SourceFile): Promise<void> {
    let all: KeptRow[];
    try {
      all = this.#set.reader.read(row, { file: file.name, index });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return this.#refuse(file, row.row, error.message.replace(/[.;]$/, ''));
    }
    for (const kept of all) await this.#take(kept, row.row, file);
  }

  async #take(kept: KeptRow, row: number, file: SourceFile): Promise<void> {
    const earlier = this.#seen.get(kept.id);
    if (earlier !== undefined)
      return this.#refuse(
        file,
        row,
        `it repeats the id ${JSON.stringify(kept.id.slice(0, 80))} of ${earlier}`,
      );
    if (this.#seen.size >= MOST_ROWS)
      throw new Failure('refused', `The set has more than ${MOST_ROWS} rows; no official one has.`, 2);
    this.#seen.set(kept.id, `row ${row}${this.#set.files.length > 1 ? ` of ${file.name}` : ''}`);
    // Nothing will be kept of a set with a refused row, so its other rows are only checked.
    if (this.#refused.count === 0) await this.#writer.add(kept);
  }

  #refuse(file: SourceFile, row: number, why: string): void {
    this.#refused.add({ file: file.name, row, why });
    if (this.#refused.count >= MOST_COUNTED) throw new RowsRefused(this.#refused.report);
  }
}
