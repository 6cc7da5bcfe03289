import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { makeFolders, shownPath, type JobHandle } from '../../core/index.ts';
import {
  checkpointFormatSchema,
  Failure,
  type CheckpointFormat,
  type Job,
  type RunRecord,
} from '../../contract/index.ts';
import {
  asFileFailure,
  isAdapter,
  modelFilesOf,
  noteUnfinished,
  removeQuietly,
  TRAINING_STATE,
  type CopyEntry,
} from '../../library/index.ts';
import type { ExportForm } from '../../processes/index.ts';
import { exportInThread } from '../exports/export-thread.ts';
import type { Services } from '../services.ts';
import { exportProgress } from './export-progress.ts';

export type ExportedRun = { folder: string; steps: number; files: string[] };

/**
 * Writes everything a run recorded into a new folder, as a job: step files and events under the paper's names, curves as CSV, the
 * configuration, and the newest checkpoint as safetensors, GGUF and, of an adapter, PEFT. All of it but what the trainer
 * converts is written in a thread. The folder appears complete or not at all.
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
  { id, folder, committedSteps }: RunRecord,
  partial: string,
  formats: readonly CheckpointFormat[],
  handle: JobHandle,
): Promise<Pick<ExportedRun, 'steps' | 'files'>> {
  const { store } = services;
  const { signal } = handle;
  const places = services.lab.run(folder);
  const checkpoint = places.checkpoint(committedSteps);
  const isThere = formats.length > 0 && existsSync(checkpoint);
  const kept = isThere ? store.listCheckpoints(id) : [];
  const stored = kept.filter(({ step }) => step === committedSteps);
  const first = kept.find(({ step }) => step === 0) ?? null;
  const model = stored.flatMap((record) => modelFilesOf(places, record, first));
  const asked = checkpointFormatSchema.options.filter((each) => isThere && formats.includes(each));
  // A checkpoint is a loadable model already; only the optimizer's state stays behind.
  const isCopied = asked.includes('safetensors') && !stored.some(isAdapter);
  const progress = exportProgress(handle, {
    steps: committedSteps,
    modelFiles: model.map(({ path }) => path),
    forms: asked.length,
  });
  const { steps, files } = await exportInThread(
    {
      what: 'run',
      lab: services.lab.root,
      runId: id,
      folder: partial,
      model,
      copy: isCopied
        ? { to: join(partial, basename(WRITTEN.safetensors)), files: modelIn(checkpoint) }
        : null,
    },
    { signal, onNews: progress.news },
  );
  for (const format of asked) {
    const to = join(partial, basename(WRITTEN[format]));
    if (format !== 'safetensors' || !isCopied)
      await progress.ofForm(to, () => exportByTrainer(services, checkpoint, formOf(format, to), signal));
    files.push(WRITTEN[format]);
  }
  return { steps, files };
}

/** What an export calls each format of its checkpoint. */
const WRITTEN: Record<CheckpointFormat, string> = {
  safetensors: 'policy/',
  gguf: 'policy.f16.gguf',
  peft: 'adapter/',
};

const modelIn = (checkpoint: string): CopyEntry[] =>
  readdirSync(checkpoint)
    .filter((name) => !TRAINING_STATE.includes(name))
    .map((name) => ({ from: join(checkpoint, name), name }));

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
