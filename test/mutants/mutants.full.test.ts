// @module-tag full
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { MUTANTS } from './chapters/index.ts';

const scratch = mkdtempSync(join(tmpdir(), 'anchor-mutants-test-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** The program; `results` is a file in the scratch folder. */
function start(results: string, ...args: string[]) {
  return spawn(
    process.execPath,
    [join(import.meta.dirname, 'run.ts'), '--results', join(scratch, results), ...args],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
}
async function run(
  results: string,
  ...args: string[]
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = start(results, ...args);
  const ended = new Promise<number | null>((resolve) => void child.on('exit', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}
const linesOf = (results: string): string[] =>
  readFileSync(join(scratch, results), 'utf8')
    .split('\n')
    .filter((line) => line !== '');

describe('npm run mutants', { timeout: 7_200_000 }, () => {
  it('goes on where it was killed, leaves nothing behind, and lists and refuses in one sentence', async () => {
    const few = ['--only', 'tripwires.ts', '--workers', '1'];
    const child = start('killed.jsonl', ...few);
    for await (const part of child.stdout) if (/\[2\/\d+\]/.test(String(part))) break;
    child.kill('SIGKILL');
    const before = linesOf('killed.jsonl').length;
    expect(before).toBeGreaterThan(1);
    const { code, stdout } = await run('killed.jsonl', ...few);
    expect([code, stdout.includes(`${before} results are known from a run before`)]).toEqual([0, true]);
    expect(linesOf('killed.jsonl')).toHaveLength(
      MUTANTS.filter(({ file }) => file.endsWith('tripwires.ts')).length,
    );
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`anchor-mutants-${child.pid}-`))).toEqual(
      [],
    );

    expect((await run('list.jsonl', '--list', '--only', 'tripwires')).stdout).toContain('comparison: ');
    const wrong = await run('none.jsonl', '--only', 'nothing of this name');
    expect([wrong.code, wrong.stderr.trim().split('\n').length]).toEqual([2, 1]);
  });

  it('finds every mutant noticed by the tests that are named with it, or a reason why none can', async () => {
    const { code, stdout, stderr } = await run('all.jsonl');
    expect(code, `${stdout.slice(-4_000)}\n${stderr}`).toBe(0);
  });
});
