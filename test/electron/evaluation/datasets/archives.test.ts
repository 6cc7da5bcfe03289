import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { datasets } from '../../../../electron/evaluation/index.ts';
import { bring, lines, refusal, rowsOfKind, scratch } from './support.ts';
import { makeZip, type Entry } from './makers/zip-maker.ts';

const place = scratch();
afterAll(place.remove);

const ROWS = Buffer.from(lines([rowsOfKind.math500(1), rowsOfKind.math500(2)]));
const good: Entry = { name: 'math500/test.jsonl', content: ROWS };
const zeros = Buffer.alloc(64 << 20);

describe('an archive', () => {
  it('of a test set is imported like its folder', async () => {
    const folder = place.put('as-folder/math500/test.jsonl', ROWS);
    const [zipped, plain] = [
      await bring(
        place.put(
          'set.zip',
          makeZip([{ name: 'math500/', content: Buffer.alloc(0), stored: true, mode: 0o040755 }, good]),
        ),
        place.folder,
      ),
      await bring(folder, place.folder),
    ];
    expect(zipped.written.sha256).toBe(plain.written.sha256);
    expect(zipped.written.sources).toMatchObject([
      { name: 'math500/test.jsonl', rows: 2, bytes: ROWS.length },
    ]);
  });
  it('may hold packed files, stored files, names of other alphabets and files that are no sets', async () => {
    const path = place.put(
      'mixed.zip',
      makeZip([
        { ...good, stored: true },
        {
          name: 'übung/aime24.jsonl.gz',
          content: gzipSync(lines([{ id: 60, problem: 'p', answer: '025' }])),
        },
        { name: 'README.md', content: Buffer.from('words') },
      ]),
    );
    const look = await datasets.lookForDatasets(path);
    expect(look.sets.map(({ key }) => key)).toEqual([
      'math500-set:math500/test.jsonl',
      'aime24-set:übung/aime24.jsonl.gz',
    ]);
    expect(look.ignored).toEqual([
      { name: 'README.md', why: expect.stringContaining('holds no rows') as string },
    ]);
    expect(look.refused).toBeNull();
  });

  const bad: [string, Entry[] | Buffer, RegExp][] = [
    ['a name that climbs out', [good, { name: '../evil.jsonl', content: ROWS }], /leads out of the archive/],
    [
      'a name that climbs out further in',
      [{ name: 'a/../../evil.jsonl', content: ROWS }],
      /leads out of the archive/,
    ],
    [
      'a name that climbs out behind a backslash',
      [{ name: '..\\evil.jsonl', content: ROWS }],
      /out of the archive|backslash/,
    ],
    ['an absolute name', [{ name: '/etc/evil.jsonl', content: ROWS }], /out of the archive|not below/],
    ['a drive letter', [{ name: 'C:/evil.jsonl', content: ROWS }], /out of the archive|not below/],
    [
      'a network path',
      [{ name: '\\\\server\\share\\evil.jsonl', content: ROWS }],
      /out of the archive|backslash|not below/,
    ],
    ['a hidden stream', [{ name: 'a.jsonl:evil', content: ROWS }], /colon/],
    ['a single dot', [{ name: './a.jsonl', content: ROWS }], /leads out/],
    ['an empty part', [{ name: 'a//b.jsonl', content: ROWS }], /leads out/],
    ['a line break in a name', [{ name: 'a\nb.jsonl', content: ROWS }], /control character/],
    ['a zero byte in a name', [{ name: 'a\0b.jsonl', content: ROWS }], /control character/],
    ['an escape sequence in a name', [{ name: 'a\u001b[2Jb.jsonl', content: ROWS }], /control character/],
    ['a device', [{ name: 'CON.jsonl', content: ROWS }], /device/],
    ['a device in a folder', [{ name: 'data/lpt1/test.jsonl', content: ROWS }], /device/],
    ['a name that ends in a dot', [{ name: 'a.jsonl.', content: ROWS }], /dot or a space/],
    ['a name that ends in a space', [{ name: 'folder /a.jsonl', content: ROWS }], /dot or a space/],
    ['a very deep name', [{ name: `${'a/'.repeat(20)}b.jsonl`, content: ROWS }], /folders deep/],
    ['a very long name', [{ name: `${'a'.repeat(1100)}.jsonl`, content: ROWS }], /longer than 1024/],
    ['an empty name', [{ name: '', content: ROWS }], /empty/],
    ['two entries of one name', [good, good], /same name/],
    ['two names that differ in case', [good, { name: 'Math500/TEST.jsonl', content: ROWS }], /same name/],
    [
      'two names that are composed differently',
      [
        { name: 'caf\u00e9.jsonl', content: ROWS },
        { name: 'cafe\u0301.jsonl', content: ROWS },
      ],
      /same name/,
    ],
    [
      'a link',
      [{ name: 'link.jsonl', content: Buffer.from('/etc/passwd'), mode: 0o120777 }],
      /link or a device/,
    ],
    ['a device file', [{ name: 'null.jsonl', mode: 0o020666 }], /link or a device/],
    ['a pipe', [{ name: 'pipe.jsonl', mode: 0o010666 }], /link or a device/],
    [
      'a folder that is said to be a file',
      [{ name: 'folder/', content: Buffer.alloc(0), stored: true, mode: 0o100644 }],
      /link or a device/,
    ],
    ['a folder with data', [{ name: 'folder/', content: ROWS, mode: 0 }], /folder that holds data/],
    ['an encrypted entry', [{ ...good, flags: 0x801 }], /encrypted/],
    ['another way of packing', [{ ...good, method: 99 }], /method 99/],
    ['a bomb', [{ name: 'math500/test.jsonl', content: zeros }], /hundred times/],
    [
      'many entries that are a bomb together',
      Array.from({ length: 40 }, (_, index) => ({
        name: `${index}.jsonl`,
        content: zeros.subarray(0, 2 << 20),
      })),
      /hundred times/,
    ],
    [
      'more than it may unpack to',
      [{ ...good, claims: { uncompressed: 0xfffffff0, compressed: 0xfffffff0 } }],
      /refused|damaged/,
    ],
    ['a size that is too small', [{ ...good, claims: { uncompressed: 10 } }], /header says something else/],
    [
      'a size that is too small in both headers',
      [{ ...good, claims: { uncompressed: 10 }, local: { uncompressed: 10 } }],
      /not as large as it claims/,
    ],
    [
      'a size that is too large in both headers',
      [{ ...good, claims: { uncompressed: ROWS.length + 9 }, local: { uncompressed: ROWS.length + 9 } }],
      /not as large as it claims/,
    ],
    [
      'another name in the entry',
      [{ ...good, local: { name: 'math500/test.jsonX' } }],
      /header says something else/,
    ],
    ['another method in the entry', [{ ...good, local: { method: 0 } }], /header says something else/],
    ['a wrong checksum', [{ ...good, claims: { crc: 1 } }], /checksum/],
    [
      'entries that share their bytes',
      [
        { name: 'a.jsonl', content: ROWS },
        { name: 'a.jsonk', content: ROWS, claims: { offset: 0 }, local: {} },
      ],
      /another entry|header says/,
    ],
    [
      'a stored entry with two sizes',
      [{ ...good, stored: true, claims: { uncompressed: 5 } }],
      /two sizes|damaged/,
    ],
    ['an archive within', [{ name: 'inner.zip', content: makeZip([good]), stored: true }], /archive within/],
    ['nothing', makeZip([]), /no file/],
    ['a count that is too large', makeZip([good], { count: 9 }), /damaged/],
    ['more entries than are read', makeZip([good], { count: 20_000 }), /20000 entries/],
    ['a cut-off end', makeZip([good]).subarray(0, -30), /damaged/],
    ['only its first bytes', Buffer.from('PK\u0003\u0004'), /damaged/],
    [
      'damaged packed bytes',
      (() => {
        const bytes = makeZip([good]);
        bytes.fill(0xff, 60, 90);
        return bytes;
      })(),
      /damaged/,
    ],
  ];
  it.each(bad)('with %s is refused', async (_what, entries, reason) => {
    const { faults, sentence } = await refusal(
      place.put('bad.zip', Buffer.isBuffer(entries) ? entries : makeZip(entries)),
      place.folder,
    );
    expect(faults).toEqual([]);
    expect(sentence).toMatch(reason);
  });
  it('with a pickle among its files gives the others', async () => {
    const path = place.put(
      'with-pickle.zip',
      makeZip([{ name: 'hashes/a.pkl', content: Buffer.from([0x80, 4, 0x95, 1, 0]), stored: true }, good]),
    );
    const look = await datasets.lookForDatasets(path);
    expect(look.sets).toHaveLength(1);
    expect(look.ignored).toEqual([
      { name: 'hashes/a.pkl', why: expect.stringContaining('pickle') as string },
    ]);
  });
  it('is tried with more than forty kinds of harm', () => {
    expect(bad.length).toBeGreaterThan(40);
  });
});

