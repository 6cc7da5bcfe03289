import { setImmediate as nextTurn } from 'node:timers/promises';
import * as datasets from '../datasets/index.ts';
import { requireSuiteDataset } from '../plan/suite-data.ts';
import type { Contamination, Job, TaskRecord } from '../../contract/index.ts';
import { NgramIndex } from '../../core/index.ts';
import type { TestSetServices } from './test-sets.ts';

/** A row counts as shared from 13 words in a row on (Brown et al. 2020); shorter overlaps are measured down to 8. */
export const OVERLAP_WORDS = 13;
const SHORTEST_WORDS = 8;
/** Rows that are named, the longest overlaps first. */
const MOST_NAMED = 20;
/** Characters of one field that are compared; hidden tests of some sets have hundreds of megabytes. */
const MOST_CHARACTERS = 20_000;
/** Rows or tasks between two turns of the event loop, so that whoever else asks is answered. */
const AT_ONCE = 50;

/**
 * Compares what runs were trained on, tasks that policies made and first tasks, with a test set: rows that share so many words in a row
 * with one of them. The job's result is a Contamination, which names rows and tasks and quotes none. @param runId null for all runs of the lab.
 * @throws Failure (exit code 2) `unknownDataset`, `acknowledgementNeeded`, `unknownRun`.
 */
export function startContamination(services: TestSetServices, name: string, runId: string | null): Job {
  const { store, lab, jobs } = services;
  const dataset = requireSuiteDataset(store, name);
  datasets.requireAcknowledged(dataset);
  const runs = runId === null ? store.allRuns() : [store.requireRun(runId)];
  return jobs.start(
    { kind: 'contamination', title: `Compare ${name} with tasks`, unit: 'record', total: dataset.rows },
    async (job): Promise<Contamination> => {
      const index = new NgramIndex(SHORTEST_WORDS);
      const origins: { runId: string; taskId: string; isSeed: boolean }[] = [];
      let [tasks, seeds] = [0, 0];
      for (const { id, committedSteps } of runs)
        for (let step = 0; step <= committedSteps; step += 1) {
          if (step % AT_ONCE === 0) await nextTurn();
          job.signal.throwIfAborted();
          for (const task of store.tasksOfStep(id, step)) {
            const isSeed = task.rolloutId === null;
            if (isSeed) seeds += 1;
            else tasks += 1;
            const at = index.add(textOf(task));
            origins[at] ??= { runId: id, taskId: task.id, isSeed };
          }
        }
      const found: Contamination['longest'] = [];
      const touched = new Set<number>();
      let [rows, shared, longest] = [0, 0, 0];
      for await (const { id, line } of datasets.rowsOf(datasets.placeOf(lab.root, dataset), {
        signal: job.signal,
      })) {
        const overlaps = fieldsOf(line).flatMap((field) => index.overlaps(field));
        const most = overlaps.reduce((best, one) => (one.words > best.words ? one : best), {
          words: 0,
          text: -1,
        });
        longest = Math.max(longest, most.words);
        if (most.words >= OVERLAP_WORDS) {
          shared += 1;
          for (const { text, words } of overlaps) if (words >= OVERLAP_WORDS) touched.add(text);
          const { isSeed: _, ...origin } = origins[most.text] as (typeof origins)[number];
          found.push({ row: id, words: most.words, ...origin });
        }
        rows += 1;
        job.advance(1);
        if (rows % AT_ONCE === 0) await nextTurn();
      }
      const ofSeeds = [...touched].filter((text) => origins[text]?.isSeed === true).length;
      return {
        dataset: name,
        runs: runs.length,
        rows,
        tasks,
        seeds,
        different: index.size,
        n: OVERLAP_WORDS,
        shared,
        sharedTasks: touched.size - ofSeeds,
        sharedSeeds: ofSeeds,
        longestWords: longest,
        shortestWords: SHORTEST_WORDS,
        longest: found.sort((a, b) => b.words - a.words || (a.row < b.row ? -1 : 1)).slice(0, MOST_NAMED),
      };
    },
  );
}

/** What of a task a test set could hold too: its program and its message. Inputs and outputs are values of a few words. */
const textOf = ({ program, message }: TaskRecord): string => [program, message].filter(Boolean).join('\n');

/** Every text of a row, field by field, so that no overlap reaches from one into the next. */
function fieldsOf(line: string): string[] {
  let row: unknown;
  try {
    row = JSON.parse(line);
  } catch {
    return [line.slice(0, MOST_CHARACTERS)]; // kept as Python wrote it
  }
  const texts: string[] = [];
  const waiting: unknown[] = [row];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value === 'string') texts.push(value.slice(0, MOST_CHARACTERS));
    else if (typeof value === 'object' && value !== null) waiting.push(...Object.values(value));
  }
  return texts;
}
