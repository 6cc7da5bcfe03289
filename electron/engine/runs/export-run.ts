import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { makeFolders } from '../../core/index.ts';
import { Failure, type StepRecord } from '../../contract/index.ts';
import { writeStepFiles } from '../../supervision/index.ts';
import {
  asFileFailure,
  modelFilesIn,
  removeQuietly,
  requireUnchanged,
  TRAINING_STATE,
} from '../../library/index.ts';
import type { Lab } from '../../store/index.ts';
import type { Services } from '../services.ts';

export type ExportedRun = { folder: string; steps: number; files: string[] };

/**
 * Writes everything a run recorded into a new folder: step files and events under the paper's names, curves as CSV, the
 * configuration, and the newest checkpoint as safetensors and GGUF. The folder appears complete or not at all.
 */
export async function exportRun(
  services: Services,
  runId: string,
  target: string,
  formats: readonly ('safetensors' | 'gguf')[],
): Promise<ExportedRun> {
  const { store, exportsUnderWay } = services;
  const run = store.requireRun(runId);
  const folder = resolve(target);
  if (existsSync(folder))
    throw new Failure('fileExists', `The folder ${folder} exists already; name a new one.`, 2);
  if (exportsUnderWay.has(folder))
    throw new Failure('fileExists', `Another export is writing the folder ${folder}; name a new one.`, 2);
  const partial = `${folder}.partial`;
  exportsUnderWay.add(folder);
  try {
    if (existsSync(partial)) rmSync(partial, { recursive: true });
    makeFolders(join(partial, 'anchor'));
    const steps = store.listSteps(runId, { limit: run.committedSteps });
    for (const { step } of steps) {
      writeStepFiles(join(partial, 'anchor'), store, runId, step);
      await setImmediate(); // whoever else asks is answered between two steps
    }
    writeFileSync(join(partial, 'config.json'), `${JSON.stringify(run.config, null, 2)}\n`);
    writeFileSync(join(partial, 'metrics.csv'), metricsCsv(steps, store.lineCounts(runId)));
    const files = ['anchor/', 'config.json', 'metrics.csv'];
    const checkpoint = services.lab.run(run.folder).checkpoint(run.committedSteps);
    if (formats.length > 0 && existsSync(checkpoint)) {
      const stored = store.listCheckpoints(runId).filter(({ step }) => step === run.committedSteps);
      await requireUnchanged(
        stored.flatMap((record) => modelFilesIn(checkpoint, record)),
        'put the files of this checkpoint back, or export without weights',
      );
      files.push(...(await exportWeights(services, checkpoint, partial, formats)));
    }
    renameSync(partial, folder);
    return { folder, steps: steps.length, files };
  } catch (error) {
    removeQuietly(partial);
    throw asFileFailure(error, `The export ${folder}`);
  } finally {
    exportsUnderWay.delete(folder);
  }
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

async function exportWeights(
  services: Services,
  checkpoint: string,
  partial: string,
  formats: readonly ('safetensors' | 'gguf')[],
): Promise<string[]> {
  const files: string[] = [];
  if (formats.includes('safetensors')) {
    // A checkpoint is a loadable model already; only the optimizer's state stays behind.
    await cp(checkpoint, join(partial, 'policy'), {
      recursive: true,
      filter: (path) => !TRAINING_STATE.includes(basename(path)),
    });
    files.push('policy/');
  }
  if (formats.includes('gguf')) {
    await services.children.withTrainer('export', 1, (trainer) =>
      trainer.exportGguf(checkpoint, join(partial, 'policy.f16.gguf')),
    );
    files.push('policy.f16.gguf');
  }
  return files;
}
