import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { encodedInt, parseLiteral, sameValue } from '../../electron/core/index.ts';
import type { EncodedValue } from '../../electron/contract/index.ts';
import { startRunner } from '../../electron/processes/index.ts';
import type { RunnerClient } from '../../electron/processes/index.ts';
import { HANGING, type Unit } from './verification-work.ts';

/** Wall and processor seconds, and the value of every call in order; null where there was none. */
export type Outcome = { seconds: number; cpu: number; values: (EncodedValue | null)[] };
export type Side = { verify(units: readonly Unit[]): Promise<Outcome>; close(): Promise<void> };

const ROOT = join(import.meta.dirname, '../..');
const PYTHON = join(ROOT, '.venv/bin/python');
const TICKS_A_SECOND = 100;

/** Processor seconds of a process, everything below it, and what those have reaped. */
function treeSeconds(root: number): number {
  const parents = new Map<number, number>();
  const spent = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\)/s, '')
        .trim()
        .split(' ')
        .map(Number);
      parents.set(Number(name), fields[1] ?? 0);
      spent.set(Number(name), fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) / TICKS_A_SECOND);
    } catch {
      continue; // it ended meanwhile, and its time is its parent's now
    }
  }
  const belongs = (pid: number): boolean =>
    pid === root || (parents.has(pid) && parents.get(pid) !== 0 && belongs(parents.get(pid) ?? 0));
  return [...spent].filter(([pid]) => belongs(pid)).reduce((sum, [, seconds]) => sum + seconds, 0);
}

/** The runner as the engine uses it: one job a program, proposals checked twice over on two hash seeds, default limits. */
export async function startOurs(level: 'L3' | 'L2', workers: number): Promise<Side> {
  const logFile = join(tmpdir(), `anchor-verification-${process.pid}.log`);
  const runner = await startRunner({
    python: PYTHON,
    brokerPath: join(ROOT, 'native/runner/broker.py'),
    level,
    workers,
    logFile,
  });
  if (!runner.hello.executionAllowed) throw new Error(runner.hello.why);
  return {
    async verify(units) {
      const [started, before] = [performance.now(), treeSeconds(runner.pid ?? 0)];
      const values = await Promise.all(units.map((unit) => verifyUnit(runner, unit)));
      return {
        seconds: (performance.now() - started) / 1000,
        cpu: treeSeconds(runner.pid ?? 0) - before,
        values: values.flat(),
      };
    },
    async close() {
      await runner.close();
      rmSync(logFile, { force: true });
    },
  };
}

/** Values of all calls of one program. Calls behind one that hung get a job of their own, so that nothing is left out. */
async function verifyUnit(
  runner: RunnerClient,
  { program, args, proposed }: Unit,
): Promise<(EncodedValue | null)[]> {
  const values: (EncodedValue | null)[] = [];
  while (values.length < args.length) {
    const job = {
      program,
      entry: 'f',
      calls: args.slice(values.length).map((x) => ({ args: [encodedInt(BigInt(x))] })),
    };
    const { calls } = await (proposed ? runner.check(job) : runner.run(job));
    const tried = calls.filter(({ status }) => status !== 'notRun');
    if (tried.length === 0) throw new Error(`No call of this program was tried: ${program}`);
    values.push(...tried.map(({ value }) => value ?? null));
  }
  return values;
}

/** A persistent, unisolated, serial worker that is replaced after a time-out. */
export function startPeer(timeoutSeconds: number): Side {
  const child = spawn(PYTHON, ['-I', join(import.meta.dirname, 'verification_peer.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async verify(units) {
      const work = units.flatMap(({ program, args, proposed }) =>
        args.map((x) => [program, `f(${x})`, proposed ? 2 : 1]),
      );
      child.stdin.write(`${JSON.stringify({ timeout: timeoutSeconds, work })}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error('The unisolated worker ended.');
      const told = JSON.parse(value) as { seconds: number; cpu: number; values: (string | null)[] };
      return { ...told, values: told.values.map(readValue) };
    },
    async close() {
      child.stdin.end();
      await new Promise((resolve) => child.once('close', resolve));
    },
  };
}

function readValue(text: string | null): EncodedValue | null {
  if (text === null) return null;
  const read = parseLiteral(text);
  if (!read.ok) throw new Error(`The unisolated worker gave ${text}: ${read.reason}`);
  return read.encoded;
}

/** Throws unless both sides found the same values, and none exactly where a call hangs. */
export function compareValues(units: readonly Unit[], ours: Outcome, peer: Outcome): void {
  const args = units.flatMap((unit) => unit.args);
  args.forEach((x, index) => {
    const [left, right] = [ours.values[index] ?? null, peer.values[index] ?? null];
    const fits =
      x === HANGING
        ? left === null && right === null
        : left !== null && right !== null && sameValue(left, right, 'strict');
    if (!fits)
      throw new Error(
        `Call ${index} with ${x}: the runner gave ${JSON.stringify(left)}, the worker ${JSON.stringify(right)}.`,
      );
  });
}
