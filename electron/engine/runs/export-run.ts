import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { makeFolders, shownPath, type JobHandle } from '../../core/index.ts';
import {
  checkpointFormatSchema,
  csvLine,
  Failure,
  type CheckpointFormat,
  type Job,
  type RunRecord,
  type StepRecord,
} from '../../contract/index.ts';
import { writeStepFiles } from '../../supervision/index.ts';
import {
  asFileFailure,
  copyInto,
  isAdapter,
  modelFilesOf,
  noteUnfinished,
  removeQuietly,
  requireUnchanged,
  TRAINING_STATE,
  type ByteWatch,
} from '../../library/index.ts';
import type { ExportForm } from '../../processes/index.ts';
import type { Lab } from '../../store/index.ts';
import type { Services } from '../services.ts';
import { exportProgress } from './export-progress.ts';

export type ExportedRun = { folder: string; steps: number; files: string[] };

/**
 * Writes everything a run recorded into a new folder, as a job: step files and events under the paper's names, curves as CSV, the
 * configuration, and the newest checkpoint as safetensors, GGUF and, of an adapter, PEFT. The folder appears complete or not at all.
 * @throws Failure `unknownRun`, `fileExists`, or `noCheckpoint` where there is no adapter (exit code 2).
 */
export function exportRun(
  services: Services,
  runId: string,
  target: string,
  formats: readonly CheckpointFormat[],
): Job {
  const { store, jobs, lab, exportsUnderWay } = services;
  const run = store.requireRun(runId);
  if (formats.includes('peft')) requireAdapter(run);
  const folder = resolve(target);
  if (existsSync(folder))
    throw new Failure('fileExists', `The folder ${folder} exists already; name a new one.`, 2);
  if (exportsUnderWay.has(folder))
    throw new Failure('fileExists', `Another export is writing the folder ${folder}; name a new one.`, 2);
  const partial = `${folder}.partial`;
  const forget = noteUnfinished(lab.root, partial);
  const failed = (error: unknown): unknown => {
    removeQuietly(partial);
    forget();
    return asFileFailure(error, `The export ${shownPath(folder)}`);
  };
  try {
    // A place where nothing can be made is refused at once.
    if (existsSync(partial)) rmSync(partial, { recursive: true });
    makeFolders(join(partial, 'anchor'));
    const title = `Export ${run.config.name}`;
    const job = jobs.start({ kind: `export:${runId}`, title, unit: 'byte' }, async (handle) => {
      try {
        const exported = await writeRun(services, run, partial, formats, handle);
        renameSync(partial, folder);
        forget();
        return { folder, ...exported } satisfies ExportedRun;
      } catch (error) {
        throw failed(error);
      } finally {
        exportsUnderWay.delete(folder);
      }
    });
    exportsUnderWay.add(folder);
    return job;
  } catch (error) {
    throw failed(error);
  }
}

function requireAdapter({ id, config, committedSteps }: RunRecord): void {
  if (config.train.lora !== undefined && committedSteps > 0) return;
  const why =
    config.train.lora === undefined
      ? 'trains every parameter, so there is no adapter of it; export it as safetensors or GGUF'
      : 'has no step stored yet, so there is no adapter of it; export it after its first step';
  throw new Failure('noCheckpoint', `Run "${id}" ${why}.`, 2);
}

