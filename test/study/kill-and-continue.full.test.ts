// @module-tag full
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { StudyState, type Entry } from '../../electron/experiments/study/state.ts';

vi.setConfig({ testTimeout: 1_800_000 });

const folder = mkdtempSync(join(tmpdir(), 'anchor-study-kill-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const PROGRAM = join(import.meta.dirname, 'run.ts');
const start = (name: string, ...more: string[]): ChildProcess =>
  spawn(
    process.execPath,
    [
      PROGRAM,
      '--seeds',
      '1',
      '--steps',
      '2',
      '--every',
      '1',
      '--items',
      '3',
      '--only',
      'filler',
      '--rewarded-share',
      '0.25',
      '--jobs',
      '1',
      '--folder',
      join(folder, name),
      ...more,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );

async function ended(child: ChildProcess): Promise<{ code: number | null; said: string }> {
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  const code = await new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  return { code, said };
}
const entriesOf = (name: string): Entry[] => [
  ...new StudyState(join(folder, name, 'evaluations.jsonl')).entries.values(),
];
const lines = (name: string): number =>
  existsSync(join(folder, name, 'evaluations.jsonl'))
    ? readFileSync(join(folder, name, 'evaluations.jsonl'), 'utf8').split('\n').length - 1
    : 0;
const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/** What must repeat: not when it was, how long it took, or which id the run drew. */
const repeatable = (entries: Entry[]): unknown =>
  entries.map((entry) =>
    entry.kind === 'evaluation'
      ? { ...entry, seconds: 0 }
      : { ...entry, id: '', secondsPerStep: 0, reviewSeconds: 0 },
  );

describe('A study that is killed', () => {
  it('goes on where it was, does nothing twice, and ends with the results of one that was not', async () => {
    const calm = await ended(start('calm'));
    expect(calm.code, calm.said).toBe(0);
    expect(calm.said).toContain('<!-- study of filler, 2 steps: begin -->');

    // Once between two evaluations of the start, once in the middle of the run.
    for (const wanted of [1, 3]) {
      const child = start('struck');
      const over = ended(child);
      while (lines('struck') < wanted && child.exitCode === null) await pause(100);
      child.kill('SIGKILL');
      expect(await over.then(({ code }) => code)).toBeNull();
    }
    const kept = entriesOf('struck');
    expect(kept.length).toBeGreaterThanOrEqual(3);
    const last = await ended(start('struck'));
    expect(last.code, last.said).toBe(0);
    expect(entriesOf('struck').slice(0, kept.length)).toEqual(kept);
    expect(repeatable(entriesOf('struck'))).toEqual(repeatable(entriesOf('calm')));
    const beside = await ended(start('struck', '--against', join(folder, 'calm')));
    expect([beside.code, beside.said]).toEqual([
      0,
      expect.stringMatching(/The same weights, answers and contexts in all 1 runs and \d evaluations/),
    ]);
    const runs = readdirSync(join(folder, 'struck/lab/runs'));
    expect(runs).toHaveLength(1);
    expect(readdirSync(join(folder, 'struck/lab/runs', runs[0] as string))).not.toContain('checkpoints');

    const other = await ended(start('calm', '--items', '4'));
    expect([other.code, other.said]).toEqual([
      2,
      expect.stringMatching(/begun with other .*items.*--folder/),
    ]);
    const report = await ended(start('calm', '--report'));
    expect([report.code, report.said.includes('<!-- study of filler, 2 steps: end -->')]).toEqual([0, true]);
  });
});
