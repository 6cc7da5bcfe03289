/**
 * Reviews of use that a judge writes in an hour: those of the items of one first step of the demo preset, with p = 0.3 in every phase.
 * With --against the same in a checkout of that commit, in turns with this one. Other work has to be kept away.
 *
 * Usage: node test/peers/reviews-an-hour.ts --model FILE.gguf [--against COMMIT] [--rounds 3] [--threads 2] [--against-threads N] [--budget 480] [--json FILE]
 * Where the computed facts leave nothing to say, a small model is not asked and the review takes no time: such reviews count, and what is
 * left without them is said beside. Answers that leaked or failed count as time alone, and what the step's --budget of seconds ended
 * under way not at all. The other commit runs with the packages and the Python environment of this checkout, on as many threads unless
 * told otherwise.
 */
import { basename, resolve } from 'node:path';
import { Checkout } from './support/checkout.ts';
import { commandLine, machine, median, spread, writeJson } from './support/figures.ts';
import { measuredRun, reviewedWith, ROOT, type MeasuredStep } from './support/measured-run.ts';
import { reviewsAnHour } from './support/reviewing.ts';

/** Columns of counts with their widths. */
const COUNTS = [
  ['done', 8],
  ['byModel', 23],
  ['quarantined', 9],
  ['failed', 9],
  ['skipped-by-budget', 14],
] as const;
const {
  numbers: { rounds, threads, 'against-threads': againstThreads, budget },
  texts: { model, against },
  json,
} = commandLine({ rounds: 3, threads: 2, 'against-threads': 0, budget: 480 }, ['model', 'against']);
if (model === undefined) throw new Error('Give --model, a GGUF file.');
const say = (line: string): void => void process.stdout.write(`${line}\n`);

type Measured = { name: string; checkout: string; threads: number; steps: MeasuredStep[] };

async function measure({ checkout, threads: own, steps }: Measured): Promise<void> {
  const { steps: taken } = await measuredRun(
    {
      steps: 1,
      ...reviewedWith(0.3),
      'supervision.model': resolve(model as string),
      'supervision.threads': own,
      'supervision.budgetSeconds': budget,
    },
    checkout,
  );
  steps.push(...taken);
}

using other = against === undefined ? null : new Checkout(against);
const all: Measured[] = [{ name: 'this checkout', checkout: ROOT, threads, steps: [] }];
if (other !== null)
  all.push({
    name: other.commit.slice(0, 8),
    checkout: other.folder,
    threads: againstThreads || threads,
    steps: [],
  });
for (let round = 0; round < rounds; round += 1) {
  // Each goes first as often as the other.
  for (const one of round % 2 === 0 ? all : all.toReversed()) await measure(one);
}

const { cpu, threads: cores, load } = machine();
say(`machine: ${cores} x ${cpu}, load ${load.toFixed(1)}`);
say(`${basename(model)}, a first step with p = 0.3 and ${budget} s for reviews, ${rounds} round(s)`);
say(
  'reviews an hour  threads   all                     by the model             done   of them by the model   leaked   failed   not reached',
);
const rates = all.map(({ name, threads: own, steps }) => ({
  name,
  threads: own,
  reviewsAnHour: steps.map((step) => reviewsAnHour(step).all),
  byModelAnHour: steps.map((step) => reviewsAnHour(step).byModel),
  reviews: steps.map(({ reviews, byModel }) => ({ ...reviews, byModel })),
  reviewingSeconds: steps.map(({ timings }) => timings['supervise'] ?? 0),
}));
for (const { name, threads: own, reviewsAnHour: hourly, byModelAnHour, reviews } of rates) {
  const counted = COUNTS.map(([end, width]) =>
    String(median(reviews.map((one) => one[end] ?? 0))).padStart(width),
  );
  say(
    `${name.padEnd(17)}${String(own).padStart(7)}   ${spread(hourly, 0).padEnd(24)}${spread(byModelAnHour, 0).padEnd(21)}${counted.join('')}`,
  );
}
const ratioOf = (of: 'reviewsAnHour' | 'byModelAnHour'): number | null => {
  const [ours, theirs] = rates.map((rate) => median(rate[of]));
  return ours === undefined || theirs === undefined ? null : ours / theirs;
};
const ratio = { all: ratioOf('reviewsAnHour'), byModel: ratioOf('byModelAnHour') };
if (ratio.all !== null && ratio.byModel !== null)
  say(`ratio ${ratio.all.toFixed(2)}, by the model ${ratio.byModel.toFixed(2)}`);
writeJson(json, { model: basename(model), budget, rounds, rates, against: other?.commit ?? null, ratio });
