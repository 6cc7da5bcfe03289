import { readSync } from 'node:fs';

const CHUNK_BYTES = 1024 * 1024;
const MAX_STRING_BYTES = 1024n * 1024n;

/** Says what is wrong with a file, as the middle part of a sentence. */
export class MalformedFile extends Error {}

/** Reads little-endian values forwards through a file, a chunk at a time: a header has megabytes, a model gigabytes. */
export class ByteReader {
  readonly size: number;
  readonly #descriptor: number;
  #chunk = Buffer.alloc(0);
  #chunkStart = 0;
  #position = 0;

  constructor(descriptor: number, size: number) {
    this.#descriptor = descriptor;
    this.size = size;
  }

  get position(): number {
    return this.#position;
  }

  /** Bytes of the file not read yet. */
  get left(): number {
    return this.size - this.#position;
  }

  bytes(count: number): Buffer {
    if (count > this.left)
      throw new MalformedFile(`it ends in the middle of its header (byte ${this.size}); it is cut off`);
    if (this.#position + count > this.#chunkStart + this.#chunk.length) this.#fill(count);
    const from = this.#position - this.#chunkStart;
    this.#position += count;
    return this.#chunk.subarray(from, from + count);
  }

  skip(count: number): void {
    if (count > this.left) this.bytes(count);
    this.#position += count;
  }

  u8(): number {
    return this.bytes(1).readUInt8();
  }
  i8(): number {
    return this.bytes(1).readInt8();
  }
  u16(): number {
    return this.bytes(2).readUInt16LE();
  }
  i16(): number {
    return this.bytes(2).readInt16LE();
  }
  u32(): number {
    return this.bytes(4).readUInt32LE();
  }
  i32(): number {
    return this.bytes(4).readInt32LE();
  }
  f32(): number {
    return this.bytes(4).readFloatLE();
  }
  u64(): bigint {
    return this.bytes(8).readBigUInt64LE();
  }
  i64(): bigint {
    return this.bytes(8).readBigInt64LE();
  }
  f64(): number {
    return this.bytes(8).readDoubleLE();
  }

  /** Length in bytes of the string that follows. */
  stringLength(what: string): number {
    const length = this.u64();
    if (length > MAX_STRING_BYTES) throw new MalformedFile(`${what} claims to be ${length} bytes long`);
    return Number(length);
  }

  string(what: string): string {
    const length = this.stringLength(what);
    return this.bytes(length).toString('utf8');
  }

  #fill(count: number): void {
    const wanted = Math.min(this.left, Math.max(CHUNK_BYTES, count));
    const chunk = Buffer.alloc(wanted);
    let filled = 0;
    while (filled < wanted) {
      const read = readSync(this.#descriptor, chunk, filled, wanted - filled, this.#position + filled);
      if (read === 0) throw new MalformedFile('it became shorter while it was read');
      filled += read;
    }
    this.#chunk = chunk;
    this.#chunkStart = this.#position;
  }
}

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
