import { gzipSync } from 'node:zlib';
import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { Failure } from '../../../../electron/contract/index.ts';
import { scanJson } from '../../../../electron/evaluation/datasets/rows/json.ts';
import { readRows, type Format } from '../../../../electron/evaluation/datasets/rows/read-rows.ts';
import { makeParquet } from './makers/parquet-maker.ts';
import { HARMBENCH_HEADER, lines, rowsOfKind } from './support.ts';

vi.setConfig({ testTimeout: 300_000 });

/** Numbers that look random and are the same in every run (xorshift). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return Math.abs(state) % below;
  };
}

const BYTES = [
  0, 9, 10, 13, 0x22, 0x27, 0x2c, 0x2d, 0x3a, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d, 0x80, 0xc3, 0xed, 0xff,
];

/** One to four places overwritten, left out, doubled or cut off. */
function mutant(original: Buffer, next: (below: number) => number): Buffer {
  let bytes = Buffer.from(original);
  for (let changes = 1 + next(4); changes > 0 && bytes.length > 0; changes -= 1) {
    const at = next(bytes.length);
    const length = 1 + next(9);
    switch (next(5)) {
      case 0:
        bytes[at] = BYTES[next(BYTES.length)]!;
        break;
      case 1:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
        break;
      case 2:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at, at + length), bytes.subarray(at)]);
        break;
      case 3:
        bytes = bytes.subarray(0, at);
        break;
      default:
        bytes = Buffer.concat([
          bytes.subarray(0, at),
          Buffer.from([BYTES[next(BYTES.length)]!]),
          bytes.subarray(at),
        ]);
    }
  }
  return bytes;
}

const MATH = Buffer.from(
  lines(
    [1, 2, 3].map((id) => ({
      ...rowsOfKind.math500(id),
      more: [1.5, -2e3, null, true, { deep: ['ü', '\\', '"'] }],
    })),
  ),
);
const LIST = Buffer.from(
  JSON.stringify(
    [1, 2, 3].map((id) => rowsOfKind.salad(id)),
    null,
    1,
  ),
);
const TABLE = Buffer.from(
  `${HARMBENCH_HEADER}\r\n"a ""b"",\nc",standard,x,,,one\r\nd,contextual,x,context,"e\nf",two\r\n`,
);
const PARQUET = makeParquet(
  [
    { name: 'a', values: ['one', 'two', 'three'] },
    { name: 'b', doubles: [1, 2, 3] },
  ],
  { codec: 'GZIP' },
);
const COUNT = 600;

describe('damaged bytes', () => {
  it.each<[string, Format, Buffer]>([
    ['lines', 'lines', MATH],
    ['packed lines', 'lines', gzipSync(MATH)],
    ['a list', 'list', LIST],
    ['a table', 'csv', TABLE],
    ['a table without a header', 'bare-csv', TABLE],
    ['a document', 'document', LIST.subarray(2, -2)],
    ['Parquet', 'parquet', PARQUET],
  ])(`of ${'%s'} give rows, refused rows or a sentence, ${COUNT} times`, async (_what, format, original) => {
    const next = numbers(20261121);
    const seen = { rows: 0, refused: 0, sentences: 0 };
    for (let count = 0; count < COUNT; count += 1) {
      const bytes = mutant(original, next);
      const file = {
        name: 'damaged',
        bytes: bytes.length,
        path: null,
        open: () => Promise.resolve(Readable.from([bytes], { objectMode: false })),
      };
      try {
        for await (const row of readRows(file, format, {
          dialect: count % 2 === 0 ? 'strict' : 'python',
          rowBytes: 4096,
        })) {
          if (row.fault !== null) seen.refused += 1;
          else seen.rows += 1;
          expect(row.row).toBeGreaterThan(0);
          // What is kept as strict JSON is strict JSON, on one line.
          if (row.fault === null && row.text !== null && !row.isPython)
            expect([JSON.parse(row.text), row.text.includes('\n')]).toEqual([row.value, false]);
        }
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        seen.sentences += 1;
      }
    }
    expect(seen.rows + seen.refused + seen.sentences).toBeGreaterThanOrEqual(COUNT / 2);
    expect(seen.refused + seen.sentences).toBeGreaterThan(COUNT / 20);
  });
});

describe('the look for repeated keys', () => {
  it('finds in random objects what was put in twice, and nothing else', () => {
    const next = numbers(7);
    const key = (): string => JSON.stringify(['a', 'b"', 'c\\', 'ü', '{', ',', 'a:b', ''][next(8)]);
    const made = { repeated: false };
    const value = (depth: number): string => {
      switch (next(depth > 3 ? 3 : 6)) {
        case 0:
          return String(next(1000) / 8);
        case 1:
          return key();
        case 2:
          return 'null';
        case 3:
          return `[${Array.from({ length: next(4) }, () => value(depth + 1)).join(', ')}]`;
        default: {
          const keys = Array.from({ length: next(4) }, key);
          made.repeated ||= new Set(keys).size < keys.length;
          return `{${keys.map((name) => `${name} : ${value(depth + 1)}`).join(',')}}`;
        }
      }
    };
    let repeated = 0;
    for (let count = 0; count < 3000; count += 1) {
      made.repeated = false;
      const text = `{"top":${value(0)}}`;
      JSON.parse(text);
      expect(scanJson(Buffer.from(text)).repeated !== null, text).toBe(made.repeated);
      if (made.repeated) repeated += 1;
    }
    expect(repeated).toBeGreaterThan(200);
  });
});
