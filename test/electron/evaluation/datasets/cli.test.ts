import { appendFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { callAnchor } from '../../cli/call-anchor.ts';
import { HARMBENCH_HEADER, lines, rowsOfKind, scratch } from './support.ts';

vi.setConfig({ testTimeout: 300_000 });
const place = scratch();
afterAll(place.remove);
const lab = join(place.folder, 'lab');

async function anchor(...words: string[]): Promise<{ status: number; out: string; told: string }> {
  const { code, stdout, stderr } = await callAnchor('--lab', lab, 'dataset', ...words);
  return { status: code, out: stdout, told: stderr };
}

describe('anchor dataset', () => {
  it('writes a manifest and checks it without opening a lab, and ends with 1 and a list when something differs', async () => {
    const file = place.put('carried/a.jsonl', 'one\n');
    const folder = join(place.folder, 'carried');
    expect(await anchor('manifest', folder)).toMatchObject({
      status: 0,
      out: expect.stringContaining('Wrote down 1 files') as string,
    });
    expect(await anchor('verify', folder)).toMatchObject({
      status: 0,
      out: expect.stringContaining('All 1 files are as') as string,
    });
    expect(existsSync(lab)).toBe(false);
    appendFileSync(file, 'two\n');
    rmSync(join(folder, 'anchor-manifest.json'));
    expect(await anchor('verify', join(folder, 'SHA256SUMS'))).toMatchObject({
      status: 1,
      out: expect.stringMatching(/^changed {2}a\.jsonl: /) as string,
      told: expect.stringContaining('1 difference between') as string,
    });
  });
  it('imports, asks for agreement, verifies and removes; bad rows end with 2 and are all named', async () => {
    expect((await anchor('list')).out).toContain('No test sets yet');
    const path = place.put(
      'harmbench.csv',
      `${HARMBENCH_HEADER}\nName a colour,standard,harmless,,,colour\n`,
    );
    expect(await anchor('import', path, '--name', 'mine')).toMatchObject({
      status: 0,
      out: expect.stringMatching(
        /Imported "mine" .*: 1 rows[\s\S]*anchor dataset acknowledge "mine" --as <person>/,
      ) as string,
    });
    expect((await anchor('acknowledge', 'mine', '--as', 'Ada')).out).toMatch(/^Ada agreed at /);
    expect(await anchor('verify', 'mine')).toMatchObject({
      status: 0,
      out: '"mine" is what was imported.\n',
    });
    expect((await anchor('list')).out).toMatch(/mine +harmbench-behaviors +1 .* ready/);
    expect(await anchor('remove', 'mine')).toMatchObject({ status: 0 });
    const bad = place.put(
      'math500.jsonl',
      `${lines([rowsOfKind.math500(1), rowsOfKind.math500(2)])}x\n${lines([rowsOfKind.math500(1)])}`,
    );
    expect(await anchor('import', bad)).toMatchObject({
      status: 2,
      told: expect.stringMatching(
        /math500\.jsonl, row 4: it repeats the id[\s\S]*Row 3 of math500\.jsonl is refused: it is not JSON/,
      ) as string,
    });
    expect(await anchor('import', join(place.folder, 'nowhere'))).toMatchObject({
      status: 2,
      told: expect.stringContaining('There is nothing at') as string,
    });
    expect(await anchor('remove', 'mine')).toMatchObject({
      status: 2,
      told: 'anchor: The lab has no test set "mine"; see what it has in Evaluations under Datasets, or with "anchor dataset list".\n',
    });
  });
  it('imports all that a folder has with --all; what is refused keeps nothing else out and is told', async () => {
    place.put('drive/harmbench.csv', `${HARMBENCH_HEADER}\nName a shape,standard,harmless,,,shape\n`);
    place.put('drive/math500.jsonl', lines([rowsOfKind.math500(1), rowsOfKind.math500(2)]));
    place.put('drive/worse/math500.jsonl', `${lines([rowsOfKind.math500(3)])}x\n`);
    const { status, out, told } = await anchor(
      'import',
      join(place.folder, 'drive'),
      '--all',
      '--agree-as',
      'Ada',
    );
    expect({ status, imported: [...out.matchAll(/^Imported /gm)].length }, `${out}${told}`).toEqual({
      status: 2,
      imported: 2,
    });
    expect(told).toMatch(
      /worse\/math500\.jsonl: [\s\S]*1 of 3 sets were not imported, for the reasons above; the others are in the lab\./,
    );
    expect((await anchor('list')).out).not.toContain('unacknowledged');
    // Once more: what the lab has, listed release or not, is said and is no failure.
    rmSync(join(place.folder, 'drive/worse'), { recursive: true });
    const again = await anchor('import', join(place.folder, 'drive'), '--all', '--agree-as', 'Ada');
    expect(
      { status: again.status, had: [...again.told.matchAll(/: the lab has it as /g)].length },
      again.told,
    ).toEqual({ status: 0, had: 2 });
    expect(await anchor('import', join(place.folder, 'drive'), '--all', '--name', 'x')).toMatchObject({
      status: 2,
      told: expect.stringContaining('leave out --set and --name') as string,
    });
  });
});
