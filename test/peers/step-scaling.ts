/**
 * How the time of a step grows: with the batch, with the length of responses, and not with what lies behind.
 * Usage: node test/peers/step-scaling.ts [--rounds 3] [--steps 300] [--json FILE]
 * The sizes take turns in every round. Lengths are imposed by sampling at a temperature where the end token is as unlikely
 * as any other, so that nearly every response reaches azr.maxNewTokens. The long run has small steps, so that what is
 * written and kept weighs most, and a learning rate that moves nothing, so that its texts stay alike.
 */
import { machine, median, numbersAndJson, spread, writeJson } from './support/figures.ts';
import { measuredRun, type MeasuredRun, type MeasuredStep } from './support/measured-run.ts';
import { ROLES } from './support/process-cpu.ts';

const { numbers: { rounds, steps }, json } = numbersAndJson({ rounds: 3, steps: 300 });
/** Steps of a run that is measured for its size; the first is left out. */
const SHORT = 4;
const ALONE = { 'pressure.share': 0, 'train.learningRate': 1e-12, ...Object.fromEntries(['task', 'plan', 'thought', 'output', 'exec'].map((phase) => [`supervision.phases.${phase}`, 0])) };
const say = (line: string): void => void process.stdout.write(`${line}\n`);

type Sized = { size: number; steps: MeasuredStep[] };

async function sizes(all: readonly number[], settingsOf: (size: number) => Record<string, string | number>): Promise<Sized[]> {
  const measured = all.map((size): Sized => ({ size, steps: [] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const one of measured) one.steps.push(...(await measuredRun({ ...ALONE, steps: SHORT, ...settingsOf(one.size) })).steps.filter(({ step }) => step > 1));
  }
  return measured;
}

const perThousand = ({ timings, newTokens }: MeasuredStep): number => ((timings['step'] ?? 0) * 1000) / newTokens;

function table(title: string, measured: readonly Sized[]): void {
  say(`${title}   seconds a step          new tokens   s per 1,000   generation   estimates   update`);
  for (const { size, steps: rows } of measured) {
    const of = (name: string): string => median(rows.map(({ timings }) => timings[name] ?? 0)).toFixed(2).padStart(9);
    say(`${String(size).padStart(title.length)}   ${spread(rows.map(({ timings }) => timings['step'] ?? 0)).padEnd(22)} ${median(rows.map(({ newTokens }) => newTokens)).toFixed(0).padStart(11)}`
      + `   ${median(rows.map(perThousand)).toFixed(3).padStart(11)}   ${of('gen')}   ${of('estimate')} ${of('update_actor')}`);
  }
}

/** Steps around the third and around the last; the first is warm-up, the last has no next step to end at. */
function windows(run: MeasuredRun): { early: MeasuredStep[]; late: MeasuredStep[] } {
  const width = Math.min(20, Math.floor((steps - 1) / 2));
  return { early: run.steps.filter(({ step }) => step > 1 && step <= width + 1), late: run.steps.filter(({ step }) => step > steps - width && step < steps) };
}

/** Whatever a step does beside generation and update: prompts, verification's tail, commit, files, pruning. */
const rest = ({ period, timings }: MeasuredStep): number => (period ?? Number.NaN) - (timings['gen'] ?? 0) - (timings['estimate'] ?? 0) - (timings['update_actor'] ?? 0) - (timings['save_checkpoint'] ?? 0);
const cpuOf = ({ cpu }: MeasuredStep): number => ROLES.reduce((sum, role) => sum + cpu[role], 0);
const ratio = (late: readonly number[], early: readonly number[]): number => median(late) / median(early);
const numbers = (rows: readonly MeasuredStep[], figure: (step: MeasuredStep) => number): number[] => rows.map(figure).filter(Number.isFinite);

const { cpu: model, threads, load } = machine();
say(`machine: ${threads} x ${model}, load ${load.toFixed(1)}`);
const byBatch = await sizes([8, 16, 32, 64], (size) => ({ 'azr.batchSize': size, 'policy.maxConcurrent': 64 }));
table('prompts per batch', byBatch);
const byLength = await sizes([32, 64, 128, 256], (size) => ({ 'azr.maxNewTokens': size, 'azr.maxPromptTokens': 512, 'azr.temperature': 100 }));
table('longest response', byLength);

const long = await measuredRun({
  ...ALONE, steps, 'azr.batchSize': 2, 'azr.estimateSamples': 1, 'azr.maxNewTokens': 64, 'supervision.reviewer': 'rubric',
  ...Object.fromEntries(['task', 'plan', 'thought', 'output', 'exec'].map((phase) => [`supervision.phases.${phase}`, 0.3])), 'supervision.contextTokens': 1,
});
const { early, late } = windows(long);
const figures = [
  ['seconds a step', (step) => step.period ?? Number.NaN],
  ['seconds per 1,000 new tokens', (step) => ((step.period ?? Number.NaN) * 1000) / step.newTokens],
  ['CPU seconds a step', cpuOf],
  ['seconds beside generation and update', rest],
  ['new tokens a step', (step) => step.newTokens],
] as const satisfies readonly (readonly [string, (step: MeasuredStep) => number])[];
say(`run length: medians of the ${early.length} steps from ${early[0]?.step} and of the ${late.length} from ${late[0]?.step}`);
for (const [name, figure] of figures) {
  say(`  ${name.padEnd(38)} ${median(numbers(early, figure)).toFixed(3)}  ${median(numbers(late, figure)).toFixed(3)}  ratio ${ratio(numbers(late, figure), numbers(early, figure)).toFixed(3)}`);
}
writeJson(json, { rounds, batch: byBatch, length: byLength, runLength: { steps, early, late, ratios: Object.fromEntries(figures.map(([name, figure]) => [name, ratio(numbers(late, figure), numbers(early, figure))])) } });
