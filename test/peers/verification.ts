/**
 * Verification of one step's programs in the sandbox, against a persistent unisolated serial worker with 10 s time-outs,
 * which is how the original executes them. The two take turns, part by part, in three settings: with hanging programs and
 * each side's own limits, without hanging programs, and with hanging programs under equal limits.
 * Usage: node test/peers/verification.ts [--executions 4800] [--hangs 0.01] [--parts 6] [--workers 2] [--level L3]
 *   [--settings own,none,equal] [--seed 1] [--json FILE]
 */
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { compareValues, startOurs, startPeer } from './verification-sides.ts';
import { HANGING, makeWork, type Unit } from './verification-work.ts';

const { values: given } = parseArgs({
  options: {
    executions: { type: 'string', default: '4800' },
    hangs: { type: 'string', default: '0.01' },
    parts: { type: 'string', default: '6' },
    workers: { type: 'string', default: '2' },
    level: { type: 'string', default: 'L3' },
    settings: { type: 'string', default: 'own,none,equal' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
});
const level = given.level === 'L2' ? 'L2' : 'L3';
const [executions, hangs, parts, workers, seed] = [
  given.executions,
  given.hangs,
  given.parts,
  given.workers,
  given.seed,
].map(Number) as [number, number, number, number, number];

/** The runner's default processor limit; the peer's clock counts wall time, which is all a hanging program spends. */
const EQUAL_TIMEOUT_S = 2;
const SETTINGS: Record<string, { title: string; hangs: number; timeout: number }> = {
  own: { title: `${hangs * 100} % hang, own limits (10 s and 2 s)`, hangs, timeout: 10 },
  none: { title: 'nothing hangs', hangs: 0, timeout: 10 },
  equal: { title: `${hangs * 100} % hang, equal limits (2 s)`, hangs, timeout: EQUAL_TIMEOUT_S },
};

type Sum = { seconds: number; cpu: number };
type Row = {
  setting: string;
  title: string;
  executions: number;
  hanging: number;
  ours: Sum;
  peer: Sum;
  ratios: number[];
};

const callsOf = (units: readonly Unit[]): number[] => units.flatMap((unit) => unit.args);
const add = (sum: Sum, { seconds, cpu }: Sum): Sum => ({
  seconds: sum.seconds + seconds,
  cpu: sum.cpu + cpu,
});

async function measure(name: string): Promise<Row> {
  const setting = SETTINGS[name];
  if (!setting) throw new Error(`There is no setting ${name}; use ${Object.keys(SETTINGS).join(', ')}.`);
  const work = makeWork(executions, setting.hangs, seed);
  const ours = await startOurs(level, workers);
  const peer = startPeer(setting.timeout);
  const warmUp = makeWork(60, 0, seed + 1);
  await ours.verify(warmUp);
  await peer.verify(warmUp);
  const row: Row = {
    setting: name,
    title: setting.title,
    executions: callsOf(work).length,
    hanging: callsOf(work).filter((x) => x === HANGING).length,
    ours: { seconds: 0, cpu: 0 },
    peer: { seconds: 0, cpu: 0 },
    ratios: [],
  };
  for (let part = 0; part < parts; part += 1) {
    const units = work.filter((_, index) => index % parts === part);
    const first = part % 2 === 0;
    const early = first ? await ours.verify(units) : await peer.verify(units);
    const late = first ? await peer.verify(units) : await ours.verify(units);
    const [mine, theirs] = first ? [early, late] : [late, early];
    compareValues(units, mine, theirs);
    row.ours = add(row.ours, mine);
    row.peer = add(row.peer, theirs);
    row.ratios.push(theirs.seconds / mine.seconds);
    process.stderr.write(
      `${name} ${part + 1}/${parts}: ${mine.seconds.toFixed(1)} s and ${theirs.seconds.toFixed(1)} s\n`,
    );
  }
  await ours.close();
  await peer.close();
  return row;
}

const rows: Row[] = [];
for (const name of given.settings.split(',')) rows.push(await measure(name));
const write = (line: string): void => void process.stdout.write(`${line}\n`);
write(
  `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, load ${loadavg()[0]?.toFixed(1)}, ${level} with ${workers} workers, all values equal on both sides`,
);
for (const row of rows) {
  const [wall, cpu] = [row.peer.seconds / row.ours.seconds, row.peer.cpu / row.ours.cpu];
  write(`${row.title}: ${row.executions} executions, ${row.hanging} hanging`);
  write(
    `  sandboxed ${row.ours.seconds.toFixed(1)} s (${row.ours.cpu.toFixed(1)} s of processor), unisolated ${row.peer.seconds.toFixed(1)} s (${row.peer.cpu.toFixed(1)} s)`,
  );
  write(
    `  the sandbox is ${wall.toFixed(2)} times as fast (parts ${row.ratios.map((ratio) => ratio.toFixed(2)).join(', ')}), and takes ${(1 / cpu).toFixed(2)} times the processor time`,
  );
}
if (given.json) writeFileSync(given.json, `${JSON.stringify({ level, workers, seed, rows }, null, 2)}\n`);
