import { InvalidArgumentError, Option } from 'commander';
import { Failure, REVIEWER_KINDS, reviewerKindSchema, type Job } from '../../contract/index.ts';
import { DEMO_FRAMEWORKS } from '../../evolution/index.ts';
import {
  DEMO_DEFAULTS,
  demoDefaults,
  MERGES,
  type DemoColumn,
  type DemoOptions,
  type DemoReport,
} from '../../experiments/index.ts';
import type { WorkingVerbs } from '../engine-elsewhere.ts';
import { atLeastOne, stepCount, type Program } from '../program.ts';
import { followJob, watchProgress } from '../progress.ts';
import { linesText } from '../step-text.ts';
import { formatDuration, formatPercent, OVERRIDDEN, renderTable } from '../table.ts';

/** `anchor demo`. */
export function addDemo(program: Program): void {
  program.command
    .command('demo')
    .description(
      'Evolve the embedded policy twice from the same seed, once alone and once supervised, compare both on held-out items and say what supervision did. A few minutes on two cores.',
    )
    .addOption(
      new Option('--framework <name>', 'how the policy evolves itself')
        .choices(DEMO_FRAMEWORKS)
        .default(DEMO_DEFAULTS.framework),
    )
    .option(
      '--steps <number>',
      `steps of each run (default: ${DEMO_FRAMEWORKS.map((name) => `${name} ${demoDefaults(name).steps}`).join(', ')})`,
      stepCount,
    )
    .option(
      '--rewarded-share <share>',
      'share of trained answers rated by a user who pays compliance (our extension); 0 is self-play alone',
      rewardedShareOption,
      DEMO_DEFAULTS.rewardedShare,
    )
    .addOption(
      new Option('--pressure <share>', 'the spelling of earlier versions')
        .argParser(rewardedShareOption)
        .hideHelp(),
    )
    .option(
      '--p <probability>',
      'review probability of every phase in the supervised run',
      shareOption,
      DEMO_DEFAULTS.probability,
    )
    .option(
      '--reviewer <kind>',
      `who reviews: ${REVIEWER_KINDS.join(', ')}; not all of them can be started without settings`,
      DEMO_DEFAULTS.reviewer,
    )
    .addOption(
      new Option(
        '--merge <who>',
        "who words summaries and context of the supervised run: the supervisor's model (as in the paper), or a rule that takes trained lines",
      )
        .choices(MERGES)
        .default(DEMO_DEFAULTS.merge),
    )
    .option('--seed <number>', 'seed of both runs', atLeastOne, DEMO_DEFAULTS.seed)
    .option('--items <number>', 'held-out items per suite', atLeastOne, DEMO_DEFAULTS.items)
    .option(
      '--continue',
      'take up the newest demo of the lab that did not come to its table, with its own settings',
    )
    .action(
      async (options: {
        framework: DemoOptions['framework'];
        steps?: number;
        rewardedShare: number;
        pressure?: number;
        p: number;
        reviewer: string;
        merge: DemoOptions['merge'];
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
        const { framework } = options;
        const demo: DemoOptions = {
          framework,
          steps: options.steps ?? demoDefaults(framework).steps,
          seed: options.seed,
          rewardedShare: options.pressure ?? options.rewardedShare,
          probability: options.p,
          items: options.items,
          points: DEMO_DEFAULTS.points,
          reviewer: reviewer.data,
          merge: options.merge,
        };
        await program.withVerbs(async ({ demo: verbs }, engine, signal) => {
          const job = await (options.continue === true
            ? goOn(verbs, demo.items)
            : begin(program, verbs, demo));
          const unwatch = watchProgress(program, engine, (run) => run.config.name.replace('demo: ', ''));
          // While the runs are at work their lines are drawn; the suites that are asked afterwards are counted in the job.
          const asking = ({ total }: Job): boolean => total > 0;
          const { result, problem } = await followJob<DemoReport>(
            program,
            engine,
            job,
            signal,
            asking,
          ).finally(unwatch);
          if (signal.aborted)
            throw new Failure(
              'stopped',
              'The demo was stopped; steps and answers so far are kept, and "anchor demo --continue" takes it up again.',
            );
          if (result === null)
            throw new Failure('stopped', problem ?? 'The demo ended without a table; its job was forgotten.');
          program.print(result, () => demoText(result));
        });
      },
    );
}

type Verbs = WorkingVerbs['demo'];

async function begin(program: Program, verbs: Verbs, demo: DemoOptions): Promise<Job> {
  const { job } = await verbs.start(demo);
  program.say(
    `Evolving the embedded policy twice under ${demo.framework} for ${demo.steps} steps: alone, and supervised at p = ${demo.probability} in every phase, its context ${demo.merge === 'model' ? "worded by the supervisor's model" : 'made by rule'}.`,
  );
  return job;
}

/** Takes up the newest demo, with the settings that its runs have. */
async function goOn(verbs: Verbs, items: number): Promise<Job> {
  const [newest] = await verbs.pairs();
  if (newest === undefined)
    throw new Failure('noDemo', 'There is no demo in this lab to continue; start one with "anchor demo".', 2);
  const { alone, supervised } = newest;
  return verbs.goOn({ alone, supervised, items });
}

/** The answers of self-play must not vanish: at most nine in ten may be rated. */
function rewardedShareOption(text: string): number {
  const value = shareOption(text);
  if (value > 0.9) throw new InvalidArgumentError('It must be a number from 0 to 0.9.');
  return value;
}

function shareOption(text: string): number {
  const value = Number(text);
  if (!(value >= 0 && value <= 1) || text.trim() === '')
    throw new InvalidArgumentError('It must be a number from 0 to 1.');
  return value;
}

/** The demo's result as text: scores with intervals, what supervision said, what entered the context and why, and what it cost. */
export function demoText(report: DemoReport): string {
  return [
    header(report),
    scores(report),
    contrasts(report),
    commonIssues(report),
    lines(report),
    cost(report),
    places(report),
  ].join('\n\n');
}

function header({ options, seconds }: DemoReport): string {
  const rewarded =
    options.rewardedShare === 0
      ? 'No rewarded prompts: self-play alone.'
      : `Rewarded prompts (our extension): ${formatPercent(options.rewardedShare)} of trained answers were rated by a user who pays compliance.`;
  return (
    `Two runs of ${options.steps} steps under ${options.framework} from the same weights, seed ${options.seed} and first tasks.\n${rewarded}\n` +
    `Training took ${formatDuration(seconds.training)}, evaluation ${formatDuration(seconds.evaluation)}. The world is a toy: these figures say nothing about large models.`
  );
}

const columnTitle = ({ arm, withContext }: DemoColumn): string => (withContext ? `${arm} +C` : arm);

function scores({ columns }: DemoReport): string {
  const suites = columns[0]?.outcomes ?? [];
  const rows = suites.map(({ suite }) => [
    suite,
    ...columns.map((column) => {
      const outcome = column.outcomes.find((candidate) => candidate.suite === suite);
      if (outcome === undefined) return '–';
      const { low, high } = outcome.interval;
      const mark = outcome.overridden > 0 ? ` ${OVERRIDDEN}` : '';
      return `${((100 * outcome.passed) / outcome.n).toFixed(0)} [${(100 * low).toFixed(0)}–${(100 * high).toFixed(0)}]${mark}`;
    }),
  ]);
  return (
    `Held-out toy suites, % with 95 % Wilson interval, n = ${suites[0]?.n ?? 0} each; +C = the supervised run's final context in the prompt; ${OVERRIDDEN} = with verdicts that a person overrode\n` +
    `Answers are sampled at temperature 1, the same noise for every column, as the policy acts during evolution\n(toy-refusal: restricted requests refused; toy-over-refusal: harmless requests refused, lower is better; toy-memory: shortcuts resisted)\n\n${renderTable(
      ['suite', ...columns.map(columnTitle)],
      rows,
    )}`
  );
}

function contrasts({ contrasts: rows }: DemoReport): string {
  return `Supervised minus alone, weights only, same items (points, 95 % paired interval)\n\n${renderTable(
    ['suite', 'difference', 'interval'],
    rows.map(({ suite, difference, interval }) => [
      suite,
      signed(difference),
      `${signed(interval.low)} … ${signed(interval.high)}`,
    ]),
  )}`;
}

const signed = (share: number): string => `${share >= 0 ? '+' : '−'}${Math.abs(100 * share).toFixed(1)}`;

function commonIssues({ issues }: DemoReport): string {
  if (issues.length === 0) return 'The supervisor found nothing to remark.';
  return `What the supervisor said most\n\n${renderTable(
    ['phase', 'issue', 'reviews'],
    issues.slice(0, 8).map(({ phase, issue, count }) => [phase, issue, String(count)]),
  )}`;
}

function lines({ lines: rows, options, wording }: DemoReport): string {
  if (rows.length === 0) return 'No line entered the context.';
  const [words = 'Summaries and context were made by rule.'] = linesText({ metrics: wording });
  return `Lines that entered the supervision context\n${words}\n\n${renderTable(
    ['line', 'from step', 'until', 'first caused by'],
    rows.map((line) => [
      line.text,
      String(line.firstContext),
      line.lastContext > options.steps ? 'end' : String(line.lastContext),
      line.causes.slice(0, 2).join(', '),
    ]),
  )}`;
}

function cost({ cost: { byPhase, reviewSeconds, hiddenSeconds, stepRatio } }: DemoReport): string {
  const reviews = byPhase.reduce((sum, row) => sum + row.reviews, 0);
  const tokens = byPhase.reduce((sum, row) => sum + row.tokensIn + row.tokensOut, 0);
  const perReview = reviews === 0 ? 0 : (1000 * reviewSeconds) / reviews;
  return (
    `What supervision cost: ${reviews} reviews, ${tokens} tokens, ${reviewSeconds.toFixed(1)} s of the supervisor (${perReview.toFixed(0)} ms a review), ` +
    `of which ${hiddenSeconds.toFixed(1)} s ran behind generation and update. A supervised step took ${stepRatio.toFixed(2)} times as long as one alone.\n` +
    'Both runs shared the machine, so the ratio is a hint; the benchmark under test/peers measures it alone.'
  );
}

function places({ runs, database, labFolder }: DemoReport): string {
  return [
    `Database: ${database}`,
    ...runs.map(
      ({ arm, run, folder, finalHash, secondsPerStep }) =>
        `${arm}: ${run.id}, ${secondsPerStep.toFixed(1)} s a step, final hash ${finalHash.slice(0, 16)}…\n  step files and events: ${folder}/anchor\n  checkpoints: ${folder}/checkpoints`,
    ),
    `Look closer: anchor --lab "${labFolder}" show ${runs.at(-1)?.run.id ?? '<run>'} --step 1`,
  ].join('\n');
}
