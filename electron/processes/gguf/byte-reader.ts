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
