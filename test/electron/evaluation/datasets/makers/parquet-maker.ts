import { gzipSync, zstdCompressSync } from 'node:zlib';

/** Numbers and structures of Thrift's compact protocol, as far as a Parquet file needs them. */
const varint = (value: bigint): number[] =>
  value < 0x80n ? [Number(value)] : [Number(value & 0x7fn) | 0x80, ...varint(value >> 7n)];
const zigzag = (value: number | bigint): number[] =>
  varint(BigInt(value) >= 0n ? BigInt(value) * 2n : BigInt(value) * -2n - 1n);
type Field = { id: number; type: number; bytes: number[] };
const i32 = (id: number, value: number): Field => ({ id, type: 5, bytes: zigzag(value) });
const i64 = (id: number, value: number | bigint): Field => ({ id, type: 6, bytes: zigzag(value) });
const binary = (text: string): number[] => [...varint(BigInt(Buffer.byteLength(text))), ...Buffer.from(text)];
const text = (id: number, value: string): Field => ({ id, type: 8, bytes: binary(value) });
const struct = (id: number, fields: Field[]): Field => ({ id, type: 12, bytes: body(fields) });
const list = (id: number, type: number, items: number[][]): Field => ({
  id,
  type: 9,
  bytes: [
    ...(items.length < 15 ? [(items.length << 4) | type] : [0xf0 | type, ...varint(BigInt(items.length))]),
    ...items.flat(),
  ],
});
function body(fields: Field[]): number[] {
  let last = 0;
  const out: number[] = [];
  for (const { id, type, bytes } of fields) {
    out.push(((id - last) << 4) | type, ...bytes);
    last = id;
  }
  return [...out, 0];
}

const CODECS = { UNCOMPRESSED: 0, GZIP: 2, ZSTD: 6 } as const;
export type ParquetClaims = {
  rows?: number;
  values?: number;
  unpacked?: number;
  page?: number;
  codec?: keyof typeof CODECS;
};
type Column = { name: string; values: (string | Buffer)[] } | { name: string; doubles: number[] };

/** A Parquet file with one row group and one plain page a column; claims may differ from the truth. */
export function makeParquet(
  columns: Column[],
  { rows, values: claimed, unpacked, page, codec = 'UNCOMPRESSED' }: ParquetClaims = {},
): Buffer {
  const parts: Buffer[] = [Buffer.from('PAR1')];
  let at = 4;
  const count = Math.max(
    ...columns.map((column) => ('values' in column ? column.values : column.doubles).length),
  );
  const chunks = columns.map((column) => {
    const data =
      'values' in column
        ? Buffer.concat(
            column.values.flatMap((value) => {
              const bytes = Buffer.from(value);
              const length = Buffer.alloc(4);
              length.writeUInt32LE(bytes.length);
              return [length, bytes];
            }),
          )
        : Buffer.from(Float64Array.from(column.doubles).buffer);
    const packed = codec === 'GZIP' ? gzipSync(data) : codec === 'ZSTD' ? zstdCompressSync(data) : data;
    const header = Buffer.from(
      body([
        i32(1, 0),
        i32(2, page ?? data.length),
        i32(3, packed.length),
        struct(5, [i32(1, claimed ?? count), i32(2, 0), i32(3, 3), i32(4, 3)]),
      ]),
    );
    const offset = at;
    parts.push(header, packed);
    at += header.length + packed.length;
    const meta = struct(3, [
      i32(1, 'values' in column ? 6 : 5),
      list(2, 5, [zigzag(0)]),
      list(3, 8, [binary(column.name)]),
      i32(4, CODECS[codec]),
      i64(5, claimed ?? count),
      i64(6, unpacked ?? header.length + data.length),
      i64(7, header.length + packed.length),
      i64(9, offset),
    ]);
    return body([i64(2, offset), meta]);
  });
  const schema = [
    body([text(4, 'schema'), i32(5, columns.length)]),
    ...columns.map((column) =>
      body([
        i32(1, 'values' in column ? 6 : 5),
        i32(3, 0),
        text(4, column.name),
        ...('values' in column ? [i32(6, 0)] : []),
      ]),
    ),
  ];
  const group = body([list(1, 12, chunks), i64(2, unpacked ?? at - 4), i64(3, rows ?? count)]);
  const footer = Buffer.from(
    body([i32(1, 1), list(2, 12, schema), i64(3, rows ?? count), list(4, 12, [group])]),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([...parts, footer, length, Buffer.from('PAR1')]);
}
