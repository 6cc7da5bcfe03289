import { isUtf8 } from 'node:buffer';
import { CsvError, parse } from 'csv-parse';
import { Failure } from '../../../contract/index.ts';
import { textHashes } from '../../safety/harmbench/grade.ts';
import { unpack, wholeOf, type Watch, baseName, type SourceFile } from '../sources/source.ts';
import { entriesOf, jsonRow } from './json.ts';
import { PARQUET_BYTES, parquetRows } from './parquet.ts';
import { linesOf, MEBIBYTE, type ReadRow, type RowLimits } from './row.ts';

/** How a file holds its rows. `document`: one JSON object for the whole file; `minhash-pickle`: the hashes of one text; `text`: no rows at all. */
export type Format =
  | 'lines'
  | 'list'
  | 'document'
  | 'csv'
  | 'bare-csv'
  | 'parquet'
  | 'minhash-pickle'
  | 'text';

const DOCUMENT_BYTES = 32 * MEBIBYTE;
const PICKLE_BYTES = 64 * MEBIBYTE;

/**
 * The rows of a file, streamed; a file that is one document is one row. A fault ends neither the reading nor the counting unless
 * nothing after it can be told apart. @throws Failure `refused` for an archive that is damaged or unpacks to too much; the signal's reason.
 */
export async function* readRows(
  file: SourceFile,
  format: Format,
  limits: RowLimits,
  watch: Watch = {},
): AsyncGenerator<ReadRow> {
  const { rowBytes, dialect } = limits;
  switch (format) {
    case 'csv':
    case 'bare-csv':
      return yield* csvRows(unpack(file, watch), { rowBytes, hasHeader: format === 'csv' });
    case 'parquet':
      return yield* parquetRows(await wholeOf(file, PARQUET_BYTES, watch), limits);
    case 'document':
      return yield jsonRow(await wholeOf(file, DOCUMENT_BYTES, watch), 1, dialect);
    case 'minhash-pickle':
      return yield await pickleRow(file, watch);
    case 'text':
      throw new Failure('refused', `${file.name} is plain text; it has no rows.`, 2);
    case 'lines':
    case 'list': {
      const pieces =
        format === 'lines'
          ? linesOf(unpack(file, watch), rowBytes)
          : entriesOf(unpack(file, watch), rowBytes);
      for await (const piece of pieces) {
        if ('fault' in piece) yield piece;
        else if (piece.bytes === null)
          yield { row: piece.row, fault: `it is longer than ${Math.round(rowBytes / MEBIBYTE)} MiB` };
        else yield jsonRow(piece.bytes, piece.row, dialect);
      }
    }
  }
}

/** A file of HarmBench's hashes as a row; its name is the behaviour's. */
async function pickleRow(file: SourceFile, watch: Watch): Promise<ReadRow> {
  const bytes = await wholeOf(file, PICKLE_BYTES, watch);
  try {
    const value = textHashes(baseName(file.name).replace(/\.pkl$/i, ''), bytes);
    return { row: 1, fault: null, value, text: JSON.stringify(value), isPython: false };
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'badPickle') throw error;
    return { row: 1, fault: error.message };
  }
}

const IN_A_CELL = 'it has a quote in the middle of a cell';
const OBJECTIONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'it opens a quote that is never closed',
  INVALID_OPENING_QUOTE: IN_A_CELL,
  CSV_INVALID_OPENING_QUOTE: IN_A_CELL,
  CSV_INVALID_CLOSING_QUOTE: IN_A_CELL,
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: IN_A_CELL,
};

/**
 * The rows of a CSV file: quoted cells with doubled quotes and line breaks, LF or CRLF, a byte order mark. With a header, rows are
 * fields by its names; without one, by the cells' places ("0", "1", …). `row` is the line a row begins on. Ends at the first fault
 * after which rows cannot be told apart any more.
 */
export async function* csvRows(
  chunks: AsyncIterable<Buffer>,
  { rowBytes, hasHeader }: { rowBytes: number; hasHeader: boolean },
): AsyncGenerator<ReadRow> {
  const table = new Table(rowBytes, hasHeader);
  for await (const lines of wholeLines(chunks, rowBytes)) {
    const fault = typeof lines === 'string' ? lines : await table.add(lines);
    if (lines === fault) await table.end(); // the parser keeps its last bytes back; what it makes of a row that is cut off does not matter
    yield* table.taken();
    if (fault !== null) return yield { row: table.line, fault };
  }
  const fault = await table.end();
  yield* table.taken();
  if (fault !== null) yield { row: table.line, fault };
}

