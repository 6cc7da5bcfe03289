import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { datasets } from '../../../../electron/evaluation/index.ts';
import { asDataset, bring, hasShared, refusal, scratch, shared } from './support.ts';
import { hashesOfPickle, MinHasher } from '../../../../electron/evaluation/safety/harmbench/minhash.ts';
import { gradeCopyright } from '../../../../electron/evaluation/safety/harmbench/grade.ts';

const PYTHON = join(import.meta.dirname, '../../../../.venv/bin/python');
const WORDS = ['the cat sat on the mat', 'a dog ran over the hill'];

const place = scratch();
const hashes = join(place.folder, 'copyright_classifier_hashes');
let honest: Buffer;
beforeAll(() => {
  execFileSync(PYTHON, [
    join(import.meta.dirname, 'makers/minhash_pickles.py'),
    hashes,
    `book_one=${WORDS.join('|')}`,
    `lyrics_two=${WORDS[1]}`,
  ]);
  honest = readFileSync(join(hashes, 'book_one.pkl'));
});
afterAll(() => place.remove());

describe('HarmBench’s own files of hashes', () => {
  it('hold for each window what our hasher works out for its words', () => {
    const { a, b, windows } = hashesOfPickle(honest);
    const hasher = new MinHasher(a.map((value, at) => [value, b[at]!] as const));
    expect(windows).toEqual(WORDS.map((words) => hasher.of(words.split(' '))));
  });
  it.skipIf(!hasShared)(
    `have the permutations of the hashes that were converted${hasShared ? '' : ' (not tested: ../shared/data is missing)'}`,
    () => {
      const index = JSON.parse(
        readFileSync(join(shared, 'harmbench/copyright_minhash/index.json'), 'utf8'),
      ) as { permutations_a: string[]; permutations_b: string[] };
      const { a, b } = hashesOfPickle(honest);
      expect([a.map(String), b.map(String)]).toEqual([index.permutations_a, index.permutations_b]);
    },
  );
  it('of an older NumPy are read as well', () => {
    const [now, then] = ['\x8c\x16numpy._core.multiarray', '\x8c\x15numpy.core.multiarray'];
    expect(honest.includes(now, 0, 'latin1')).toBe(true);
    expect(hashesOfPickle(Buffer.from(honest.toString('latin1').replace(now, then), 'latin1'))).toEqual(
      hashesOfPickle(honest),
    );
  });
  it('are imported as one set, and grade books and lyrics alike', async () => {
    const { written, folder } = await bring(hashes, place.folder);
    expect(written.sources.map(({ name }) => name)).toEqual(['book_one.pkl', 'lyrics_two.pkl']);
    const known = await datasets.copyrightHashes({
      dataset: asDataset('harmbench-pickles', written),
      folder,
    });
    expect([...known.keys()]).toEqual(['book_one', 'lyrics_two']);
    expect(known.get('book_one')?.hasher).toBe(known.get('lyrics_two')?.hasher);
    const graded = (id: string, answer: string) =>
      gradeCopyright(known, { id, grading: id.startsWith('book') ? 'book' : 'lyrics' }, answer);
    expect(graded('book_one', WORDS[0]!)).toMatchObject({ status: 'judged', value: true });
    expect(graded('book_one', 'something else altogether')).toMatchObject({ status: 'judged', value: false });
    expect(graded('lyrics_two', WORDS[1]!)).toMatchObject({ status: 'judged', value: true });
  });
});

/** A pickle written by Python from source text that makes `value`. */
const pickled = (source: string, protocol = 4): Buffer =>
  execFileSync(PYTHON, [
    '-c',
    `import pickle, sys\n${source}\nsys.stdout.buffer.write(pickle.dumps(value, protocol=${protocol}))`,
  ]);
const RAN = join(place.folder, 'ran');
const CALLS = `import os\nclass Bad:\n    def __reduce__(self):\n        return (os.system, ("touch ${RAN}",))\n`;

describe('any other pickle', () => {
  it.each<[string, () => Buffer, RegExp]>([
    ['that calls a program', () => pickled(`${CALLS}value = [Bad()]`), /names "posix system"/],
    [
      'that hides a call behind honest hashes',
      () => Buffer.concat([honest.subarray(0, -1), pickled(`${CALLS}value = Bad()`).subarray(2)]),
      /names "posix system"|left over/,
    ],
    [
      'that names what is harmless elsewhere',
      () => pickled('import collections\nvalue = [collections.OrderedDict()]'),
      /names "collections OrderedDict"/,
    ],
    ['of plain values', () => pickled('value = [1, 2, 3]'), /something else than hashes/],
    ['of a dictionary', () => pickled('value = {"a": 1}'), /no list of hashes/],
    ['of an empty list', () => pickled('value = []'), /no list of hashes/],
    ['of another protocol', () => pickled('value = [1]', 2), /protocol is not 3 or 4/],
    ['that is cut off', () => honest.subarray(0, 900), /too early|beyond the end/],
    ['that goes on after its end', () => Buffer.concat([honest, honest]), /left over/],
    ['that contains itself', () => pickled('value = []\nvalue.append(value)'), /something else than hashes/],
    [
      'with an array of floats',
      () => pickled('import numpy\nvalue = [numpy.zeros(128)]'),
      /something else than hashes/,
    ],
    [
      'with fewer values',
      () => Buffer.from(honest.toString('latin1').replaceAll('\x4b\x80\x85', '\x4b\x7f\x85'), 'latin1'),
      /as many numbers as it says/,
    ],
    ['with an opcode nobody needs', () => Buffer.from([0x80, 4, 0x50, 0x0a, 0x2e]), /opcode 0x50/],
    [
      'with a length beyond its end',
      () => Buffer.from([0x80, 4, 0x8e, 255, 255, 255, 255, 255, 255, 255, 127]),
      /beyond the end/,
    ],
    ['that recalls nothing', () => Buffer.from([0x80, 4, 0x68, 9, 0x2e]), /recalls what was never there/],
  ])('%s is refused with the byte or the reason, and nothing of it is run', async (_what, make, reason) => {
    const { sentence } = await refusal(place.put('bad.pkl', make()), place.folder);
    expect(sentence).toMatch(/pickle/);
    expect(sentence).toMatch(reason);
    expect(existsSync(RAN)).toBe(false);
  });
  it('would have been run by Python, which shows that the call is real', () => {
    execFileSync(PYTHON, ['-c', 'import pickle, sys\npickle.load(sys.stdin.buffer)'], {
      input: pickled(`${CALLS}value = [Bad()]`),
    });
    expect(existsSync(RAN)).toBe(true);
  });
  it('under another name is not even read', async () => {
    const { sentence } = await refusal(place.put('hashes.jsonl', honest), place.folder);
    expect(sentence).toMatch(/never opened/);
  });
  it('whose bytes were flipped is read as such or refused, but never fails otherwise', () => {
    for (let at = 0; at < honest.length; at += 7) {
      const bytes = Buffer.from(honest);
      bytes[at] = bytes[at]! ^ (1 << (at % 8));
      try {
        expect(hashesOfPickle(bytes).windows.length).toBeGreaterThan(0);
      } catch (error) {
        expect((error as { kind?: string }).kind).toBe('badPickle');
      }
    }
  });
});
