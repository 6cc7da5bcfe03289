import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../electron/core/index.ts';
import {
  checkManifest,
  copyInto,
  examineModel,
  licenceIn,
  listFolder,
  parseManifest,
  readSafetensorsHeader,
  scanJsonLines,
  sniff,
  type Place,
} from '../../../electron/library/index.ts';
import { seededRandom } from '../store/support/make-records.ts';

const scratch = mkdtempSync(join(tmpdir(), 'anchor-library-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const write = (name: string, content: string | Buffer): string => {
  const path = join(scratch, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
  return path;
};

describe('what a file is', () => {
  it.each<[string, Buffer, string]>([
    ['a pickle of protocol 2', Buffer.from([0x80, 2, 0x7d, 0x71, 0]), 'pickle'],
    ['a pickle of protocol 5', Buffer.from([0x80, 5, 0x95, 0, 0]), 'pickle'],
    ['a pickle of protocol 0', Buffer.from("cos\nsystem\n(S'id'\ntR."), 'pickle'],
    ['what torch.save writes', Buffer.from('PK\u0003\u0004....archive/data.pkl', 'latin1'), 'torch-archive'],
    ['another archive', Buffer.from('PK\u0003\u0004....readme.txt', 'latin1'), 'zip'],
    ['a NumPy file', Buffer.from('\u0093NUMPY\u0001\u0000', 'latin1'), 'numpy'],
    ['GGUF', Buffer.from('GGUF\u0003\u0000\u0000\u0000', 'latin1'), 'gguf'],
    ['safetensors', Buffer.concat([Buffer.from([2, 0, 0, 0, 0, 0, 0, 0]), Buffer.from('{}')]), 'safetensors'],
    ['Parquet', Buffer.from('PAR1....'), 'parquet'],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), 'gzip'],
    ['lines of JSON', Buffer.from('{"a":1}\n{"a":2}\n'), 'json-lines'],
    ['JSON over lines', Buffer.from('{\n "a": 1\n}\n'), 'json'],
    ['a table', Buffer.from('a,b\n1,2\n'), 'text'],
    ['nothing', Buffer.alloc(0), 'empty'],
    ['noise', Buffer.from([1, 2, 3, 0, 255]), 'binary'],
  ])('%s is told by its bytes', (_what, head, content) => {
    expect(sniff(head)).toBe(content);
  });
});

/** A safetensors file with these header entries and so many bytes of data. */
function safetensors(header: string, dataBytes: number): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(Buffer.byteLength(header)));
  return Buffer.concat([length, Buffer.from(header), Buffer.alloc(dataBytes)]);
}
const tensor = (shape: number[], from: number, to: number, dtype = 'F32'): object => ({
  dtype,
  shape,
  data_offsets: [from, to],
});
const SOUND = JSON.stringify({
  __metadata__: { format: 'pt' },
  a: tensor([2, 3], 0, 24),
  b: tensor([4], 24, 32, 'F16'),
});

