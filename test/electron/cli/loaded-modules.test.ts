import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { root } from '../real-runner.ts';

const scratch = mkdtempSync(join(tmpdir(), 'anchor-modules-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Writes the address of every module that Node loads into the file named by $LOADED. */
const RECORDER = join(scratch, 'recorder.mjs');
writeFileSync(
  RECORDER,
  `import { registerHooks } from 'node:module';
   import { appendFileSync } from 'node:fs';
   registerHooks({ load(url, context, next) { appendFileSync(process.env.LOADED, url + '\\n'); return next(url, context); } });`,
);

/** The files of electron/, its rooms and the packages that one call of the program loaded. */
function loadedBy(...args: string[]): {
  code: number | null;
  stdout: string;
  parts: Set<string>;
  files: string[];
} {
  const file = join(scratch, args.join('-'));
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--import', RECORDER, join(root, 'electron/cli/anchor.ts'), '--lab', join(scratch, 'lab'), ...args],
    { encoding: 'utf8', env: { ...process.env, LOADED: file } },
  );
  const modules = readFileSync(file, 'utf8')
    .split('\n')
    .filter((url) => url.startsWith('file:'))
    .map((url) => {
      const path = fileURLToPath(url).replaceAll('\\', '/');
      const inside = path.split('/node_modules/').at(-1) as string;
      return inside === path
        ? { isOurs: true, path: relative(join(root, 'electron'), path).replaceAll('\\', '/') }
        : { isOurs: false, path: inside };
    });
  return {
    code: status,
    stdout,
    parts: new Set(modules.map(({ path }) => path.split('/')[0] as string)),
    files: modules.filter(({ isOurs }) => isOurs).map(({ path }) => path),
  };
}

describe('the modules of a command', () => {
  it('that reads the records are the records: neither the engine nor a model is loaded to list runs', () => {
    const { code, stdout, parts, files } = loadedBy('runs');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'No runs yet. Start one with "anchor demo" or "anchor run".\n',
    });
    expect([...parts].sort()).toEqual(
      ['better-sqlite3', 'cli', 'commander', 'contract', 'core', 'engine', 'library', 'store', 'zod'].sort(),
    );
    expect(files.filter((file) => /^(engine|library)\//.test(file)).sort()).toEqual([
      'engine/open-records.ts',
      'library/lab-folder.ts',
    ]);
  });

  it('that works with the engine are all of it (so the recorder sees what is loaded)', () => {
    const { code, parts } = loadedBy('dataset', 'list');
    expect(code).toBe(0);
    for (const part of ['engine', 'evaluation', 'evolution', 'supervision', '@trpc'])
      expect(parts).toContain(part);
  });
});
