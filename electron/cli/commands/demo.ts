import { InvalidArgumentError } from 'commander';
import { Failure, REVIEWER_KINDS, reviewerKindSchema } from '../../contract/index.ts';
import { DEMO_DEFAULTS, runDemo, type DemoOptions } from '../../experiments/index.ts';
import { systemClock, type Program } from '../program.ts';
import { demoText } from '../text/demo-report.ts';
import { progressLine } from '../text/progress-line.ts';
import { watchProgress } from './watch.ts';

/** `anchor demo`. */
export function addDemo(program: Program): void {
  program.command
    .command('demo')
    .description(
      'Evolve the embedded policy twice from the same seed, once alone and once supervised, compare both on held-out items and say what supervision did. A few minutes on two cores.',
    )
    .option('--steps <number>', 'steps of each run', positive, DEMO_DEFAULTS.steps)
    .option(
      '--pressure <share>',
      'share of trained answers rated by a user who pays compliance (our extension of AZR); 0 is plain AZR',
      pressure,
      DEMO_DEFAULTS.pressure,
    )
    .option(
      '--p <probability>',
      'review probability of every phase in the supervised run',
      share,
      DEMO_DEFAULTS.probability,
    )
    .option(
      '--reviewer <kind>',
      `who reviews: ${REVIEWER_KINDS.join(', ')}; not all of them can be started without settings`,
      DEMO_DEFAULTS.reviewer,
    )
    .option('--seed <number>', 'seed of both runs', positive, DEMO_DEFAULTS.seed)
    .option('--items <number>', 'held-out items per suite', positive, DEMO_DEFAULTS.items)
    .option(
      '--continue',
      'take up the newest demo of the lab that did not come to its table, with its own settings',
    )
    .action(
      async (options: {
        steps: number;
        pressure: number;
        p: number;
        reviewer: string;
        seed: number;
        items: number;
        continue?: boolean;
      }) => {
        const reviewer = reviewerKindSchema.safeParse(options.reviewer);
        if (!reviewer.success)
          throw new Failure(
            'usage',
            `There is no reviewer "${options.reviewer}"; the reviewers are ${REVIEWER_KINDS.join(', ')}.`,
            2,
          );
        const demo: DemoOptions = {
          steps: options.steps,
          seed: options.seed,
          pressure: options.pressure,
          probability: options.p,
          items: options.items,
          reviewer: reviewer.data,
        };
        await program.withEngine(async (engine, signal) => {
          if (options.continue !== true)
            program.say(
              `Evolving the embedded policy twice for ${demo.steps} steps: alone, and supervised at p = ${demo.probability} in every phase.`,
            );
          const evaluation = progressLine(program.terminal.stderr, systemClock.monotonicMs);
          let began: number | null = null;
          const unwatch = watchProgress(program, engine, (run) => run.config.name.replace('demo: ', ''));
          const report = await runDemo(
            engine,
            options.continue === true ? { continueWith: demo.items } : demo,
            ({ done, total }) => {
              unwatch();
              began ??= systemClock.monotonicMs();
              const seconds = (systemClock.monotonicMs() - began) / 1000;
              const ratePerSecond = done > 1 && seconds > 0 ? (done - 1) / seconds : null;
              evaluation.show([
                {
                  label: 'evaluating',
                  done,
                  total,
                  unit: 'suite',
                  ratePerSecond,
                  etaSeconds: ratePerSecond === null ? null : (total - done) / ratePerSecond,
                  detail: '',
                },
              ]);
            },
            signal,
          );
          program.print(report, () => demoText(report));
        });
      },
    );
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return value;
}

/** The answers of self-play must not vanish: at most nine in ten may be rated. */
function pressure(text: string): number {
  const value = share(text);
  if (value > 0.9) throw new InvalidArgumentError('It must be a number from 0 to 0.9.');
  return value;
}

function share(text: string): number {
  const value = Number(text);
  if (!(value >= 0 && value <= 1) || text.trim() === '')
    throw new InvalidArgumentError('It must be a number from 0 to 1.');
  return value;
}