describe('the header of a safetensors file', () => {
  it('is read when everything in it fits', () => {
    expect(readSafetensorsHeader(write('sound.safetensors', safetensors(SOUND, 32)))).toEqual({
      parameters: 10,
      tensors: 2,
      dtypes: ['F16', 'F32'],
    });
  });

  it('of moments and updates beside the weights of a checkpoint counts for no parameter', () => {
    const file = safetensors(SOUND, 32);
    for (const name of ['model.safetensors', 'optimizer.safetensors', 'updates.safetensors'])
      write(`checkpoint/${name}`, file);
    for (const name of ['config.json', 'tokenizer.json']) write(`checkpoint/${name}`, '{}');
    expect(examineModel(join(scratch, 'checkpoint'))).toMatchObject({ parameters: 10 });
  });

  it.each<[string, string, number, RegExp]>([
    [
      'a shape that takes other bytes',
      JSON.stringify({ a: tensor([2, 2], 0, 24) }),
      24,
      /does not fit its shape/,
    ],
    ['a gap', JSON.stringify({ a: tensor([1], 0, 4), b: tensor([1], 8, 12) }), 12, /follows a gap/],
    ['an overlap', JSON.stringify({ a: tensor([2], 0, 8), b: tensor([2], 4, 12) }), 12, /over another one/],
    ['something appended', JSON.stringify({ a: tensor([1], 0, 4) }), 9, /something appended/],
    [
      'a name that comes twice',
      `{"a":${JSON.stringify(tensor([1], 0, 4))},"a":${JSON.stringify(tensor([1], 0, 4))}}`,
      4,
      /"a" twice/,
    ],
    ['an unknown type', JSON.stringify({ a: tensor([1], 0, 4, 'PICKLE') }), 4, /not known/],
    ['a negative side', JSON.stringify({ a: tensor([-1], 0, 4) }), 4, /no proper shape/],
    [
      'a size beyond counting',
      JSON.stringify({ a: tensor([2 ** 40, 2 ** 40], 0, 4) }),
      4,
      /does not fit its shape/,
    ],
    ['no object', '[1,2]', 0, /not a list of tensors/],
  ])('with %s is refused', (_what, header, bytes, sentence) => {
    expect(() => readSafetensorsHeader(write('bad.safetensors', safetensors(header, bytes)))).toThrow(
      sentence,
    );
  });

  it('never crashes over bytes that were changed at random', () => {
    const random = seededRandom(7);
    const sound = safetensors(SOUND, 32);
    for (let round = 0; round < 500; round += 1) {
      const bytes = Buffer.from(sound);
      for (let change = 0; change < 1 + (round % 4); change += 1)
        bytes[Math.floor(random() * (bytes.length - 32))] = Math.floor(random() * 256);
      const file = write(
        'mutant.safetensors',
        round % 5 === 0 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes,
      );
      try {
        expect(readSafetensorsHeader(file).tensors).toBeLessThanOrEqual(2);
      } catch (error) {
        expect((error as { kind?: string }).kind).toBe('badModel');
      }
    }
  });
});

describe('a manifest', () => {
  it('is read as GNU and BSD write it', () => {
    const hash = 'ab'.repeat(32);
    expect(
      parseManifest(
        `${hash}  model.gguf\r\n${hash.toUpperCase()} *sub/b.bin\nSHA256 (c d) = ${hash}\n# note\n\n`,
      ),
    ).toEqual([
      { path: 'model.gguf', sha256: hash },
      { path: 'sub/b.bin', sha256: hash },
      { path: 'c d', sha256: hash },
    ]);
    expect(parseManifest(`\\${hash}  a\\\\b\\nc`)).toEqual([{ path: 'a\\b\nc', sha256: hash }]);
  });

  it.each([
    ['nothing', ''],
    ['another line', 'hello'],
    ['a short hash', 'abcd  file'],
    ['a way out', `${'0'.repeat(64)}  ../../etc/passwd`],
    ['an absolute path', `${'0'.repeat(64)}  /etc/passwd`],
  ])('with %s is refused with the line', (_what, text) => {
    expect(() => parseManifest(text)).toThrow(/manifest/);
  });

  it('tells same, different and missing files apart', async () => {
    write('carried/good.txt', 'good');
    write('carried/bad.txt', 'damaged');
    const entries = parseManifest(
      `${sha256Hex('good')}  good.txt\n${sha256Hex('sound')}  bad.txt\n${sha256Hex('x')}  gone.txt`,
    );
    expect(
      (await checkManifest(join(scratch, 'carried'), entries)).map(({ path, state }) => [path, state]),
    ).toEqual([
      ['good.txt', 'same'],
      ['bad.txt', 'different'],
      ['gone.txt', 'missing'],
    ]);
  });
});

