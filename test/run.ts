/** Runs every check and test of the project and adds them up. The last line is `N passed, N failed`. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Tally = { passed: number; failed: number; skipped: string[] };

const root = join(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'anchor-test-'));
const bin = (name: string): string => join(root, 'node_modules/.bin', name);

function execute(command: string, args: string[]): number {
  return spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }).status ?? 1;
}

/** A check without test cases counts as one. */
function check(command: string, args: string[]): Tally {
  return execute(command, args) === 0 ? { passed: 1, failed: 0, skipped: [] } : { passed: 0, failed: 1, skipped: [] };
}

/** Built once before the tests that open it, not by each of them at the same time. */
function buildWindow(): Tally {
  const tally = check(process.execPath, [join(root, 'electron/cli/build.ts')]);
  process.env['ANCHOR_WINDOW_BUILT'] = '1';
  return tally;
}

function vitest(): Tally {
  const report = join(scratch, 'vitest.json');
  const status = execute(bin('vitest'), ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]);
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: [] };
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    numPassedTests: number; numFailedTests: number; testResults: { status: string; assertionResults: { status: string; fullName: string }[] }[];
  };
  // A file that fails to load has no test cases, yet it must count.
  const brokenFiles = testResults.filter((file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed')).length;
  const skipped = testResults.flatMap((file) => file.assertionResults.filter((test) => test.status === 'pending' || test.status === 'skipped').map((test) => test.fullName));
  const failed = numFailedTests + brokenFiles;
  return { passed: numPassedTests, failed: failed === 0 && status !== 0 ? 1 : failed, skipped };
}

function pytest(): Tally {
  const report = join(scratch, 'pytest.xml');
  const status = execute(join(root, '.venv/bin/python'), ['-m', 'pytest', 'test/native', '-q', '-rs', `--junitxml=${report}`]);
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: [] };
  const counts = /tests="(\d+)"/.exec(readFileSync(report, 'utf8').match(/<testsuite [^>]*>/)?.[0] ?? '');
  const attribute = (name: string): number => Number(new RegExp(`${name}="(\\d+)"`).exec(readFileSync(report, 'utf8').match(/<testsuite [^>]*>/)?.[0] ?? '')?.[1] ?? 0);
  const failed = attribute('failures') + attribute('errors');
  const skippedCount = attribute('skipped');
  return {
    passed: Number(counts?.[1] ?? 0) - failed - skippedCount, failed: failed === 0 && status !== 0 ? 1 : failed,
    skipped: skippedCount === 0 ? [] : [`${skippedCount} Python tests (reasons printed above)`],
  };
}

const RUNNERS: [string, () => Tally][] = [
  ['types', () => check(bin('tsc'), ['-p', '.'])],
  ['types of the window', () => check(bin('tsc'), ['-p', 'renderer'])],
  ['lint', () => check(bin('oxlint'), ['--deny-warnings', 'electron', 'renderer', 'test'])],
  ['build of the window', buildWindow],
  ['vitest', vitest],
  ['pytest', pytest],
];

const total: Tally = { passed: 0, failed: 0, skipped: [] };
const closing: string[] = [];
for (const [name, runner] of RUNNERS) {
  const tally = runner();
  closing.push(`${name}: ${tally.passed} passed, ${tally.failed} failed${tally.skipped.length ? `, ${tally.skipped.length} skipped` : ''}`);
  total.passed += tally.passed;
  total.failed += tally.failed;
  total.skipped.push(...tally.skipped);
}
rmSync(scratch, { recursive: true, force: true });
for (const line of closing) process.stdout.write(`${line}\n`);
for (const name of total.skipped) process.stdout.write(`skipped: ${name}\n`);
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exit(total.failed === 0 ? 0 : 1);