/** Feeds the parser and hands out rows as it finds them, those before a fault included. */
class Table {
  readonly #parser: ReturnType<typeof parse>;
  readonly #rowBytes: number;
  #found: string[][] = [];
  #header: string[] | null;
  /** Where the next row begins. */
  line = 1;

  constructor(rowBytes: number, hasHeader: boolean) {
    this.#rowBytes = rowBytes;
    this.#header = hasHeader ? null : [];
    this.#parser = parse({
      bom: true,
      relax_column_count: true,
      max_record_size: rowBytes,
      record_delimiter: ['\r\n', '\n'],
      on_record: (cells: string[]) => {
        this.#found.push(cells);
        return null;
      },
    });
    this.#parser.on('error', () => {}); // told by the call that fed it
    this.#parser.resume();
  }

  /** @returns what is wrong, null for nothing */
  add(lines: Buffer): Promise<string | null> {
    return new Promise((resolve, reject) => {
      this.#parser.write(lines, (error) => this.#finish(error, resolve, reject));
    });
  }

  end(): Promise<string | null> {
    return new Promise((resolve, reject) => {
      this.#parser.once('error', (error) => this.#finish(error, resolve, reject));
      this.#parser.once('end', () => resolve(null));
      this.#parser.end();
    });
  }

  *taken(): Generator<ReadRow> {
    for (const cells of this.#found.splice(0)) {
      const row = this.line;
      this.line += linesIn(cells);
      if (cells.length === 1 && cells[0] === '') continue; // a blank line
      const header = this.#header;
      if (header === null) {
        this.#header = cells;
        const twice = cells.find((name, index) => cells.indexOf(name) !== index);
        if (twice !== undefined)
          yield { row, fault: `the column "${twice.slice(0, 80)}" stands twice in the header` };
      } else if (header.length > 0 && cells.length !== header.length)
        yield { row, fault: `it has ${cells.length} cells where the header has ${header.length}` };
      else
        yield {
          row,
          fault: null,
          value: Object.fromEntries(cells.map((cell, index) => [header[index] ?? String(index), cell])),
          text: null,
          isPython: false,
        };
    }
  }

  #finish(
    error: Error | null | undefined,
    resolve: (fault: string | null) => void,
    reject: (error: Error) => void,
  ): void {
    if (error === null || error === undefined) resolve(null);
    else if (!(error instanceof CsvError)) reject(error);
    else
      resolve(
        error.code === 'CSV_MAX_RECORD_SIZE'
          ? tooLong(this.#rowBytes)
          : (OBJECTIONS[error.code] ?? 'it is no row of a comma-separated table'),
      );
  }
}

const tooLong = (rowBytes: number): string => `it is longer than ${Math.round(rowBytes / MEBIBYTE)} MiB`;

/** Bytes up to a line break that are UTF-8; a text is what is wrong with the bytes that follow. */
async function* wholeLines(chunks: AsyncIterable<Buffer>, rowBytes: number): AsyncGenerator<Buffer | string> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(10) + 1;
    if (end > 0) yield* checked(bytes.subarray(0, end));
    rest = Buffer.from(bytes.subarray(end));
    if (rest.length > rowBytes) return yield tooLong(rowBytes);
  }
  if (rest.length > 0) yield* checked(rest);
}

function* checked(bytes: Buffer): Generator<Buffer | string> {
  if (isUtf8(bytes)) return yield bytes;
  let from = 0;
  for (let at = bytes.indexOf(10); at >= 0 && isUtf8(bytes.subarray(from, at)); at = bytes.indexOf(10, from))
    from = at + 1;
  if (from > 0) yield bytes.subarray(0, from);
  yield 'it is not UTF-8 text';
}

/** Lines of the file that a row takes. Counted here, since the package counts a line break of two characters in a cell as two. */
const linesIn = (cells: readonly string[]): number =>
  cells.reduce((lines, cell) => lines + cell.split('\n').length - 1, 1);
