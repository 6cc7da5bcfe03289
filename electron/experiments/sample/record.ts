import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename, join } from 'node:path';
import { Failure, runConfigSchema, type CheckpointRecord, type RunRecord } from '../../contract/index.ts';
import { UPDATES_FILE, writeWholeFile } from '../../library/index.ts';
import {
  runDemo,
  type DemoContinuation,
  DEMO_DEFAULTS,
  type DemoOptions,
  type DemoProgress,
} from '../demo/demo.ts';
import type { ExperimentEngine } from '../engine-port.ts';
import {
  pack,
  packRecording,
  SAMPLE_PREFIX,
  type RecordedEvaluation,
  type Recording,
  type RecordingLabel,
} from './recording.ts';
import { updatesFileOf } from './weights.ts';

/** File names inside the folder of a recording. */
export const RECORDING_FILE = 'recording.json.br';
export const LABEL_FILE = 'label.json';

/** Long enough that supervision shows, short enough that its records stay below three megabytes. */
export const SAMPLE_DEMO: DemoOptions = {
  framework: DEMO_DEFAULTS.framework,
  steps: 24,
  seed: 1,
  rewardedShare: 0.25,
  probability: 0.3,
  merge: 'rule',
  reviewer: runConfigSchema.parse({}).supervision.reviewer,
  items: 60,
  points: 12,
};

/** Checkpoints that can be asked again: few, since each takes about 15 MB once it is made, and at steps that were evaluated. */
const KEEP_EVERY = 6;

/** The recipe of the recording: no checkpoint but the first has moments, so the last one holds every update since then. */
export const sampleOptions = (options: DemoOptions): DemoOptions => ({
  ...options,
  checkpoints: { keepEvery: KEEP_EVERY, optimizerEvery: options.steps + 1 },
});

/**
 * Runs the demo with the embedded models and writes everything both of its runs and their evaluations stored into `folder`. Nothing is
 * chosen or changed afterwards but the ids of the runs, which become `sample-alone` and `sample-supervised`, and the places of
 * checkpoint files, of which only the names are kept. Of the weights the updates that made them are kept.
 * @param wanted what is recorded, or a recording in this lab that was cut off @throws Failure when a run fails.
 */
export async function recordSample(
  engine: ExperimentEngine,
  folder: string,
  wanted: DemoOptions | DemoContinuation,
  onProgress: (progress: DemoProgress) => void,
  signal: AbortSignal,
): Promise<RecordingLabel> {
  const report = await runDemo(
    engine,
    'continueWith' in wanted ? wanted : sampleOptions(wanted),
    onProgress,
    signal,
  );
  const idOf = new Map(report.runs.map(({ arm, run }) => [run.id, `${SAMPLE_PREFIX}-${arm}`]));
  const recording: Recording = {
    format: 2,
    recordedAt: engine.clock.now().toISOString(),
    machine: `${cpus()[0]?.model.trim() ?? process.arch}, ${cpus().length} threads`,
    runs: report.runs.map(({ run }) => recordedRun(engine, run, idOf)),
    steps: stepsInOrder(
      engine,
      report.runs.map(({ run }) => run),
      idOf,
    ),
    evaluations: report.runs
      .flatMap(({ run }) => recordedEvaluations(engine, run.id, idOf))
      .sort((a, b) => (a.finishedAt < b.finishedAt ? -1 : 1)),
  };
  const updates = new Map(
    report.runs.map(({ run }) => [idOf.get(run.id) ?? run.id, pack(updatesOf(engine, run))]),
  );
  const { bytes, label } = packRecording(recording, updates);
  for (const [name, content] of [
    [RECORDING_FILE, bytes],
    ...[...updates].map(([id, file]) => [updatesFileOf(id), file] as const),
    [LABEL_FILE, `${JSON.stringify(label, null, 2)}\n`],
  ] as const)
    writeWholeFile(join(folder, name), content);
  return label;
}

function updatesOf({ lab }: ExperimentEngine, { folder, committedSteps }: RunRecord): Buffer {
  return readFileSync(join(lab.run(folder).checkpoint(committedSteps), UPDATES_FILE));
}

type Ids = ReadonlyMap<string, string>;

function recordedRun(
  { store }: ExperimentEngine,
  { id, createdAt, config }: RunRecord,
  idOf: Ids,
): Recording['runs'][number] {
  const initial = store.getInitial(id);
  const run = store.getRun(id);
  if (initial === null || run?.policySha256 == null)
    throw new Failure('notRecorded', `Run "${id}" has no initial state, so it cannot be recorded.`);
  return {
    id: idOf.get(id) ?? id,
    createdAt,
    config,
    policySha256: run.policySha256,
    supervisorSha256: run.supervisorSha256,
    initial: { ...initial, checkpoints: initial.checkpoints.map(namesOnly) },
  };
}

/** Of all runs together, as they happened. */
function stepsInOrder(
  { store }: ExperimentEngine,
  runs: readonly RunRecord[],
  idOf: Ids,
): Recording['steps'] {
  const steps = runs.flatMap(({ id }) =>
    store.listSteps(id).map(({ step }) => {
      const commit = store.getCommit(id, step);
      if (commit === null)
        throw new Failure(
          'notRecorded',
          `Step ${step} of run "${id}" is not stored completely, so the run cannot be recorded.`,
        );
      const checkpoint = commit.checkpoint === null ? null : namesOnly(commit.checkpoint);
      return { runId: idOf.get(id) ?? id, commit: { ...commit, checkpoint } };
    }),
  );
  return steps.sort((a, b) => (a.commit.step.finishedAt < b.commit.step.finishedAt ? -1 : 1));
}

/** Where the files lay is nobody's business; their hashes are what counts. */
export const namesOnly = (checkpoint: CheckpointRecord): CheckpointRecord => ({
  ...checkpoint,
  files: checkpoint.files.map((file) => ({ ...file, path: basename(file.path) })),
});

/** Every finished evaluation of a run's checkpoints: those on the way, and those at the end. */
function recordedEvaluations({ store }: ExperimentEngine, runId: string, idOf: Ids): RecordedEvaluation[] {
  const renamed = (id: string | null): string | null => (id === null ? null : (idOf.get(id) ?? id));
  return store
    .listStoredEvaluations({ runId, states: ['done'] })
    .map(({ id, createdAt, finishedAt, weightsSha256, milliseconds, plan, scores }) => ({
      id,
      createdAt,
      finishedAt: finishedAt ?? createdAt,
      weightsSha256,
      milliseconds,
      plan: {
        ...plan,
        subject: {
          ...plan.subject,
          id: `${renamed(runId)}@${plan.subject.step}`,
          runId: renamed(runId),
        },
        context: plan.context === null ? null : { ...plan.context, runId: renamed(plan.context.runId) },
      },
      items: [...store.eachEvaluationItem(id)].map(({ grade, ...item }) => {
        if (grade === null)
          throw new Failure('notRecorded', `Evaluation "${id}" has an answer without a verdict.`);
        return { ...item, grade };
      }),
      scores,
    }));
}
