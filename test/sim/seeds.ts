import { join } from 'node:path';
import { makeApplication } from './application.ts';
import { configurations } from './configs.ts';
import { FAULT_NAMES } from './faults.ts';
import type { Options } from './options.ts';
import { PointCounter } from './points.ts';
import { added, say, sum, type Report } from './report.ts';
import { simulate, undisturbed, type Outcome } from './simulate.ts';
import { clearScratchOnSignals, scratchFolder } from './scratch.ts';
import { realFiles, takeOver } from './system.ts';
import { ANSWERED_VERBS, ASKED_VERBS } from './workload.ts';

/** Simulated steps of one seed before its world heals; a seed is the same in a run of one and of thousands. */
const STEPS_OF_A_SEED = 1500;

/** Seconds of this process on a processor, whatever else the machine is doing. */
const processorSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const none = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries(names.map((name) => [name, 0]));

/** Simulates seed after seed in this process, which can do nothing else afterwards. */
export async function runSeeds({
  seed: first,
  stride,
  until,
  faults,
  mutant,
  trace,
}: Options): Promise<Report> {
  const scratch = scratchFolder();
  clearScratchOnSignals(scratch);
  // Folders that a killed engine leaves among the system's temporary ones go with the rest.
  process.env['TMPDIR'] = join(scratch, 'tmp');
  realFiles.mkdirSync(process.env['TMPDIR'], { recursive: true });
  // Folders can be looked into below a person's home.
  process.env['HOME'] = scratch;
  // Inputs are drawn, and a path among them may be relative.
  const here = join(scratch, 'some/where/here');
  realFiles.mkdirSync(here, { recursive: true });
  process.chdir(here);
  const began = Date.now();
  const points = new PointCounter();
  const outcomes: Outcome[] = [];
  takeOver();
  await points.start();
  try {
    const application = makeApplication(join(scratch, 'application'));
    const configs = configurations(application);
    const folder = join(scratch, 'world');
    const references = await undisturbed(application, configs, folder);
    say(`${configs.length} runs are taken without a fault; the seeds begin.`);
    const beganSeeds = processorSeconds();
    const steps = (): number => sum(outcomes.map((outcome) => outcome.counts.steps));
    const goesOn = (): boolean => {
      if (outcomes.length === 0) return true;
      if (until === null || outcomes.some(({ violations }) => violations.length > 0)) return false;
      return 'minutes' in until ? Date.now() - began < until.minutes * 60_000 : steps() < until.steps;
    };
    for (let seed = first; goesOn(); seed += stride) {
      const lines: string[] = [];
      const outcome = await simulate({
        seed,
        steps: STEPS_OF_A_SEED,
        application,
        configs,
        references,
        folder,
        ...(faults === null ? {} : { kinds: faults }),
        ...(trace === null ? {} : { onTrace: (line: string) => lines.push(line) }),
      });
      outcomes.push(outcome);
      if (trace !== null) realFiles.writeFileSync(trace, `${lines.join('\n')}\n`);
      tell(outcome, { faults, mutant });
    }
    return {
      seeds: outcomes.map(({ seed, traceHash }) => ({ seed, traceHash })),
      counts: added(outcomes.map(({ counts }) => counts)),
      processorSeconds: processorSeconds() - beganSeeds,
      violations: outcomes.flatMap(({ violations }) => violations),
      points: Object.fromEntries(await points.counts()),
      struck: added([none(FAULT_NAMES), ...outcomes.map(({ struck }) => struck)]),
      asked: added([none(ASKED_VERBS), ...outcomes.map(({ asked }) => asked)]),
      answered: added([none(ANSWERED_VERBS), ...outcomes.map(({ answered }) => answered)]),
    };
  } finally {
    realFiles.rmSync(scratch, { recursive: true, force: true });
  }
}

function tell(outcome: Outcome, { faults, mutant }: Pick<Options, 'faults' | 'mutant'>): void {
  const { seed, counts, traceHash, simulatedSeconds, struck, violations } = outcome;
  say(
    `seed ${seed}: ${counts.steps} steps in ${simulatedSeconds} simulated s; ${counts.commits} commits, ${counts.takenUp} runs taken up, ${counts.deaths} deaths, ${counts.faults} faults of ${Object.keys(struck).length} kinds, ${counts.answers} answers, ${counts.refusals} refusals; trace ${traceHash.slice(0, 16)}`,
  );
  if (violations.length === 0) return;
  for (const line of outcome.recent) say(`  ${line}`);
  for (const violation of violations) say(`VIOLATED: ${violation}`);
  const how = [
    ...(mutant === null ? [] : [`--mutant ${mutant}`]),
    ...(faults === null || mutant !== null ? [] : [`--faults "${faults.join() || 'none'}"`]),
  ];
  say(`Again: npm run sim -- ${[`--seed ${seed}`, ...how].join(' ')}`);
}
