import { type ByteReader, MalformedFile } from './byte-reader.ts';

export type Scalar = string | number | bigint | boolean;

const STRING = 8;
const ARRAY = 9;
const MAX_KEY_BYTES = 65_535;
const MAX_NESTED_ARRAYS = 4;

/** Value types of the GGUF specification, without string (8) and array (9). */
const SCALARS = new Map<number, { bytes: number; read(reader: ByteReader): Scalar }>([
  [0, { bytes: 1, read: (reader) => reader.u8() }],
  [1, { bytes: 1, read: (reader) => reader.i8() }],
  [2, { bytes: 2, read: (reader) => reader.u16() }],
  [3, { bytes: 2, read: (reader) => reader.i16() }],
  [4, { bytes: 4, read: (reader) => reader.u32() }],
  [5, { bytes: 4, read: (reader) => reader.i32() }],
  [6, { bytes: 4, read: (reader) => reader.f32() }],
  [7, { bytes: 1, read: readBoolean }],
  [10, { bytes: 8, read: (reader) => reader.u64() }],
  [11, { bytes: 8, read: (reader) => reader.i64() }],
  [12, { bytes: 8, read: (reader) => reader.f64() }],
]);

/** Reads all entries and keeps those that are no list; lists (the vocabulary) are checked and passed over. */
export function readMetadata(reader: ByteReader, count: number): Map<string, Scalar> {
  const metadata = new Map<string, Scalar>();
  const seen = new Set<string>();
  for (let index = 0; index < count; index++) {
    const key = reader.string(`the name of metadata entry ${index}`);
    if (key === '' || key.length > MAX_KEY_BYTES)
      throw new MalformedFile(`metadata entry ${index} has an impossible name`);
    if (seen.has(key)) throw new MalformedFile(`the metadata entry "${key}" appears twice`);
    seen.add(key);
    const type = reader.u32();
    const where = `the metadata entry "${key.slice(0, 80)}"`;
    if (type === ARRAY) skipArray(reader, where, 0);
    else metadata.set(key, readScalar(reader, type, where));
  }
  return metadata;
}

function readScalar(reader: ByteReader, type: number, where: string): Scalar {
  if (type === STRING) return reader.string(where);
  const scalar = SCALARS.get(type);
  if (!scalar) throw new MalformedFile(`${where} has the unknown type ${type}`);
  return scalar.read(reader);
}

function skipArray(reader: ByteReader, where: string, depth: number): void {
  if (depth >= MAX_NESTED_ARRAYS) throw new MalformedFile(`${where} has lists nested too deep`);
  const type = reader.u32();
  const count = reader.u64();
  const scalar = SCALARS.get(type);
  // The smallest string or list takes 8 bytes for its length.
  const least = BigInt(scalar?.bytes ?? 8);
  if (!scalar && type !== STRING && type !== ARRAY)
    throw new MalformedFile(`${where} is a list of the unknown type ${type}`);
  if (count * least > BigInt(reader.left))
    throw new MalformedFile(`${where} claims ${count} items, more than the file can hold`);
  if (scalar) return reader.skip(Number(count) * scalar.bytes);
  for (let index = 0; index < Number(count); index++) {
    if (type === STRING) reader.skip(reader.stringLength(where));
    else skipArray(reader, where, depth + 1);
  }
}

function readBoolean(reader: ByteReader): boolean {
  const value = reader.u8();
  if (value > 1) throw new MalformedFile(`a yes-or-no entry of its metadata has the value ${value}`);
  return value === 1;
}
