/** Runs every check and test of the project and adds them up. The last line is `N passed, N failed`. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runPytest } from './runners/pytest.ts';
import type { Tally } from './runners/results.ts';
import { runVitest } from './runners/vitest.ts';

const root = join(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'anchor-test-'));
const bin = (name: string): string => join(root, 'node_modules/.bin', name);
/** They ask whether the same comes out every time. */
const ONCE = ['test/e2e/determinism.test.ts', 'test/torture/'];

function execute(command: string, args: readonly string[]): number {
  return spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }).status ?? 1;
}

/** A check without test cases counts as one. */
function check(command: string, args: readonly string[]): Tally {
  const isGood = execute(command, args) === 0;
  return { passed: isGood ? 1 : 0, failed: isGood ? 0 : 1, skipped: [], unsteady: [] };
}

/** Built once before the tests that open it, not by each of them at the same time. */
function buildWindow(): Tally {
  const tally = check(process.execPath, [join(root, 'electron/cli/build.ts')]);
  process.env['ANCHOR_WINDOW_BUILT'] = '1';
  return tally;
}

const RUNNERS: [string, () => Tally][] = [
  ['types', () => check(bin('tsc'), ['-p', '.'])],
  ['types of the window', () => check(bin('tsc'), ['-p', 'renderer'])],
  ['lint', () => check(bin('oxlint'), ['--deny-warnings', 'electron', 'renderer', 'test'])],
  ['format', () => check(bin('prettier'), ['--check', '--log-level=warn', '.'])],
  ['build of the window', buildWindow],
  ['vitest', () => runVitest({ root, scratch, once: ONCE, vitest: (args) => execute(bin('vitest'), args) })],
  [
    'pytest',
    () => runPytest(scratch, (args) => execute(join(root, '.venv/bin/python'), ['-m', 'pytest', ...args])),
  ],
];

const tallies = RUNNERS.map(([name, runner]) => ({ name, ...runner() }));
rmSync(scratch, { recursive: true, force: true });
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const sum = (key: 'passed' | 'failed'): number => tallies.reduce((total, tally) => total + tally[key], 0);
for (const { name, passed, failed, skipped } of tallies)
  say(
    `${name}: ${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`,
  );
for (const { skipped } of tallies)
  for (const name of skipped) say(`skipped (the reason stands above): ${name}`);
for (const { unsteady } of tallies)
  for (const name of unsteady) say(`unsteady, failed among the others and passed alone: ${name}`);
say(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exit(sum('failed') === 0 ? 0 : 1);
