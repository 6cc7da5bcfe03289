import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { shownPath } from '../../../electron/core/files.ts';
import { openLab } from '../../../electron/store/index.ts';
import { makeConfig } from '../store/support/make-records.ts';

vi.setConfig({ testTimeout: 120_000 });

const ANCHOR = join(import.meta.dirname, '../../../electron/cli/anchor.ts');
const folder = mkdtempSync(join(tmpdir(), 'anchor-places-'));
const lab = join(folder, 'lab');
const loop = join(folder, 'loop');
beforeAll(async () => {
  process.umask(0o077); // that of the engine, which else has something to say about what it finds
  mkdirSync(lab);
  symlinkSync(loop, loop);
  const store = await openLab(lab, { now: () => new Date() });
  store.createRun({ id: 'a', config: makeConfig(), folder: 'runs/a' });
  store.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** In a process of its own, because what is asked here used to hang one for ever. */
const anchor = (...args: string[]) => {
  const { status, stderr } = spawnSync(process.execPath, [ANCHOR, ...args], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, said: stderr };
};

it('a run that may open too few files says so, and the engine lives', () => {
  const run = `ulimit -n 32; exec "$0" "${ANCHOR}" --lab "${join(folder, 'few')}" run --preset demo --set steps=1`;
  const { status, stderr } = spawnSync('bash', ['-c', run, process.execPath], { encoding: 'utf8' });
  expect(stderr).toMatch(
    /anchor: The \w+ could not be started: this program has as many files open as it may\. Raise the limit/,
  );
  expect(stderr).not.toMatch(/TypeError|\n {4}at /);
  expect(status).toBe(1);
});

it('a lab that may open too few files says so, whichever file is one too many', () => {
  const said = [23, 24, 25, 26].map((limit) => {
    const list = `ulimit -n ${limit}; exec "$0" "${ANCHOR}" --lab "${join(folder, 'fewer')}" runs`;
    return spawnSync('bash', ['-c', list, process.execPath], { encoding: 'utf8' }).stderr;
  });
  const refused = said.filter((text) => text !== '');
  for (const text of refused)
    expect(text).toMatch(
      /^anchor: (The lab database )?\/.* cannot be opened: this program has as many files open as it may\. Raise the limit .*\n$/,
    );
  expect(refused.length).toBeGreaterThan(1);
});

it('a lab whose files may not grow says so, and not that a disk failed or is full', () => {
  const list = `ulimit -f 100; exec "$0" "${ANCHOR}" --lab "${join(folder, 'small')}" runs`;
  const { status, stderr } = spawnSync('bash', ['-c', list, process.execPath], { encoding: 'utf8' });
  expect(stderr).toMatch(
    /^anchor: The lab database .* was kept from growing: no file of this program may be larger than 102,400 bytes, which lab\.sqlite-wal has come to\. What was being written was not stored\. Raise the limit .*\n$/,
  );
  expect(status).toBe(1);
});

it('a lab whose path is too long for SQLite says so', () => {
  const place = join(folder, ...Array<string>(6).fill('x'.repeat(99)));
  const { status, said } = anchor('--lab', place, 'runs');
  expect(said).toMatch(
    /^anchor: The lab folder .* has too long a path: its files have paths of 6\d\d bytes, of which SQLite takes 504\. Choose a folder with a shorter one\.\n$/,
  );
  expect(status).toBe(1);
});

describe('places where nothing can be made', () => {
  it.each([
    ['/proc', 'ENOENT'],
    ['/proc/x', 'ENOENT'],
    ['/dev/full/x', 'EEXIST'],
  ])('a lab in %s is refused with a sentence', (place, code) => {
    expect(anchor('--lab', place, 'runs')).toEqual({
      status: 1,
      said: `anchor: The lab folder ${place} cannot be written (${code}); choose another with --lab or change its permissions.\n`,
    });
  });

  it.each([
    ['/proc/x', '/proc/x.partial', 'ENOENT'],
    ['/proc/x/y', '/proc/x', 'ENOENT'],
    ['/dev/full/x', '/dev/full', 'EEXIST'],
    [join(loop, 'x'), join(loop, 'x.partial/anchor'), 'ELOOP'],
    [`/tmp/${'x'.repeat(300)}`, `/tmp/${'x'.repeat(300)}.partial/anchor`, 'ENAMETOOLONG'],
  ])('an export to %s is refused with a sentence', (place, first, code) => {
    const { status, said } = anchor('--lab', lab, 'export', 'a', '--to', place);
    expect(said).toBe(
      `anchor: The export ${shownPath(place)} could not be written (${shownPath(first)}): nothing can be made there (${code}). Name another place.\n`,
    );
    expect(status).toBe(1);
    expect(existsSync(`${place}.partial`)).toBe(false);
  });
});
