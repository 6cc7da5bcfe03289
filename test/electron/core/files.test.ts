import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { APPLICATION } from '../../support/engine.ts';

const folder = mkdtempSync(join(tmpdir(), 'anchor-folders-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Makes folders in a process of its own, which is ended where it tries for ever. @returns what it said. */
function made(path: string): string {
  const files = pathToFileURL(join(APPLICATION, 'electron/core/files.ts')).href;
  const program = `
    const { makeFolders } = await import(${JSON.stringify(files)});
    try { makeFolders(${JSON.stringify(path)}); process.stdout.write('made'); }
    catch ({ code }) { process.stdout.write(code); }`;
  const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  return signal ?? stdout;
}

describe('folders', () => {
  it('are made with those above them', () => {
    expect(made(join(folder, 'a/b/c'))).toBe('made');
    expect(existsSync(join(folder, 'a/b/c'))).toBe(true);
  });

  it.skipIf(!existsSync('/proc/self'))(
    'are refused where the system makes none, instead of being tried for ever',
    () => {
      expect(made('/proc/x/y')).toBe('ENOENT');
    },
    120_000,
  );
});
