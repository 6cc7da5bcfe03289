import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll } from 'vitest';

/** The command line of this checkout, run for real against a lab of its own. */
const PROGRAM = join(import.meta.dirname, '../../electron/cli/anchor.ts');

export type CliResult = { code: number | null; stdout: string; stderr: string };

export function makeLab(): string {
  return mkdtempSync(join(tmpdir(), 'anchor-lab-'));
}

export function removeLab(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  rmSync(`${folder}.stderr`, { force: true });
}

/** Makes labs that go when the tests of the file that calls this are done. */
export function labsOfThisFile(): () => string {
  const labs: string[] = [];
  afterAll(() => labs.forEach(removeLab));
  return () => {
    const folder = makeLab();
    labs.push(folder);
    return folder;
  };
}

export function anchor(lab: string, args: readonly string[], timeoutMs = 300_000): CliResult {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, '--lab', lab, ...args], {
    encoding: 'utf8',
    timeout: timeoutMs,
    maxBuffer: 64 * 1024 * 1024,
  });
  return { code: status, stdout, stderr };
}

/** Starts it without waiting; what it says goes to `<lab>.stderr`. */
export function startAnchor(lab: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [PROGRAM, '--lab', lab, ...args], {
    stdio: ['ignore', 'ignore', openSync(`${lab}.stderr`, 'a')],
  });
}

export function saidBy(lab: string): string {
  return readFileSync(`${lab}.stderr`, 'utf8').split('\n').slice(-12).join('\n');
}

/** A run small enough for a test and with everything in it: all task types, rewarded prompts, every phase. */
export const SMALL_RUN = [
  'run',
  '--preset',
  'demo',
  '--set',
  'steps=2',
  '--set',
  'framework.batchSize=3',
  '--set',
  'framework.estimateSamples=2',
  '--set',
  'rewardedPrompts.samplesPerPrompt=2',
  '--set',
  'generation.maxNewTokens=96',
] as const;

/** Reads a lab with a connection of its own; the writer has closed it or is another process. */
export function query<Row>(lab: string, sql: string, ...values: unknown[]): Row[] {
  const db = new SqliteDatabase(join(lab, 'lab.sqlite'), { readonly: true });
  try {
    return db.prepare(sql).all(...values) as Row[];
  } finally {
    db.close();
  }
}

export type StepRow = { run_id: string; step: number; step_hash: string; weights_sha256: string };

export function steps(lab: string): StepRow[] {
  return existsSync(join(lab, 'lab.sqlite'))
    ? query<StepRow>(lab, 'SELECT run_id, step, step_hash, weights_sha256 FROM steps ORDER BY run_id, step')
    : [];
}
