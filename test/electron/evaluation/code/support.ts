import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { afterAll } from 'vitest';
import type { RunnerClient } from '../../../../electron/processes/index.ts';
import { root } from '../../real-runner.ts';
import {
  readEvalPlus,
  type EvalPlusDataset,
  type EvalPlusTask,
} from '../../../../electron/evaluation/code/evalplus/task.ts';
import type { EvalPlusTools } from '../../../../electron/evaluation/code/evalplus/grade.ts';
import { ExpectedOutputs } from '../../../../electron/evaluation/code/evalplus/expected.ts';

/** The public data sets, which lie beside the checkout and are read from there; what needs them says so when they are absent. */
export const SHARED = join(root, '../shared/data');
export const hasShared = existsSync(SHARED);

export function sharedText(path: string): string {
  const bytes = readFileSync(join(SHARED, path));
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}

export function sharedLines(path: string): string[] {
  return sharedText(path)
    .split('\n')
    .filter((line) => line !== '');
}

const FILES = { humaneval: 'humaneval/HumanEvalPlus.jsonl.gz', mbpp: 'mbpp/MbppPlus.jsonl.gz' };

export function sharedTasks(dataset: EvalPlusDataset): EvalPlusTask[] {
  return sharedLines(FILES[dataset]).map((line) => readEvalPlus(line, dataset));
}

export const datasetHash = (dataset: EvalPlusDataset): string =>
  createHash('md5').update(sharedText(FILES[dataset])).digest('hex');

/** A folder of the test's own, gone after the file's tests. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'anchor-code-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function toolsOf(runner: RunnerClient, folder: string, hash = 'feedface00'): EvalPlusTools {
  return {
    runner,
    expected: new ExpectedOutputs({ runner, folder, datasetHash: hash }),
    loadAverage: () => 0.5,
  };
}

/** A task of our own, in the published form. */
export function ownTask(fields: {
  entry: string;
  solution: string;
  base: unknown[][];
  plus?: unknown[][];
  atol?: number;
  id?: string;
  dataset?: EvalPlusDataset;
}): EvalPlusTask {
  const { entry, solution, base, plus = [], atol = 0, dataset = 'humaneval' } = fields;
  const id = fields.id ?? (dataset === 'mbpp' ? 'Mbpp/900' : 'HumanEval/900');
  const line = JSON.stringify({
    task_id: id,
    prompt: '"""A task of our own."""\n',
    entry_point: entry,
    canonical_solution: solution,
    base_input: base,
    plus_input: plus,
    atol,
  });
  return readEvalPlus(line, dataset);
}
