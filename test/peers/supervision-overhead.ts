/**
 * What supervision costs: the same run with p = 0.3 in every phase and with p = 0, interleaved, nothing else at work.
 * Usage: node test/peers/supervision-overhead.ts [--rounds 3] [--steps 8] [--json FILE]. The first step of each run is left
 * out (warm-up). CPU seconds are utime + stime of the engine and of each child over the whole run, start-up included.
 */
import { machine, median, numbersAndJson, spread, writeJson } from './support/figures.ts';
import { measuredRun, type MeasuredRun } from './support/measured-run.ts';
import { ROLES } from './support/process-cpu.ts';

const PHASES = ['task', 'plan', 'thought', 'output', 'exec'];
const {
  numbers: { rounds, steps },
  json,
} = numbersAndJson({ rounds: 3, steps: 8 });

// The context stays empty in both arms, so that they generate the same texts and only the reviewing differs.
const arm = (p: number): Promise<MeasuredRun> =>
  measuredRun({
    steps,
    'supervision.contextTokens': 1,
    ...Object.fromEntries(PHASES.map((phase) => [`supervision.phases.${phase}`, p])),
  });

const runs: Record<'on' | 'off', MeasuredRun[]> = { on: [], off: [] };
for (let round = 0; round < rounds; round += 1) {
  // Each arm goes first as often as the other.
  for (const which of round % 2 === 0 ? (['off', 'on'] as const) : (['on', 'off'] as const))
    runs[which].push(await arm(which === 'on' ? 0.3 : 0));
}

const timing = (which: 'on' | 'off', name: string): number[] =>
  runs[which].flatMap((run) =>
    run.steps.filter(({ step }) => step > 1).map(({ timings }) => timings[name] ?? 0),
  );
const [on, off] = [median(timing('on', 'step')), median(timing('off', 'step'))];
const cpu = ROLES.map((role) => ({
  role,
  on: median(runs.on.map((run) => run.cpu[role] / steps)),
  off: median(runs.off.map((run) => run.cpu[role] / steps)),
}));
const { cpu: model, threads, load } = machine();
const say = (line: string): void => void process.stdout.write(`${line}\n`);
say(`machine: ${threads} x ${model}, load ${load.toFixed(1)}`);
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
