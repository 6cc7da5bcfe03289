import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
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

describe('what the system refuses is told by its own cause', () => {
  const STORED = join(folder, 'plain');
  /** As an ordinary user, whom permissions and limits bind: this one, or nobody where this is root. */
  const plain = (script: string, ...args: string[]) => {
    const command = ['bash', '-c', `${script} exec "$0" "$@"`, process.execPath, ANCHOR, ...args, 'runs'];
    const isRoot = process.getuid?.() === 0;
    const [program = '', ...rest] = isRoot
      ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', ...command]
      : command;
    const { status, stderr } = spawnSync(program, rest, {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: folder },
    });
    return { status, said: stderr };
  };
  beforeAll(() => {
    chmodSync(folder, 0o777);
    expect(plain('', '--lab', STORED)).toEqual({ status: 0, said: '' });
  });

  it.each([
    ['lab.sqlite', '(.*): \\1 may not be read and written by this user; correct its permissions\\.'],
    ['anchor.lock', '(.*): \\1 may not be read and written by this user; correct its permissions\\.'],
    [
      'runs',
      ".* cannot be read \\(EACCES\\); it holds the files of the lab's runs, so correct its permissions\\.",
    ],
  ])('%s that its owner may not read', (name, sentence) => {
    const path = join(STORED, name);
    const { mode } = statSync(path);
    chmodSync(path, 0);
    const { status, said } = plain('', '--lab', STORED);
    chmodSync(path, mode);
    expect(said.replace(' cannot be opened', '')).toMatch(
      new RegExp(`^anchor: The (?:lab database|folder) ${sentence}\n$`),
    );
    expect(status).toBe(1);
  });

  it.each([
    [
      'few open files',
      'ulimit -n 24;',
      /cannot be opened: this program has as many files open as it may; raise the limit/,
    ],
    [
      'small files',
      'ulimit -f 100;',
      /could not grow, because files of this program may have 102,400 bytes at most; .* Raise that limit/,
    ],
  ])('%s', (name, limit, sentence) => {
    const { status, said } = plain(limit, '--lab', join(folder, name));
    expect(said).toMatch(sentence);
    expect(said).not.toMatch(/\n./);
    expect(status).toBe(1);
  });

  it('a path that is too long for a database, of which nothing is made', () => {
    const top = join(folder, 'l'.repeat(200));
    const { status, said } = plain('', '--lab', join(top, 'o'.repeat(200), 'n'.repeat(200)));
    expect(said).toMatch(
      /^anchor: The path of the lab folder .* has \d+ bytes, and its database allows 492; choose another with --lab\.\n$/,
    );
    expect([status, existsSync(top)]).toEqual([2, false]);
  });
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
      `anchor: The export ${place} could not be written (${first}): nothing can be made there (${code}). Name another place.\n`,
    );
    expect(status).toBe(1);
    expect(existsSync(`${place}.partial`)).toBe(false);
  });
});
