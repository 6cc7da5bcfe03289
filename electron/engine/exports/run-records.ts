import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { csvLine, type StepRecord } from '../../contract/index.ts';
import type { Lab } from '../../store/index.ts';
import { writeStepFiles } from '../../supervision/index.ts';

/**
 * Writes everything that the database has of a run: step files and events under the paper's names, curves as CSV, the configuration.
 * @param onStep told of the bytes that the files of a step take
 */
export function writeRecords(
  store: Lab,
  runId: string,
  folder: string,
  onStep: (bytes: number) => void,
): { steps: number; files: string[] } {
  const { config, committedSteps } = store.requireRun(runId);
  const steps = store.listSteps(runId, { limit: committedSteps });
  const records = join(folder, 'anchor');
  for (const { step } of steps) {
    const names = writeStepFiles(records, store, runId, step);
    // The log repeats what is in the step's own files.
    const own = names.filter((name) => name !== 'events.jsonl');
    onStep(own.reduce((sum, name) => sum + statSync(join(records, name)).size, 0));
  }
  writeFileSync(join(folder, 'config.json'), `${JSON.stringify(config, null, 2)}\n`);
  writeFileSync(join(folder, 'metrics.csv'), metricsCsv(steps, store.lineCounts(runId)));
  writeFileSync(join(folder, 'rates.csv'), ratesCsv(store, runId));
  writeFileSync(join(folder, 'proposals.csv'), proposalsCsv(store, runId));
  return {
    steps: steps.length,
    files: ['anchor/', 'config.json', 'metrics.csv', 'rates.csv', 'proposals.csv'],
  };
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
