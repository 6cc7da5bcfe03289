import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { makeFolders, type JobHandle } from '../../core/index.ts';
import { Failure, type Job, type RunRecord, type StepRecord } from '../../contract/index.ts';
import { writeStepFiles } from '../../supervision/index.ts';
import {
  asFileFailure,
  copyInto,
  modelFilesIn,
  noteUnfinished,
  removeQuietly,
  requireUnchanged,
  TRAINING_STATE,
} from '../../library/index.ts';
import type { Lab } from '../../store/index.ts';
import type { Services } from '../services.ts';

export type ExportedRun = { folder: string; steps: number; files: string[] };

/**
 * Writes everything a run recorded into a new folder, as a job: step files and events under the paper's names, curves as CSV, the
 * configuration, and the newest checkpoint as safetensors and GGUF. The folder appears complete or not at all.
 * @throws Failure `unknownRun` or `fileExists` (exit code 2).
 */
export function exportRun(
  services: Services,
  runId: string,
  target: string,
  formats: readonly ('safetensors' | 'gguf')[],
): Job {
  const { store, jobs, lab, exportsUnderWay } = services;
  const run = store.requireRun(runId);
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
    return asFileFailure(error, `The export ${folder}`);
  };
  try {
    // A place where nothing can be made is refused at once.
    if (existsSync(partial)) rmSync(partial, { recursive: true });
    makeFolders(join(partial, 'anchor'));
    const title = `Export ${run.config.name}`;
    const total = run.committedSteps + formats.length;
    const job = jobs.start({ kind: 'export', title, unit: 'part', total }, async (handle) => {
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

async function writeRun(
  services: Services,
  { id, config, folder, committedSteps }: RunRecord,
  partial: string,
  formats: readonly ('safetensors' | 'gguf')[],
  { signal, advance }: JobHandle,
): Promise<Pick<ExportedRun, 'steps' | 'files'>> {
  const { store } = services;
  const steps = store.listSteps(id, { limit: committedSteps });
  for (const { step } of steps) {
    writeStepFiles(join(partial, 'anchor'), store, id, step);
    advance(1);
    await setImmediate(); // whoever else asks is answered between two steps
    signal.throwIfAborted();
  }
  writeFileSync(join(partial, 'config.json'), `${JSON.stringify(config, null, 2)}\n`);
  writeFileSync(join(partial, 'metrics.csv'), metricsCsv(steps, store.lineCounts(id)));
  const files = ['anchor/', 'config.json', 'metrics.csv'];
  const checkpoint = services.lab.run(folder).checkpoint(committedSteps);
  if (formats.length === 0 || !existsSync(checkpoint)) return { steps: steps.length, files };
  const stored = store.listCheckpoints(id).filter(({ step }) => step === committedSteps);
  await requireUnchanged(
    stored.flatMap((record) => modelFilesIn(checkpoint, record)),
    'put the files of this checkpoint back, or export without weights',
  );
  if (formats.includes('safetensors')) {
    // A checkpoint is a loadable model already; only the optimizer's state stays behind.
    const model = (await readdir(checkpoint)).filter((name) => !TRAINING_STATE.includes(name));
    await copyInto(
      join(partial, 'policy'),
      model.map((name) => ({ from: join(checkpoint, name), name })),
      { signal },
    );
    files.push('policy/');
    advance(1);
  }
  if (formats.includes('gguf')) {
    await services.children.withTrainer(
      'export',
      1,
      (trainer) => trainer.exportGguf(checkpoint, join(partial, 'policy.f16.gguf')),
      undefined,
      signal,
    );
    signal.throwIfAborted();
    files.push('policy.f16.gguf');
    advance(1);
  }
  return { steps: steps.length, files };
}

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