describe('a packed file', () => {
  it('is known by its first bytes, whatever it is called, in several members', async () => {
    const half = ROWS.indexOf(10) + 1;
    const { items } = await bring(
      place.put(
        'math500.jsonl',
        Buffer.concat([gzipSync(ROWS.subarray(0, half)), gzipSync(ROWS.subarray(half))]),
      ),
      place.folder,
    );
    expect(items).toHaveLength(2);
  });
  it.each<[string, Buffer, RegExp]>([
    ['that is a bomb', gzipSync(zeros), /hundred times/],
    ['that is cut off', gzipSync(ROWS).subarray(0, -12), /damaged or cut-off gzip/],
    [
      'that is damaged',
      (() => {
        const bytes = gzipSync(ROWS);
        bytes.fill(0xff, 20, 40);
        return bytes;
      })(),
      /damaged or cut-off gzip/,
    ],
    [
      'that is followed by something else',
      Buffer.concat([gzipSync(ROWS), Buffer.from('trailing words')]),
      /damaged or cut-off gzip/,
    ],
    ['that is packed twice', gzipSync(gzipSync(ROWS)), /packed twice/],
    ['that holds a pickle', gzipSync(Buffer.from([0x80, 4, 0x95, 1, 0])), /pickle/],
  ])('%s is refused', async (_what, bytes, reason) => {
    expect((await refusal(place.put('bad.jsonl.gz', bytes), place.folder)).sentence).toMatch(reason);
  });
});

