/** `npm run sim`: the engine over a simulated machine, seed by seed. Ends with 1 when anything was violated or a long run missed a point. */
import { join } from 'node:path';
import { makeApplication } from './application.ts';
import { configurations } from './configs.ts';
import { HELP, readOptions, type Options } from './options.ts';
import { PLANTS } from './plants.ts';
import { PointCounter } from './points.ts';
import { scratchRoot, simulate, undisturbed, type Outcome } from './simulate.ts';
import { realFiles, takeOver } from './system.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Simulated steps of one seed before its world heals; a seed is the same in a run of one and of thousands. */
const STEPS_OF_A_SEED = 1500;
/** From so many on, every point has to have been reached. */
const LONG_RUN_STEPS = 100_000;

/** Seconds of this process on a processor, whatever else the machine is doing. */
const processorSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** @returns whether all is well. */
async function run({ seed: first, until, plant, trace }: Options): Promise<boolean> {
  const scratch = scratchRoot();
  const began = Date.now();
  const points = new PointCounter();
  const outcomes: Outcome[] = [];
  takeOver();
  await points.start();
  try {
    const application = makeApplication(join(scratch, 'application'));
    const configs = configurations(application);
    const references = await undisturbed(application, configs, join(scratch, 'world'));
    const beganSeeds = processorSeconds();
    const steps = (): number => outcomes.reduce((sum, outcome) => sum + outcome.steps, 0);
    const goesOn = (): boolean => {
      if (outcomes.length === 0) return true;
      if (until === null || outcomes.some(({ violations }) => violations.length > 0)) return false;
      return 'minutes' in until ? Date.now() - began < until.minutes * 60_000 : steps() < until.steps;
    };
    for (let seed = first; goesOn(); seed += 1) {
      const lines: string[] = [];
      const outcome = await simulate({
        seed,
        steps: STEPS_OF_A_SEED,
        application,
        configs,
        references,
        folder: join(scratch, 'world'),
        ...(plant === null ? {} : { plant: PLANTS[plant] }),
        ...(trace === null ? {} : { onTrace: (line: string) => lines.push(line) }),
      });
      outcomes.push(outcome);
      if (trace !== null) realFiles.writeFileSync(trace, `${lines.join('\n')}\n`);
      report(outcome, steps(), processorSeconds() - beganSeeds, plant);
    }
    const counts = await points.counts();
    const missed = [...counts].filter(([, count]) => count === 0).map(([name]) => name);
    const violated = outcomes.filter(({ violations }) => violations.length > 0);
    const isLong = steps() >= LONG_RUN_STEPS;
    process.stdout.write(
      `${JSON.stringify({ seeds: outcomes.map(({ seed, traceHash }) => ({ seed, traceHash })), steps: steps(), processorSeconds: processorSeconds() - beganSeeds, violations: violated.flatMap(({ violations }) => violations), points: Object.fromEntries(counts) })}\n`,
    );
    if (isLong) for (const name of missed) say(`Never reached: ${name}.`);
    return violated.length === 0 && !(isLong && missed.length > 0);
  } finally {
    realFiles.rmSync(scratch, { recursive: true, force: true });
  }
}

function report(outcome: Outcome, steps: number, seconds: number, plant: Options['plant']): void {
  const { seed, traceHash, simulatedSeconds, committedSteps, deaths, answers, refusals, struck, violations } =
    outcome;
  const faults = Object.values(struck).reduce((sum, count) => sum + count, 0);
  say(
    `seed ${seed}: ${outcome.steps} steps in ${simulatedSeconds} simulated s, ${committedSteps} commits, ${deaths} deaths, ${faults} faults of ${Object.keys(struck).length} kinds, ${answers} answers, ${refusals} refusals; trace ${traceHash.slice(0, 16)}; ${steps} steps in all, ${Math.round(steps / seconds)} a processor second`,
  );
  if (violations.length === 0) return;
  for (const line of outcome.recent) say(`  ${line}`);
  for (const violation of violations) say(`VIOLATED: ${violation}`);
  say(`Again: npm run sim -- --seed ${seed}${plant === null ? '' : ` --plant ${plant}`}`);
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') process.stdout.write(HELP);
  else process.exitCode = (await run(options)) ? 0 : 1;
} catch (error) {
  say(`sim: ${(error as Error).message}`);
  process.exitCode = 2;
}
