/**
 * The study with real weights: node test/study/real/run.ts --policy FOLDER --supervisor FILE.gguf. Set-up must have been run.
 * Continues where it was stopped, also by kill -9: runs from their last step, evaluations from their last answer.
 */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { progressLine } from '../../../electron/cli/progress.ts';
import { Failure, type RunRecord } from '../../../electron/contract/index.ts';
import { Engine } from '../../../electron/engine/index.ts';
import {
  configOf,
  plannedRuns,
  readDesign,
  runName,
  type Design,
  type Models,
  type PlannedRun,
} from './design.ts';
import { reportOf, type Answered } from './report.ts';

const USAGE = `The study with real weights; design.yaml beside this file says what is compared. Run again with the same folder, it goes on where it stopped.

  --policy PATH      folder of the policy, such as Qwen2.5-Coder-0.5B-Instruct
  --supervisor PATH  GGUF file of the supervisor
  --only LIST        these arms (the design's first part)
  --seeds LIST       these seeds (the same)
  --also LIST        more suites, such as humaneval where its data set was imported into FOLDER/lab
  --design FILE      another design (design.yaml)
  --folder PATH      where lab and report are kept (lab/study-real)
  --report           report what is there, run nothing
`;

const root = join(import.meta.dirname, '../../..');
const clock = { now: () => new Date(), monotonicMs: () => performance.now() };

type Options = {
  design: Design;
  models: Models;
  runs: PlannedRun[];
  also: string[];
  folder: string;
  reportOnly: boolean;
};

function readOptions(): Options | null {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      policy: text,
      supervisor: text,
      only: text,
      seeds: text,
      also: text,
      design: text,
      folder: text,
      report: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return null;
  const { policy, supervisor } = values;
  if (policy === undefined || supervisor === undefined)
    throw new Failure('usage', 'Both --policy and --supervisor are needed; --help says what they are.', 2);
  const list = (given: string | undefined): string[] | null =>
    given?.split(',').map((one) => one.trim()) ?? null;
  const seeds = list(values.seeds)?.map(Number) ?? null;
  if (seeds?.some((seed) => !Number.isSafeInteger(seed)))
    throw new Failure('usage', `--seeds takes whole numbers, not "${values.seeds}".`, 2);
  const design = readDesign(resolve(values.design ?? join(import.meta.dirname, 'design.yaml')));
  return {
    design,
    models: { policy: resolve(policy), supervisor: resolve(supervisor) },
    runs: plannedRuns(design, { arms: list(values.only), seeds }),
    also: list(values.also) ?? [],
    folder: resolve(values.folder ?? join(root, 'lab/study-real')),
    reportOnly: values.report === true,
  };
}

const runNamed = ({ store }: Engine, name: string): RunRecord | null =>
  store.listRuns({ text: name }, { limit: 500 }).rows.find((run) => run.config.name === name) ?? null;

/** Starts the run or goes on with it. @throws Failure `stopped` when it is not at its end. */
async function evolve(engine: Engine, { design, models }: Options, planned: PlannedRun): Promise<RunRecord> {
  const config = configOf(design, planned, models);
  const before = runNamed(engine, config.name);
  if (before?.state === 'done') return before;
  const id = before?.id ?? engine.startRun(config).id;
  if (before !== null) engine.resume(id);
  const run = await engine.waitFor(id);
  if (run.state === 'done') return run;
  throw new Failure(
    'stopped',
    `The run ${config.name} stopped after ${run.committedSteps} of ${config.steps} steps (${run.reason ?? run.state}); the same command goes on from there.`,
  );
}

/** Asks what the design asks of one run; answers that are stored are taken as they are. */
async function ask(
  engine: Engine,
  { design, also }: Options,
  planned: PlannedRun,
  run: RunRecord,
): Promise<Answered[]> {
  const suites = [...design.suites, ...also];
  const answered: Answered[] = [];
  for (const step of [0, run.committedSteps]) {
    const lines = step === 0 ? [] : (engine.store.getContext(run.id, step + 1)?.lines ?? []);
    const own = lines.length === 0 ? [] : [{ runId: run.id, step: step + 1 }];
    const outcomes = await engine.evaluate({
      policy: { runId: run.id, step },
      suites,
      limit: design.items,
      seed: planned.seed,
      contexts: [null, ...own],
      reuse: true,
    });
    answered.push({ run: planned, step, outcomes });
  }
  return answered;
}

async function study(options: Options, signal: AbortSignal): Promise<string> {
  const engine = await Engine.open({ application: root, labFolder: join(options.folder, 'lab'), clock });
  const line = progressLine(process.stderr, clock.monotonicMs);
  const stopListening = engine.onProgress(({ runId, step, stage }) => {
    const run = engine.store.getRun(runId);
    if (run === null) return;
    line.show([
      {
        label: run.config.name,
        done: step - 1,
        total: run.config.steps,
        unit: 'step',
        ratePerSecond: null,
        etaSeconds: null,
        detail: stage,
      },
    ]);
  });
  const stop = (): void =>
    void engine.store.allRuns().forEach(({ id }) => engine.isActive(id) && engine.stop(id));
  signal.addEventListener('abort', stop, { once: true });
  try {
    const answered: Answered[] = [];
    for (const planned of options.reportOnly ? [] : options.runs) {
      signal.throwIfAborted();
      answered.push(...(await ask(engine, options, planned, await evolve(engine, options, planned))));
    }
    const runs = options.runs.map((planned) => ({
      planned,
      record: runNamed(engine, runName(options.design, planned)),
    }));
    return reportOf(engine, options.design, runs, answered);
  } finally {
    stopListening();
    signal.removeEventListener('abort', stop);
    await engine.close();
  }
}

const interrupt = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => {
    process.stderr.write('\nstudy: stopping after what is under way; press Ctrl-C again to end at once\n');
    interrupt.abort();
  });
try {
  const options = readOptions();
  if (options === null) process.stdout.write(USAGE);
  else {
    const report = await study(options, interrupt.signal);
    writeFileSync(join(options.folder, 'report.md'), `${report}\n`);
    process.stdout.write(`${report}\n`);
  }
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  process.stderr.write(`study: ${error.message}\n`);
  process.exitCode = error.exitCode;
}