async function writeRun(
  services: Services,
  { id, config, folder, committedSteps }: RunRecord,
  partial: string,
  formats: readonly CheckpointFormat[],
  handle: JobHandle,
): Promise<Pick<ExportedRun, 'steps' | 'files'>> {
  const { store } = services;
  const { signal } = handle;
  const steps = store.listSteps(id, { limit: committedSteps });
  const places = services.lab.run(folder);
  const checkpoint = places.checkpoint(committedSteps);
  const kept = formats.length === 0 || !existsSync(checkpoint) ? [] : store.listCheckpoints(id);
  const stored = kept.filter(({ step }) => step === committedSteps);
  const first = kept.find(({ step }) => step === 0) ?? null;
  const model = stored.flatMap((record) => modelFilesOf(places, record, first));
  const progress = exportProgress(handle, {
    steps: steps.length,
    modelFiles: model.map(({ path }) => path),
    forms: formats.length,
  });
  const records = join(partial, 'anchor');
  for (const { step } of steps) {
    const names = writeStepFiles(records, store, id, step);
    // The log repeats what is in the step's own files.
    const own = names.filter((name) => name !== 'events.jsonl');
    progress.recorded(own.reduce((sum, name) => sum + statSync(join(records, name)).size, 0));
    await setImmediate(); // whoever else asks is answered between two steps
    signal.throwIfAborted();
  }
  writeFileSync(join(partial, 'config.json'), `${JSON.stringify(config, null, 2)}\n`);
  writeFileSync(join(partial, 'metrics.csv'), metricsCsv(steps, store.lineCounts(id)));
  writeFileSync(join(partial, 'rates.csv'), ratesCsv(store, id));
  writeFileSync(join(partial, 'proposals.csv'), proposalsCsv(store, id));
  const files = ['anchor/', 'config.json', 'metrics.csv', 'rates.csv', 'proposals.csv'];
  if (formats.length === 0 || !existsSync(checkpoint)) return { steps: steps.length, files };
  await requireUnchanged(model, 'put the files of this checkpoint back, or export without weights', {
    onBytes: progress.onBytes,
    signal,
  });
  for (const format of checkpointFormatSchema.options.filter((each) => formats.includes(each))) {
    const to = join(partial, basename(WRITTEN[format]));
    // A checkpoint is a loadable model already; only the optimizer's state stays behind.
    await progress.ofForm(to, () =>
      format === 'safetensors' && !stored.some(isAdapter)
        ? copyModel(checkpoint, to, { onBytes: progress.onBytes, signal })
        : exportByTrainer(services, checkpoint, formOf(format, to), signal),
    );
    files.push(WRITTEN[format]);
  }
  return { steps: steps.length, files };
}

/** What an export calls each format of its checkpoint. */
const WRITTEN: Record<CheckpointFormat, string> = {
  safetensors: 'policy/',
  gguf: 'policy.f16.gguf',
  peft: 'adapter/',
};

async function copyModel(checkpoint: string, to: string, watch: ByteWatch): Promise<void> {
  const names = (await readdir(checkpoint)).filter((name) => !TRAINING_STATE.includes(name));
  await copyInto(
    to,
    names.map((name) => ({ from: join(checkpoint, name), name })),
    watch,
  );
}

function formOf(format: CheckpointFormat, to: string): ExportForm {
  switch (format) {
    case 'safetensors':
      return { format, quant: 'f32', dir: to };
    case 'gguf':
      return { format, quant: 'f16', file: to };
    case 'peft':
      return { format, dir: to };
  }
}

async function exportByTrainer(
  { children }: Pick<Services, 'children'>,
  checkpoint: string,
  form: ExportForm,
  signal: AbortSignal,
): Promise<void> {
  const source = { model: { path: checkpoint } };
  await children.withTrainer('export', 1, (trainer) => trainer.export(source, form), undefined, signal);
  signal.throwIfAborted();
}

/** How many tasks of a step were solved, or agreed upon, about so often: tenth 3 is a rate from 0.25 up to 0.35. */
const ratesCsv = (store: Lab, runId: string): string =>
  [
    csvLine(['step', 'task_type', 'tenth', 'tasks', 'mean_rate']),
    ...store
      .stepDifficulties(runId)
      .map(({ step, taskType, tenth, tasks, meanRate }) => csvLine([step, taskType, tenth, tasks, meanRate])),
  ].join('');

/** What became of the proposals of a step; the reason is empty for those that became tasks. */
const proposalsCsv = (store: Lab, runId: string): string =>
  [
    csvLine(['step', 'reason', 'proposals']),
    ...store.proposalOutcomes(runId).map(({ step, reason, count }) => csvLine([step, reason ?? '', count])),
  ].join('');

/** One row per step; a column per metric and timing that any step has. Numbers only, so nothing in it can be a formula. */
function metricsCsv(steps: readonly StepRecord[], lines: ReturnType<Lab['lineCounts']>): string {
  const rows = steps.map(({ step, metrics, timings }) => ({
    step,
    ...metrics,
    ...lines.get(step),
    ...Object.fromEntries(Object.entries(timings).map(([name, seconds]) => [`timing_s/${name}`, seconds])),
  }));
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return `${[columns, ...rows.map((row) => columns.map((column) => (row as Record<string, number>)[column] ?? ''))].map((cells) => cells.join(',')).join('\n')}\n`;
}