describe('a copy', () => {
  it('has the hash of what was written, and its folder comes last', async () => {
    const from = write('source.bin', Buffer.alloc(3_000_000, 7));
    let seen = 0;
    const hashes = await copyInto(join(scratch, 'copied'), [{ from, name: 'deep/target.bin' }], {
      onBytes: (bytes) => {
        seen += bytes;
        expect(existsSync(join(scratch, 'copied'))).toBe(false);
      },
    });
    expect(seen).toBe(3_000_000);
    expect(hashes.get('deep/target.bin')).toBe(
      sha256Hex(readFileSync(join(scratch, 'copied/deep/target.bin'))),
    );
  });

  it('that is cancelled or fails leaves nothing, and one that is there is not written over', async () => {
    const from = write('long.bin', Buffer.alloc(4_000_000));
    const stop = new AbortController();
    await expect(
      copyInto(join(scratch, 'cancelled'), [{ from, name: 'a' }], {
        onBytes: () => stop.abort(),
        signal: stop.signal,
      }),
    ).rejects.toThrow();
    await expect(
      copyInto(join(scratch, 'failed'), [{ from: join(scratch, 'not there'), name: 'a' }]),
    ).rejects.toThrow(/There is nothing at .*not there/);
    expect(readdirSync(scratch).filter((name) => /cancelled|failed/.test(name))).toEqual([]);
    await expect(copyInto(join(scratch, 'copied'), [])).rejects.toThrow(/there already/);
  });
});

describe('lines of JSON', () => {
  it('are counted, hashed and judged in one pass; the first fault has its line', async () => {
    const text = '\ufeff{"n":1}\r\n\n{"n":2}\nnot json\n{"n":3}';
    const scan = await scanJsonLines(write('rows.jsonl', text), (row) =>
      (row as { n: number }).n > 2 ? 'it is too large' : null,
    );
    expect(scan).toEqual({
      sha256: sha256Hex(text),
      bytes: Buffer.byteLength(text),
      rows: 4,
      faults: 2,
      firstFault: { line: 4, why: 'it is not JSON' },
    });
  });

  it('may be endless without filling the memory', async () => {
    const file = write('endless.jsonl', '');
    truncateSync(file, 128 * 1024 * 1024);
    appendFileSync(file, '\n{"ok":true}\n');
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const scan = await scanJsonLines(file, () => null, {
      onBytes: () => {
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      },
    });
    expect(scan).toMatchObject({
      rows: 1,
      faults: 1,
      firstFault: { line: 1, why: 'it is longer than 4 MiB' },
    });
    // What was read and let go stays counted until it is collected: bounded, but not by the longest line alone.
    expect(most).toBeLessThan(96 * 1024 * 1024);
  });
});

describe('a licence', () => {
  it('is found as a text and as the line of a model card', () => {
    write('model/LICENSE', 'Apache License');
    write('model/README.md', '---\nlanguage: en\nlicense: apache-2.0\n---\n# A model\nlicense: not this one');
    expect(licenceIn(join(scratch, 'model'))).toEqual({
      name: 'apache-2.0',
      file: 'LICENSE',
      text: 'Apache License',
    });
    mkdirSync(join(scratch, 'bare'));
    expect(licenceIn(join(scratch, 'bare'))).toEqual({ name: null, file: null, text: null });
  });
});

describe('looking through folders', () => {
  const home = join(scratch, 'home');
  const allowed: Place[] = [{ path: home, kind: 'home' }];
  mkdirSync(join(home, 'models'), { recursive: true });
  mkdirSync(join(scratch, 'secret'));
  writeFileSync(join(home, 'b.gguf'), 'GGUF');
  writeFileSync(join(home, '.hidden'), '');
  symlinkSync(join(scratch, 'secret'), join(home, 'link'));

  it('shows names and sizes, folders first, hidden ones not', async () => {
    const listing = await listFolder(home, allowed);
    expect(listing.entries.map(({ name, isFolder, bytes }) => [name, isFolder, bytes])).toEqual([
      ['link', true, null],
      ['models', true, null],
      ['b.gguf', false, 4],
    ]);
    expect(listing.above).toBeNull();
    expect((await listFolder(join(home, 'models'), allowed)).above).toBe(home);
  });

  it.each([
    ['above', '..'],
    ['beside', '../secret'],
    ['through a link', 'link'],
    ['a sibling with the same beginning', '../home2'],
  ])('stays inside: %s is refused', async (_what, path) => {
    await expect(listFolder(join(home, path), allowed)).rejects.toThrow(/not below your home/);
  });
});
