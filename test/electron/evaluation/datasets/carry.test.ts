import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { datasets } from '../../../../electron/evaluation/index.ts';
import { scratch } from './support.ts';

const AT = '2026-11-20T12:00:00.000Z';
let place: ReturnType<typeof scratch>;
beforeEach(() => {
  place = scratch();
});
afterEach(() => {
  place.remove();
});

function folder(): string {
  for (const [name, content] of [
    ['a.jsonl', 'one\n'],
    ['sub/b.csv', 'two\n'],
    ['sub/with space.txt', ''],
    ['.hidden', 'three'],
    ['ünï\\back', 'four'],
    ['line\nbreak', 'five'],
  ] as const)
    place.put(`set/${name}`, content);
  return join(place.folder, 'set');
}

describe('a manifest of a folder', () => {
  it('is what sha256sum reads, with odd names too, and the same with sizes as JSON', async () => {
    const made = await datasets.writeFolderManifest(folder(), AT);
    expect(made).toMatchObject({ files: 6, bytes: 21, differences: [] });
    expect(
      execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], {
        cwd: made.folder,
        encoding: 'utf8',
      }),
    ).toBe('');
    const json = JSON.parse(readFileSync(join(made.folder, datasets.MANIFEST_JSON), 'utf8')) as {
      madeAt: string;
      files: { path: string; bytes: number }[];
    };
    expect([json.madeAt, json.files.map(({ path }) => path)]).toEqual([
      AT,
      ['.hidden', 'a.jsonl', 'line\nbreak', 'sub/b.csv', 'sub/with space.txt', 'ünï\\back'],
    ]);
  });
  it('that sha256sum wrote is read as well', async () => {
    place.put('set/a.jsonl', 'one\n');
    place.put(
      'set/SHA256SUMS',
      execFileSync('sha256sum', ['a.jsonl'], { cwd: join(place.folder, 'set'), encoding: 'utf8' }),
    );
    expect(await datasets.checkFolder(join(place.folder, 'set'))).toMatchObject({
      files: 1,
      differences: [],
    });
  });
  it('is the same when it is made again, and does not name itself', async () => {
    const { folder: set } = await datasets.writeFolderManifest(folder(), AT);
    const first = readFileSync(join(set, datasets.MANIFEST_JSON), 'utf8');
    await datasets.writeFolderManifest(set, AT);
    expect(readFileSync(join(set, datasets.MANIFEST_JSON), 'utf8')).toBe(first);
  });
  it('finds nothing different in a folder that was carried whole, by any of its three names', async () => {
    const { folder: set } = await datasets.writeFolderManifest(folder(), AT);
    for (const path of [set, join(set, 'SHA256SUMS'), join(set, 'anchor-manifest.json')])
      expect((await datasets.checkFolder(path)).differences).toEqual([]);
  });
  it('names every file that is missing, changed or added', async () => {
    const { folder: set } = await datasets.writeFolderManifest(folder(), AT);
    rmSync(join(set, '.hidden'));
    writeFileSync(join(set, 'a.jsonl'), 'One\n');
    writeFileSync(join(set, 'sub/b.csv'), 'two\nand more');
    renameSync(join(set, 'sub/with space.txt'), join(set, 'sub/withspace.txt'));
    const { differences } = await datasets.checkFolder(set);
    expect(differences.map(({ state, path }) => `${state} ${path}`)).toEqual([
      'missing .hidden',
      'changed a.jsonl',
      'changed sub/b.csv',
      'missing sub/with space.txt',
      'added sub/withspace.txt',
    ]);
    expect(differences[2]).toMatchObject({ expected: { bytes: 4 }, found: { bytes: 12 } });
  });
  it('takes a folder in the place of a file for a missing file', async () => {
    const { folder: set } = await datasets.writeFolderManifest(folder(), AT);
    rmSync(join(set, 'a.jsonl'));
    mkdirSync(join(set, 'a.jsonl'));
    expect((await datasets.checkFolder(set)).differences).toEqual([{ state: 'missing', path: 'a.jsonl' }]);
  });
  it.each<[string, string, RegExp]>([
    [
      'that leads out of the folder',
      JSON.stringify({
        format: 'anchor-folder-manifest',
        version: 1,
        madeAt: AT,
        files: [{ path: '../x', bytes: 1, sha256: 'a'.repeat(64) }],
      }),
      /not below its folder/,
    ],
    ['of another form', '{"files": []}', /no manifest of this program/],
    ['that is no JSON', 'words', /no manifest of this program/],
    [
      'of a later version',
      JSON.stringify({ format: 'anchor-folder-manifest', version: 2, madeAt: AT, files: [] }),
      /no manifest of this program/,
    ],
  ])('%s is refused', async (_what, text, why) => {
    place.put('set/a', 'x');
    await expect(datasets.checkFolder(place.put('set/anchor-manifest.json', text))).rejects.toThrow(why);
  });
  it('is not made of links, of nothing, or where nothing is', async () => {
    const set = folder();
    symlinkSync('/etc/passwd', join(set, 'linked'));
    await expect(datasets.writeFolderManifest(set, AT)).rejects.toThrow(/linked is a link or a device/);
    mkdirSync(join(place.folder, 'empty'));
    await expect(datasets.writeFolderManifest(join(place.folder, 'empty'), AT)).rejects.toThrow(
      /holds no file/,
    );
    await expect(datasets.writeFolderManifest(join(place.folder, 'nowhere'), AT)).rejects.toThrow(
      /no folder at/,
    );
    await expect(datasets.checkFolder(join(place.folder, 'empty'))).rejects.toThrow(
      /no manifest at .*; make it with/,
    );
  });
});
