import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cacheBytesPerToken, readGgufHeader } from '../../../electron/processes/index.ts';
import { scratch } from './support.ts';

const folder = scratch();

/** Bytes of a hand-made file: one metadata entry per item, then tensors, then `data` bytes of zeros. */
function file(metadata: Buffer[], tensors: Buffer[], data = 256): Buffer {
  const header = Buffer.concat([
    Buffer.from('GGUF'),
    u32(3),
    u64(tensors.length),
    u64(metadata.length),
    ...metadata,
    ...tensors,
  ]);
  const padding = Buffer.alloc((32 - (header.length % 32)) % 32);
  return Buffer.concat([header, padding, Buffer.alloc(data)]);
}

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const u64 = (value: number | bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
const text = (value: string): Buffer => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
const entry = (key: string, type: number, value: Buffer): Buffer =>
  Buffer.concat([text(key), u32(type), value]);
const architecture = entry('general.architecture', 8, text('qwen2'));
const tensor = (name: string, shape: (number | bigint)[], type: number, offset: number): Buffer =>
  Buffer.concat([text(name), u32(shape.length), ...shape.map(u64), u32(type), u64(offset)]);
const list = (type: number, items: Buffer[]): Buffer =>
  Buffer.concat([u32(type), u64(items.length), ...items]);
const GOOD = tensor('a', [8], 0, 0);

/** What a real header has: texts, numbers, a vocabulary, several tensors of several types. */
const intact = file(
  [
    architecture,
    entry('general.name', 8, text('hand-made')),
    entry('qwen2.context_length', 4, u32(512)),
    entry('tokenizer.chat_template', 8, text("{{'<|im_start|>'}}")),
    entry('tokenizer.ggml.add_bos_token', 7, Buffer.from([0])),
    entry(
      'tokenizer.ggml.tokens',
      9,
      list(
        8,
        Array.from({ length: 300 }, (_, token) => text(`token ${token}`)),
      ),
    ),
    entry(
      'tokenizer.ggml.token_type',
      9,
      list(
        5,
        Array.from({ length: 300 }, () => u32(1)),
      ),
    ),
  ],
  [
    tensor('token_embd.weight', [64, 300], 1, 0),
    tensor('norm.weight', [64], 0, 38_400),
    tensor('out.weight', [64, 2], 8, 38_656),
  ],
  38_656 + 136,
);
const intactPath = join(folder, 'intact.gguf');
writeFileSync(intactPath, intact);

function fault(bytes: Buffer): string {
  const path = join(folder, 'mutant.gguf');
  writeFileSync(path, bytes);
  try {
    readGgufHeader(path);
  } catch (error) {
    expect(error).toMatchObject({ name: 'ProcessFailure', kind: 'badModel', exitCode: 1 });
    return (error as Error).message;
  }
  return 'no fault';
}

function patched(at: number, bytes: Buffer): Buffer {
  const copy = Buffer.from(intact);
  bytes.copy(copy, at);
  return copy;
}

describe('an intact file', () => {
  it('tells architecture, size, context length and chat template', () => {
    expect(readGgufHeader(intactPath)).toMatchObject({
      version: 3,
      architecture: 'qwen2',
      name: 'hand-made',
      contextLength: 512,
      sizeBytes: intact.length,
      tensors: 3,
      parameters: 64 * 300 + 64 + 128,
      chatTemplate: "{{'<|im_start|>'}}",
      dataOffset: intact.length - 38_656 - 136,
    });
  });

  it('may be made by hand: one tensor, one entry', () => {
    expect(fault(file([architecture], [GOOD]))).toBe('no fault');
  });
});

describe('a damaged file is one sentence', () => {
  it.each<[string, () => Buffer, RegExp]>([
    ['an empty file', () => Buffer.alloc(0), /has 0 bytes and is too short/],
    [
      'another kind of file',
      () => patched(0, Buffer.from('PK\u0003\u0004')),
      /does not begin with the GGUF mark/,
    ],
    ['version 1', () => patched(4, u32(1)), /GGUF version 1, and only versions 2 and 3/],
    ['a big-endian file', () => patched(4, Buffer.from([0, 0, 0, 3])), /big-endian/],
    ['a huge tensor count', () => patched(8, u64(2n ** 63n)), /claims 9223372036854775808 tensors/],
    ['no tensors', () => patched(8, u64(0)), /holds no tensors/],
    ['a huge metadata count', () => patched(16, u64(2n ** 40n)), /claims 1099511627776 metadata entries/],
    [
      'one metadata entry too many',
      () => patched(16, u64(intact.readBigUInt64LE(16) + 1n)),
      /is not a usable GGUF model/,
    ],
    [
      'a string longer than the limit',
      () => patched(24, u64(2n ** 62n)),
      /claims to be 4611686018427387904 bytes long/,
    ],
    ['a string longer than the file', () => patched(24, u64(1_000_000)), /ends in the middle of its header/],
    [
      'a cut inside the metadata',
      () => intact.subarray(0, 4000),
      /ends in the middle of its header \(byte 4000\); it is cut off/,
    ],
    [
      'a cut inside the tensor data',
      () => intact.subarray(0, intact.length - 100),
      /would end at byte \d+ of \d+; the file is cut off or damaged/,
    ],
    ['an unknown value type', () => file([entry('x', 13, u32(0))], [GOOD]), /"x" has the unknown type 13/],
    [
      'a list of an unknown type',
      () => file([entry('x', 9, Buffer.concat([u32(99), u64(1)]))], [GOOD]),
      /list of the unknown type 99/,
    ],
    [
      'a list longer than the file',
      () => file([entry('x', 9, Buffer.concat([u32(4), u64(2n ** 61n)]))], [GOOD]),
      /claims 2305843009213693952 items/,
    ],
    [
      'lists nested for ever',
      () =>
        file(
          [entry('x', 9, Buffer.concat(Array.from({ length: 9 }, () => Buffer.concat([u32(9), u64(1)]))))],
          [GOOD],
        ),
      /nested too deep/,
    ],
    ['a yes-or-no of 7', () => file([entry('x', 7, Buffer.from([7]))], [GOOD]), /has the value 7/],
    [
      'an entry twice',
      () => file([architecture, architecture], [GOOD]),
      /"general.architecture" appears twice/,
    ],
    ['no architecture', () => file([], [GOOD]), /does not say its architecture/],
    [
      'an alignment of 33',
      () => file([architecture, entry('general.alignment', 4, u32(33))], [GOOD]),
      /alignment 33 is not a power of two/,
    ],
    ['a tensor without dimensions', () => file([architecture], [tensor('a', [], 0, 0)]), /has 0 dimensions/],
    [
      'a tensor of 9 dimensions',
      () => file([architecture], [tensor('a', Array(9).fill(1) as number[], 0, 0)]),
      /has 9 dimensions/,
    ],
    [
      'a shape that overflows 64 bits',
      () => file([architecture], [tensor('a', [2n ** 33n, 2n ** 33n], 0, 0)]),
      /claims the shape 8589934592 × 8589934592/,
    ],
    [
      'a shape with a zero',
      () => file([architecture], [tensor('a', [8, 0], 0, 0)]),
      /claims the shape 8 × 0/,
    ],
    [
      'an unknown tensor type',
      () => file([architecture], [tensor('a', [8], 77, 0)]),
      /"a" has the unknown type 77/,
    ],
    [
      'rows that do not fit the blocks',
      () => file([architecture], [tensor('a', [33], 8, 0)]),
      /do not divide into blocks of 32/,
    ],
    [
      'an unaligned tensor',
      () => file([architecture], [tensor('a', [8], 0, 4)]),
      /begins at an unaligned place/,
    ],
    [
      'a tensor outside the file',
      () => file([architecture], [tensor('a', [8], 0, 2 ** 40)]),
      /"a" would end at byte/,
    ],
    [
      'tensors that overlap',
      () => file([architecture], [tensor('a', [16], 0, 0), tensor('b', [16], 0, 32)]),
      /"b" lies over another one/,
    ],
    ['a tensor twice', () => file([architecture], [GOOD, GOOD]), /the tensor "a" appears twice/],
    [
      'a tensor name of 100 bytes',
      () => file([architecture], [tensor('a'.repeat(100), [8], 0, 0)]),
      /tensor 0 has an impossible name/,
    ],
  ])('%s', (_what, bytes, sentence) => {
    const message = fault(bytes());
    expect(message).toMatch(sentence);
    expect(message).toMatch(
      /^mutant\.gguf is not a usable GGUF model: .*\. Copy the file again from its source/,
    );
  });

  it('a missing file and a folder', () => {
    expect(() => readGgufHeader(join(folder, 'none.gguf'))).toThrow(/it does not exist/);
    expect(() => readGgufHeader(folder)).toThrow(/it is not a file/);
  });

  it('whatever bits are turned, reading ends at once with a header or a sentence', () => {
    const headerBytes = readGgufHeader(intactPath).dataOffset;
    const path = join(folder, 'flipped.gguf');
    writeFileSync(path, intact);
    const descriptor = openSync(path, 'r+');
    let faults = 0;
    let slowest = 0;
    for (let round = 0; round < 5000; round++) {
      const copy = Buffer.from(intact.subarray(0, headerBytes));
      // A fixed walk over the header: every run turns the same bits.
      for (let flip = 0; flip < 3; flip++) {
        const at = (round * 7919 + flip * 104_729) % headerBytes;
        copy.writeUInt8(copy.readUInt8(at) ^ (1 << ((round + flip) % 8)), at);
      }
      writeSync(descriptor, copy, 0, headerBytes, 0);
      const started = performance.now();
      try {
        readGgufHeader(path);
      } catch (error) {
        expect(error).toMatchObject({ kind: 'badModel' });
        faults++;
      }
      slowest = Math.max(slowest, performance.now() - started);
    }
    closeSync(descriptor);
    expect(faults).toBeGreaterThan(1000);
    expect(slowest).toBeLessThan(2000);
  });
});

describe('keys and values of a token', () => {
  const facts = (entries: Record<string, number>) => ({
    architecture: 'qwen2',
    metadata: new Map(Object.entries(entries).map(([key, value]) => [`qwen2.${key}`, value])),
  });
  // Qwen2.5-Coder-1.5B: 28 layers, 2 key heads of 128 numbers.
  const qwen = {
    block_count: 28,
    embedding_length: 1536,
    'attention.head_count': 12,
    'attention.head_count_kv': 2,
  };

  it('take two bytes a number, over all layers and key heads', () => {
    expect(cacheBytesPerToken(facts(qwen))).toBe(28 * 2 * (128 + 128) * 2);
    expect(cacheBytesPerToken(facts({ ...qwen, 'attention.key_length': 256 }))).toBe(
      28 * 2 * (256 + 128) * 2,
    );
  });

  it('are as many as heads where no key heads are told, and unknown without layers', () => {
    const { 'attention.head_count_kv': _heads, ...plain } = qwen;
    expect(cacheBytesPerToken(facts(plain))).toBe(28 * 12 * 256 * 2);
    expect(cacheBytesPerToken(facts({ 'attention.head_count': 12 }))).toBeNull();
  });
});
