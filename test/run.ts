/**
 * Runs the checks and tests of the project and adds them up. The last line is `N passed, N failed`.
 * `npm test` asks what every commit must answer; `--full` (`npm run test:full`) runs what that leaves out.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runPytest } from './runners/pytest.ts';
import type { Tally } from './runners/results.ts';
import { runVitest } from './runners/vitest.ts';

const root = join(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'anchor-test-'));
const bin = (name: string): string => join(root, 'node_modules/.bin', name);
const venv = (name: string): string => join(root, '.venv/bin', name);
const isFull = process.argv.includes('--full');
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** They ask whether the same comes out every time. */
const ONCE = ['test/e2e/determinism.test.ts', 'test/sim/', 'test/torture/'];
/** How many checks run beside each other. */
const LANES = 2;

function execute(
  command: string,
  args: readonly string[],
  output: 'inherit' | 'pipe' = 'inherit',
): Promise<number> {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', output, output] });
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: Buffer) => said.push(part));
  return new Promise((resolve) => {
    child.once('error', (error) => {
      say(`${command} could not be started: ${error.message}`);
      resolve(1);
    });
    child.once('close', (code) => {
      process.stdout.write(Buffer.concat(said));
      resolve(code ?? 1);
    });
  });
}

/** Tells what it said when it has ended, so that the lines of two programs do not mix. */
const executeAside = (command: string, args: readonly string[]): Promise<number> =>
  execute(command, args, 'pipe');

type Named = Tally & { name: string };
/** A check without test cases counts as one. */
type Check = [name: string, command: string, ...args: string[]];

const CHECKS: Check[] = [
  // One checker each: more of them check what they share several times, and the two run beside each other anyway.
  ['types', bin('tsc'), '-p', '.', '--checkers', '1'],
  ['types of the window', bin('tsc'), '-p', 'renderer', '--checkers', '1'],
  ['lint', bin('oxlint'), '--deny-warnings', 'electron', 'renderer', 'test'],
  ['format', bin('oxfmt'), '--check', '.'],
  ['types of Python', venv('mypy'), '--no-error-summary'],
  ['lint of Python', venv('ruff'), 'check', '--quiet', '.'],
  ['format of Python', venv('ruff'), 'format', '--check', '--quiet', '.'],
];
/** Made once before the tests that open them, not by each of them at the same time. */
const MADE: Check[] = [
  ['build of the window', process.execPath, join(root, 'electron/cli/build.ts')],
  ['lab that tests share', process.execPath, join(root, 'test/support/prepared-lab.ts')],
];

async function check([name, command, ...args]: Check): Promise<Named> {
  const isGood = (await executeAside(command, args)) === 0;
  if (!isGood) say(`${name}: failed, as told above`);
  return { name, passed: isGood ? 1 : 0, failed: isGood ? 0 : 1, skipped: [], unsteady: [] };
}

/** As many as there are lanes at a time, in this order. */
async function beside(checks: readonly Check[]): Promise<Named[]> {
  const waiting = [...checks];
  const done: Named[] = [];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) done.push(await check(next));
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return checks.flatMap(([name]) => done.filter((one) => one.name === name));
}

// pytest needs neither the build nor the lab, and waits for limits of the sandbox much of the time: it runs beside all else.
const pytestRun = runPytest(scratch, (args) =>
  executeAside(venv('python'), ['-m', 'pytest', '-m', isFull ? 'full' : 'not full', ...args]),
);
const tallies: Named[] = await beside([...MADE, ...(isFull ? [] : CHECKS)]);
process.env['ANCHOR_WINDOW_BUILT'] = '1';
const vitest = await runVitest({
  root,
  scratch,
  projects: isFull ? ['full'] : ['pure', 'parts', 'real', 'replacing'],
  tag: isFull ? 'full' : '!full',
  once: ONCE,
  vitest: (args) => execute(bin('vitest'), args),
});
const pytest = await pytestRun;
// What failed in the crowd gets its second run alone.
tallies.push({ name: 'vitest', ...(await vitest()) });
tallies.push({ name: 'pytest', ...(await pytest()) });
rmSync(scratch, { recursive: true, force: true });

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
