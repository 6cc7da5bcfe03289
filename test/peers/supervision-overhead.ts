/**
 * What supervision costs: the same run with p = 0.3 in every phase and with p = 0, interleaved, nothing else at work.
 * Usage: node test/peers/supervision-overhead.ts [--rounds 3] [--steps 8] [--merge model|rule] [--json FILE]. The first step of each
 * run is left out (warm-up). CPU seconds are utime + stime of the engine and of each child over the whole run, start-up included.
 *
 * With --merge, summaries and contexts are put into words, by the supervisor's model or by rule, and shown: texts then differ from those
 * of p = 0, so that steps cannot be compared. Measured is what share of a step nothing but supervision works in.
 */
import { commandLine, machine, median, spread, writeJson } from './support/figures.ts';
import { measuredRun, reviewedWith, type MeasuredRun, type MeasuredStep } from './support/measured-run.ts';
import { ROLES } from './support/process-cpu.ts';
import { waitsOf } from './support/reviewing.ts';

const WORDED = {
  model: { 'supervision.summary': 'model', 'supervision.merge': 'model' },
  rule: { 'supervision.summary': 'rule', 'supervision.merge': 'guidance' },
} as const;
const {
  numbers: { rounds, steps },
  texts: { merge },
  json,
} = commandLine({ rounds: 3, steps: 8 }, ['merge']);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const warm = ({ steps: all }: MeasuredRun): MeasuredStep[] => all.filter(({ step }) => step > 1);

function sayMachine(): void {
  const { cpu, threads, load } = machine();
  say(`machine: ${threads} x ${cpu}, load ${load.toFixed(1)}`);
}

async function againstNone(): Promise<void> {
  // The context stays empty in both arms, so that they generate the same texts and only the reviewing differs.
  const arm = (p: number): Promise<MeasuredRun> =>
    measuredRun({ steps, 'supervision.contextTokens': 1, ...reviewedWith(p) });

  const runs: Record<'on' | 'off', MeasuredRun[]> = { on: [], off: [] };
  for (let round = 0; round < rounds; round += 1) {
    // Each arm goes first as often as the other.
    for (const which of round % 2 === 0 ? (['off', 'on'] as const) : (['on', 'off'] as const))
      runs[which].push(await arm(which === 'on' ? 0.3 : 0));
  }

  const timing = (which: 'on' | 'off', name: string): number[] =>
    runs[which].flatMap((run) => warm(run).map(({ timings }) => timings[name] ?? 0));
  const [on, off] = [median(timing('on', 'step')), median(timing('off', 'step'))];
  const cpu = ROLES.map((role) => ({
    role,
    on: median(runs.on.map((run) => run.cpu[role] / steps)),
    off: median(runs.off.map((run) => run.cpu[role] / steps)),
  }));
  sayMachine();
  say(
    `step in seconds, median [extremes] of ${timing('on', 'step').length}: p = 0.3 ${spread(timing('on', 'step'))}, p = 0 ${spread(timing('off', 'step'))}, ratio ${(on / off).toFixed(3)}`,
  );
  say(
    `reviewing ${median(timing('on', 'supervise')).toFixed(2)} s a step, waited for ${median(timing('on', 'supervise_wait')).toFixed(2)} s of it`,
  );
  say('CPU seconds a step      p = 0.3    p = 0   difference');
  for (const row of cpu)
    say(
      `  ${row.role.padEnd(18)} ${row.on.toFixed(2).padStart(10)} ${row.off.toFixed(2).padStart(8)} ${(row.on - row.off).toFixed(2).padStart(12)}`,
    );
  const total = (which: 'on' | 'off'): number => cpu.reduce((sum, row) => sum + row[which], 0);
  say(
    `  ${'all'.padEnd(18)} ${total('on').toFixed(2).padStart(10)} ${total('off').toFixed(2).padStart(8)} ${(total('on') - total('off')).toFixed(2).padStart(12)}`,
  );
  writeJson(json, {
    rounds,
    steps,
    secondsPerStep: { on: timing('on', 'step'), off: timing('off', 'step') },
    ratio: on / off,
    reviewingSeconds: timing('on', 'supervise'),
    waitedSeconds: timing('on', 'supervise_wait'),
    cpuSecondsPerStep: cpu,
  });
}

async function waiting(by: keyof typeof WORDED): Promise<void> {
  const measured: MeasuredStep[] = [];
  for (let round = 0; round < rounds; round += 1)
    measured.push(...warm(await measuredRun({ steps, ...reviewedWith(0.3), ...WORDED[by] })));
  const seconds = measured.map(({ timings }) => timings['step'] ?? 0);
  const lines = measured.map(({ contextLines }) => contextLines);
  const waits = waitsOf(measured);
  sayMachine();
  say(`lines in words by ${by}, p = 0.3, ${measured.length} steps of ${spread(seconds)} seconds`);
  say(`lines of the context in a step ${spread(lines, 0)}`);
  say('waited for, % of a step     mean    most');
  for (const [name, part] of [
    ['reviews', 'reviews'],
    ['summaries and context', 'context'],
    ['all', 'all'],
  ] as const)
    say(
      `  ${name.padEnd(22)} ${(100 * waits.mean[part]).toFixed(2).padStart(7)} ${(100 * waits.most[part]).toFixed(2).padStart(7)}`,
    );
  writeJson(json, { rounds, steps, merge: by, secondsPerStep: seconds, contextLines: lines, waits });
}

if (merge === undefined) await againstNone();
else if (merge === 'model' || merge === 'rule') await waiting(merge);
else throw new Error(`--merge takes model or rule, not "${merge}".`);
