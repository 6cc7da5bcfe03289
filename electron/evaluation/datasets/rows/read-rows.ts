import { Failure } from '../../../contract/index.ts';
import { unpack, wholeOf, type Watch } from '../sources/unpack.ts';
import { textHashes } from '../../safety/index.ts';
import { baseName, type SourceFile } from '../sources/source.ts';
import { csvRows } from './csv.ts';
import { entriesOf } from './json-list.ts';
import { jsonRow } from './json-row.ts';
import { linesOf, MEBIBYTE, type ReadRow, type RowLimits } from './row.ts';
import { PARQUET_BYTES, parquetRows } from './parquet.ts';

/** How a file holds its rows. `document`: one JSON object for the whole file; `minhash-pickle`: the hashes of one text; `text`: no rows at all. */
export type Format =
  'lines' | 'list' | 'document' | 'csv' | 'bare-csv' | 'parquet' | 'minhash-pickle' | 'text';

export const DOCUMENT_BYTES = 32 * MEBIBYTE;
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
