/**
 * The study: node test/study/run.ts [options]; --help lists them. Set-up must have been run. Continues where it was stopped,
 * also by kill -9. The full study takes hours on one core.
 */
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Failure, hashView } from '../../electron/contract/index.ts';
import { progressLine } from '../../electron/cli/progress.ts';
import { Engine } from '../../electron/engine/index.ts';
import {
  askedUnder,
  beginFrom,
  bindFolder,
  boundSettings,
  compareStudies,
  configOf,
  isFull,
  openOther,
  PRACTICE,
  requireSame,
  resultsOf,
  runStudy,
  StudyState,
  studyMarkdown,
  writeResults,
  type StudyOptions,
} from '../../electron/experiments/index.ts';
import { resolveModel } from '../../electron/models/index.ts';
import { hashFile, resourcePaths } from '../../electron/library/index.ts';
import { readOptions, USAGE } from './options.ts';

const root = join(import.meta.dirname, '../..');
const clock = { now: () => new Date(), monotonicMs: () => performance.now() };

/** What the results depend on beside the seeds: models, suites and settings. */
async function dependencies(engine: Engine, options: StudyOptions): Promise<Record<string, unknown>> {
  const paths = resourcePaths(root);
  const sha256 = async (name: string, kind: 'policy' | 'supervisor'): Promise<string> =>
    (await resolveModel(engine.store, paths, name, kind, clock.now())).sha256;
  const config = configOf({ arm: 'alone', rewardedShare: 0, seed: 1 }, options);
  const { name: _, seed: __, supervision: ___, rewardedPrompts: ____, ...settings } = config;
  const suites: Record<string, string> = {};
  for (const suite of askedUnder(options.framework).suites)
    suites[suite] = await hashFile(join(paths.suites, `${suite}.jsonl`));
  const practice = options.arms.includes('practice')
    ? { practice: { ...PRACTICE, tasks: await hashFile(PRACTICE.tasks) } }
    : {};
  const worded = options.arms.includes('worded') ? { writer: await hashFile(paths.embeddedWriter) } : {};
  return {
    items: options.items,
    policy: await sha256(config.policy.model, 'policy'),
    supervisor: await sha256(config.supervision.model, 'supervisor'),
    suites,
    settings: hashView(settings),
    ...practice,
    ...worded,
  };
}

/** Evolves and evaluates what is not done yet. */
async function work(options: StudyOptions, signal: AbortSignal): Promise<void> {
  if (options.from !== null) beginFrom(options.folder, options.from);
  const engine = await Engine.open({
    application: root,
    labFolder: join(options.folder, 'lab'),
    clock,
    maxActiveRuns: options.jobs,
  });
  try {
    const depends = await dependencies(engine, options);
    if (options.against !== null) openOther(options.against, depends);
    bindFolder(options.folder, depends);
    const line = progressLine(process.stderr, clock.monotonicMs);
    await runStudy(engine, openState(options), options, signal, (now) =>
      line.show([
        {
          label: 'study',
          done: now.steps,
          total: now.totalSteps,
          unit: 'step',
          ratePerSecond: now.ratePerSecond,
          etaSeconds: now.etaSeconds,
          detail: `${now.runs} of ${now.totalRuns} runs done; ${now.atWork}`,
        },
      ]),
    );
  } finally {
    await engine.close();
  }
}

const openState = ({ folder }: StudyOptions): StudyState => new StudyState(join(folder, 'evaluations.jsonl'));

/** Table, figure and data of what is done. Only a study in its full size replaces the published ones. */
function report(options: StudyOptions): void {
  const state = openState(options);
  const results = resultsOf(state, options, boundSettings(options.folder));
  const files = isFull(results)
    ? writeResults(
        results,
        state,
        join(import.meta.dirname, 'results'),
        join(root, 'docs/pictures/study.svg'),
      )
    : writeResults(
        results,
        state,
        join(options.folder, 'results'),
        join(options.folder, 'results/study.svg'),
      );
  process.stdout.write(`${studyMarkdown(results)}\n\nwritten: ${files.join(', ')}\n`);
  if (options.against !== null)
    process.stdout.write(
      `${requireSame(compareStudies(state, openOther(options.against, boundSettings(options.folder))), options.against)}\n`,
    );
}

const interrupt = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    process.stderr.write('\nstudy: stopping; press Ctrl-C again to end at once\n');
    interrupt.abort();
  });
}
try {
  const options = readOptions(process.argv.slice(2), root);
  if (options === 'help') process.stdout.write(USAGE);
  else {
    if (!options.reportOnly) await work(options, interrupt.signal);
    report(options);
  }
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  process.stderr.write(`study: ${error.message}\n`);
  process.exitCode = error.exitCode;
}
