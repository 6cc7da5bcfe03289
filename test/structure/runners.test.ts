import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runPytest } from '../runners/pytest.ts';
import { tallied, type Outcome } from '../runners/results.ts';
import { runVitest } from '../runners/vitest.ts';

const root = join(import.meta.dirname, '../..');
let folder: string;
beforeAll(() => {
  mkdirSync(join(root, 'out'), { recursive: true });
  folder = mkdtempSync(join(root, 'out/runners-')); // inside the checkout, where vitest is found
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const results = (...outcomes: Outcome[]) => new Map(outcomes.map((outcome, index) => [`t${index}`, outcome]));

describe('the count of all tests', () => {
  it('gives a few that failed one more run, and names what passes only then', async () => {
    const asked: (readonly string[])[] = [];
    const tally = await tallied(results('passed', 'failed', 'failed', 'skipped'), async (failed) => {
      asked.push(failed);
      return new Map([
        ['t0', 'failed'],
        ['t1', 'passed'],
        ['t2', 'failed'],
      ]);
    });
    expect(asked).toEqual([['t1', 't2']]);
    expect(tally).toEqual({ passed: 2, failed: 1, skipped: ['t3'], unsteady: ['t1'] });
  });
  it('gives none to many, none where it could prove nothing, and takes a vanished test for failed', async () => {
    const all = async () => results('passed', 'passed', 'passed', 'passed');
    expect(await tallied(results('failed', 'failed', 'failed', 'failed'), all)).toMatchObject({
      passed: 0,
      failed: 4,
      unsteady: [],
    });
    expect(await tallied(results('failed'), null)).toMatchObject({ passed: 0, failed: 1 });
    expect(await tallied(results('failed'), async () => new Map())).toMatchObject({ passed: 0, failed: 1 });
  });
  it(
    'reads what vitest says: files that do not load, tests that recover, tests that do not',
    { tags: ['full'], timeout: 180_000 }, // vitest is started four times
    async () => {
      const file = (name: string, text: string) =>
        writeFileSync(
          join(folder, name),
          `import { existsSync, writeFileSync } from 'node:fs';\nimport { expect, it } from 'vitest';\n${text}`,
        );
      file(
        'good.test.ts',
        "for (const _ of [1, 2]) it('passes', () => {});\nit.skip('waits', () => {});\nit('is long', { tags: ['full'] }, () => {});",
      );
      file(
        'twice.test.ts',
        `it('recovers', () => { const was = existsSync(${JSON.stringify(join(folder, 'been'))}); writeFileSync(${JSON.stringify(join(folder, 'been'))}, ''); expect(was).toBe(true); });\nit('fails', () => { expect(1).toBe(2); });`,
      );
      file('broken.test.ts', "throw new Error('not loaded');");
      writeFileSync(
        join(folder, 'vitest.config.ts'),
        "export default { test: { include: ['*.test.ts'], tags: [{ name: 'full' }] } };",
      );
      const run = async (once: string[], tag = '!full') => {
        const again = await runVitest({
          root: folder,
          scratch: folder,
          once,
          tag,
          vitest: async (args) =>
            spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], {
              cwd: folder,
              stdio: 'ignore',
              env: { PATH: process.env['PATH'] },
            }).status ?? 1,
        });
        return again();
      };
      expect(await run([])).toEqual({
        passed: 3,
        failed: 2,
        skipped: ['good.test.ts > waits'],
        unsteady: ['twice.test.ts > recovers'],
      });
      rmSync(join(folder, 'been'));
      expect(await run(['twice.test.ts'])).toMatchObject({ passed: 2, failed: 3, unsteady: [] });
      expect(await run([], 'full')).toMatchObject({ passed: 1, failed: 1, skipped: [] });
    },
  );
  it('reads what pytest says', async () => {
    const place = join(folder, 'native');
    mkdirSync(join(place, 'test/native'), { recursive: true });
    writeFileSync(
      join(place, 'test/native/test_some.py'),
      [
        'import pathlib, pytest',
        'def test_good(): pass',
        '@pytest.mark.skip(reason="no <tag>")',
        'def test_waits(): pass',
        'def test_recovers():',
        '    mark = pathlib.Path(__file__).with_name("been")',
        '    was = mark.exists()',
        '    mark.touch()',
        '    assert was, "<failure of & text>"',
        '@pytest.fixture',
        'def untidy():',
        '    yield',
        '    raise RuntimeError("left over")',
        'def test_untidy(untidy): print("</testcase>")',
      ].join('\n'),
    );
    const again = await runPytest(
      place,
      async (args) =>
        spawnSync(
          join(root, '.venv/bin/python'),
          ['-m', 'pytest', '-c', '/dev/null', '--rootdir', place, ...args],
          { cwd: place, stdio: 'ignore' },
        ).status ?? 1,
    );
    expect(await again()).toEqual({
      passed: 2,
      failed: 1,
      skipped: ['test.native.test_some: test_waits'],
      unsteady: ['test.native.test_some: test_recovers'],
    });
  });
});
