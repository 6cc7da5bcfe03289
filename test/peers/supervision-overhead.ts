/**
 * What supervision costs: the same run with p = 0.3 in every phase and with p = 0, interleaved, nothing else at work.
 * Usage: node test/peers/supervision-overhead.ts [rounds] [steps]. The first step of each run is left out (warm-up).
 */
import { spawnSync } from 'node:child_process';
import { cpus, tmpdir } from 'node:os';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';

const ROUNDS = Number(process.argv[2] ?? 3);
const STEPS = Number(process.argv[3] ?? 8);
const PROGRAM = join(import.meta.dirname, '../../electron/cli/anchor.ts');

type Sample = { step: number; waited: number; reviewing: number };

function measure(p: number): Sample[] {
  const lab = mkdtempSync(join(tmpdir(), 'anchor-overhead-'));
  try {
    const phases = ['task', 'plan', 'thought', 'output', 'exec'].flatMap((phase) => ['--set', `supervision.phases.${phase}=${p}`]);
    // The context stays empty in both arms, so that they generate the same texts and only the reviewing differs.
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, '--lab', lab, 'run', '--preset', 'demo', '--set', `steps=${STEPS}`, '--set', 'supervision.contextTokens=1', ...phases], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`The run with p = ${p} failed: ${stderr}`);
    const db = new SqliteDatabase(join(lab, 'lab.sqlite'), { readonly: true });
    const series = (name: string): number[] => (db.prepare(`SELECT value FROM metrics WHERE kind = 'timing' AND name = ? AND step > 1 ORDER BY step`).all(name) as { value: number }[]).map((row) => row.value);
    const [step, waited, reviewing] = [series('step'), series('supervise_wait'), series('supervise')];
    db.close();
    return step.map((value, index) => ({ step: value, waited: waited[index] ?? 0, reviewing: reviewing[index] ?? 0 }));
  } finally {
    rmSync(lab, { recursive: true, force: true });
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? (sorted[Math.floor(middle)] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

const samples: Record<'on' | 'off', Sample[]> = { on: [], off: [] };
for (let round = 0; round < ROUNDS; round += 1) {
  samples.off.push(...measure(0));
  samples.on.push(...measure(0.3));
}
const [on, off] = [median(samples.on.map((sample) => sample.step)), median(samples.off.map((sample) => sample.step))];
process.stdout.write(`machine: ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}\n`);
process.stdout.write(`step, median of ${samples.on.length}: p = 0.3 ${on.toFixed(2)} s, p = 0 ${off.toFixed(2)} s, ratio ${(on / off).toFixed(3)}\n`);
process.stdout.write(`reviewing ${median(samples.on.map((sample) => sample.reviewing)).toFixed(2)} s a step, waited for ${median(samples.on.map((sample) => sample.waited)).toFixed(2)} s of it\n`);