describe('a folder', () => {
  it('is searched without following links, and every other file is named with the reason', async () => {
    const own = scratch();
    own.put('deep/er/math500.jsonl', ROWS);
    own.put('weights.jsonl', Buffer.from([0x80, 2, 0x7d, 0x71, 0, 0x2e]));
    own.put('empty.csv', '');
    symlinkSync('/etc/passwd', join(own.folder, 'linked.jsonl'));
    const look = await datasets.lookForDatasets(own.folder);
    own.remove();
    expect(look.sets.map(({ key }) => key)).toEqual(['math500-set:deep/er/math500.jsonl']);
    expect(look.ignored).toEqual(
      expect.arrayContaining([
        { name: 'linked.jsonl', why: 'it is a link; links are not followed' },
        { name: 'weights.jsonl', why: expect.stringContaining('pickle') as string },
        { name: 'empty.csv', why: 'it is empty; copy it again' },
      ]),
    );
  });
  it('that is not there is a sentence', async () => {
    await expect(datasets.lookForDatasets(join(place.folder, 'nowhere'))).rejects.toThrow(
      /nothing at .*nowhere; check the path/,
    );
  });
  it('a device is refused', async () => {
    expect((await datasets.lookForDatasets('/dev/null')).refused).toMatch(/device or a pipe/);
  });
});
