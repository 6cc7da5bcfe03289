import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import {
  parquetMetadataAsync,
  parquetReadObjects,
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { everyText } from './json.ts';
import { MEBIBYTE, type ReadRow, type RowLimits } from './row.ts';

/** The published Parquet copies have a few MiB; a larger file is read from its JSON Lines. */
export const PARQUET_BYTES = 64 * MEBIBYTE;
const PAGE_BYTES = 64 * MEBIBYTE;
const UNPACKED_BYTES = 512 * MEBIBYTE;
const MOST_ROWS = 1_000_000;
const ROWS_AT_ONCE = 500;
const UNDECODABLE = '\ufffd';

/**
 * The rows of a Parquet file, which is read whole (64 MiB at most) and unpacked some hundred rows at a time. What the file claims of
 * sizes is checked before anything is unpacked, and no page may grow beyond what it claims or 64 MiB.
 */
export async function* parquetRows(
  bytes: Buffer,
  { rowBytes }: Pick<RowLimits, 'rowBytes'>,
): AsyncGenerator<ReadRow> {
  const file: AsyncBuffer = {
    byteLength: bytes.length,
    slice: (start, end) => arrayOf(bytes.subarray(start, end)),
  };
  let row = 1;
  try {
    const metadata = await parquetMetadataAsync(file, { parsers: { stringFromBytes: decodeText } });
    const total = Number(metadata.num_rows);
    const unpacked = metadata.row_groups.reduce((sum, group) => sum + Number(group.total_byte_size), 0);
    if (!(total >= 0 && total <= MOST_ROWS))
      return yield { row, fault: `the table claims ${total} rows, more than ${MOST_ROWS}` };
    if (!(unpacked <= UNPACKED_BYTES))
      return yield { row, fault: `the table claims to unpack to ${unpacked} bytes, more than 512 MiB` };
    const claims = metadata.row_groups.some(
      ({ num_rows: rows, columns }) =>
        Number(rows) > total ||
        columns.some((column) => Number(column.meta_data?.num_values ?? 0) > 100 * MOST_ROWS),
    );
    if (claims) return yield { row, fault: 'the table claims more values than it has rows for' };
    for (let from = 0; from < total; from += ROWS_AT_ONCE) {
      const objects = await readObjects(file, metadata, from, Math.min(from + ROWS_AT_ONCE, total));
      for (const object of objects) {
        yield plainRow(object, row, rowBytes);
        row += 1;
      }
    }
    if (row - 1 !== total) yield { row, fault: `the table holds ${row - 1} rows where it claims ${total}` };
  } catch (error) {
    const why =
      error instanceof TooLarge
        ? error.message
        : 'it is damaged, cut off or packed in a way that cannot be read';
    yield { row, fault: `the table cannot be read from here on: ${why}` };
  }
}

/**
 * Some rows as objects. Columns are decoded by promises of their own; when the plan of a later column fails, the package forgets
 * those it began, and their failures would end the program. So bytes are given out only after the plan stands, or never.
 */
async function readObjects(
  file: AsyncBuffer,
  metadata: FileMetaData,
  rowStart: number,
  rowEnd: number,
): Promise<Record<string, unknown>[]> {
  let failed = false;
  const patient: AsyncBuffer = {
    byteLength: file.byteLength,
    slice: (start, end) =>
      new Promise((resolve) => {
        setImmediate(() => {
          if (!failed) resolve(file.slice(start, end));
        });
      }),
  };
  try {
    return await parquetReadObjects({
      file: patient,
      metadata,
      compressors: bounded,
      parsers: { stringFromBytes: decodeText },
      rowStart,
      rowEnd,
    });
  } catch (error) {
    failed = true;
    throw error;
  }
}

class TooLarge extends Error {}

/** A buffer's bytes as hyparquet wants them: alone in their memory. */
const arrayOf = (bytes: Buffer): ArrayBuffer =>
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;

/** Node's own decompressors take a bound for what comes out; the others are given only pages that claim a bearable size. */
const bounded: Compressors = Object.fromEntries(
  Object.entries(compressors).map(([codec, unpack]) => [
    codec,
    (input: Uint8Array, outputLength: number): Uint8Array => {
      if (outputLength > PAGE_BYTES)
        throw new TooLarge(`a page claims ${outputLength} bytes, more than 64 MiB`);
      const options = { maxOutputLength: Math.max(outputLength, 1) };
      if (codec === 'GZIP') return gunzipSync(input, options);
      if (codec === 'BROTLI') return brotliDecompressSync(input, options);
      if (codec === 'ZSTD') return zstdDecompressSync(input, options);
      return unpack(input, outputLength);
    },
  ]),
);

const decodeText = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : new TextDecoder().decode(bytes);

function plainRow(object: Record<string, unknown>, row: number, rowBytes: number): ReadRow {
  let fault: string | null = null;
  const plain = (value: unknown): unknown => {
    if (typeof value === 'bigint')
      return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
        ? Number(value)
        : String(value);
    if (typeof value === 'number' && !Number.isFinite(value))
      fault ??= `it holds ${value}, which is no number of JSON`;
    if (value instanceof Uint8Array) return new TextDecoder().decode(value);
    if (ArrayBuffer.isView(value)) return [...(value as unknown as Iterable<unknown>)].map(plain);
    if (Array.isArray(value)) return value.map(plain);
    if (value instanceof Date) return value.toISOString();
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
    return value ?? null;
  };
  const value = plain(object) as Record<string, unknown>;
  if (fault !== null) return { row, fault };
  if (!everyText(value, (text) => !text.includes(UNDECODABLE)))
    return { row, fault: 'a text in it is not UTF-8' };
  if (JSON.stringify(value).length > rowBytes)
    return { row, fault: `it is longer than ${Math.round(rowBytes / MEBIBYTE)} MiB` };
  return { row, fault: null, value, text: null, isPython: false };
}
