/**
 * How the time of a step grows: with the batch, with the length of responses, and not with what lies behind.
 * Usage: node test/peers/step-scaling.ts [--rounds 3] [--steps 300] [--long 3] [--json FILE]
 * The sizes take turns in every round. Lengths are imposed by sampling at a temperature where the end token is as unlikely
 * as any other, so that nearly every response reaches azr.maxNewTokens. The --long runs of
 * --steps have small steps, so that what is written and kept weighs most, and a learning rate that moves nothing, so that their texts
 * stay alike. Single steps and the machine vary by a tenth and more, so that two of them cannot be compared: a line is drawn through
 * all steps of a run, and its height at the last is set against that at the third.
 */
import { commandLine, machine, median, spread, writeJson } from './support/figures.ts';
import { line } from './support/line.ts';
import { measuredRun, reviewedWith, type MeasuredStep } from './support/measured-run.ts';
import { ROLES } from './support/process-cpu.ts';

const {
  numbers: { rounds, steps, long },
  json,
} = commandLine({ rounds: 3, steps: 300, long: 3 });
/** Steps of a run that is measured for its size; the first is left out. */
const SHORT = 4;
const ALONE = {
  'rewardedPrompts.share': 0,
  'train.learningRate': 1e-12,
  ...reviewedWith(0),
};
const say = (text: string): void => void process.stdout.write(`${text}\n`);

type Sized = { size: number; steps: MeasuredStep[] };

async function sizes(
  all: readonly number[],
  settingsOf: (size: number) => Record<string, string | number>,
): Promise<Sized[]> {
  const measured = all.map((size): Sized => ({ size, steps: [] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const one of measured)
      one.steps.push(
        ...(await measuredRun({ ...ALONE, steps: SHORT, ...settingsOf(one.size) })).steps.filter(
          ({ step }) => step > 1,
        ),
      );
  }
  return measured;
}

const perThousand = ({ timings, newTokens }: MeasuredStep): number =>
  ((timings['step'] ?? 0) * 1000) / newTokens;

function table(title: string, measured: readonly Sized[]): void {
  say(`${title}   seconds a step          new tokens   s per 1,000   generation   estimates   update`);
  for (const { size, steps: rows } of measured) {
    const of = (name: string): string =>
      median(rows.map(({ timings }) => timings[name] ?? 0))
        .toFixed(2)
        .padStart(9);
    say(
      `${String(size).padStart(title.length)}   ${spread(rows.map(({ timings }) => timings['step'] ?? 0)).padEnd(22)} ${median(
        rows.map(({ newTokens }) => newTokens),
      )
        .toFixed(0)
        .padStart(11)}` +
        `   ${median(rows.map(perThousand)).toFixed(3).padStart(11)}   ${of('gen')}   ${of('estimate')} ${of('update_actor')}`,
    );
  }
}

/** Whatever a step does beside generation and update: prompts, verification's tail, commit, files, pruning. */
const rest = ({ period, timings }: MeasuredStep): number =>
  (period ?? Number.NaN) -
  (timings['gen'] ?? 0) -
  (timings['estimate'] ?? 0) -
  (timings['update_actor'] ?? 0) -
  (timings['save_checkpoint'] ?? 0);
const cpuOf = ({ cpu }: MeasuredStep): number => ROLES.reduce((sum, role) => sum + cpu[role], 0);

/** What a step cost by the line through all of them, at the third and at the last; the first is warm-up, the last has no next step to end at. */
function growth(
  run: readonly MeasuredStep[],
  figure: (step: MeasuredStep) => number,
): { third: number; last: number; ratio: number } {
  const points = run
    .filter(({ step }) => step > 1 && step < steps)
    .map((step) => ({ x: step.step, y: figure(step) }))
    .filter(({ y }) => Number.isFinite(y));
  const cost = line(points);
  return { third: cost(3), last: cost(steps), ratio: cost(steps) / cost(3) };
}

const { cpu: model, threads, load } = machine();
say(`machine: ${threads} x ${model}, load ${load.toFixed(1)}`);
const byBatch = await sizes([8, 16, 32, 64], (size) => ({
  'framework.batchSize': size,
  'policy.maxConcurrent': 64,
}));
table('prompts per batch', byBatch);
const byLength = await sizes([32, 64, 128, 256], (size) => ({
  'generation.maxNewTokens': size,
  'generation.maxPromptTokens': 512,
  'generation.temperature': 100,
}));
table('longest response', byLength);

const FIGURES = {
  'seconds a step': (step) => step.period ?? Number.NaN,
  'new tokens a step': (step) => step.newTokens,
  'seconds per 1,000 new tokens': (step) => ((step.period ?? Number.NaN) * 1000) / step.newTokens,
  'CPU seconds per 1,000 new tokens': (step) => (cpuOf(step) * 1000) / step.newTokens,
  'seconds beside generation and update': rest,
} as const satisfies Record<string, (step: MeasuredStep) => number>;

const runs: MeasuredStep[][] = [];
for (let seed = 1; seed <= long; seed += 1) {
  runs.push(
    (
      await measuredRun({
        ...ALONE,
        seed,
        steps,
        'framework.batchSize': 2,
        'framework.estimateSamples': 1,
        'generation.maxNewTokens': 64,
        'supervision.reviewer': 'rubric',
        ...reviewedWith(0.3),
        'supervision.contextTokens': 1,
      })
    ).steps,
  );
}
say(
  `run length: by the line through the steps of a run, medians of ${long} runs     step 3   step ${steps}   ratio [least – most]`,
);
const runLength = Object.entries(FIGURES).map(([name, figure]) => {
  const grown = runs.map((run) => growth(run, figure));
  const of = (part: 'third' | 'last'): string =>
    median(grown.map((one) => one[part]))
      .toFixed(3)
      .padStart(9);
  say(
    `  ${name.padEnd(72)} ${of('third')}  ${of('last')}   ${spread(
      grown.map(({ ratio }) => ratio),
      3,
    )}`,
  );
  return { name, runs: grown };
});
writeJson(json, { rounds, steps, batch: byBatch, length: byLength, runLength });
