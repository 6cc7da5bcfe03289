import { cpus } from 'node:os';
import { join } from 'node:path';
import { writeWholeFile } from '../../library/index.ts';
import { ARMS, COMPARED, REWARDED_SHARES, runKey, type StudyOptions } from './arms.ts';
import { studySvg } from './figure.ts';
import { plannedRuns, seedsOf } from './points.ts';
import { StudyFigures, type StudyResults } from './statistics.ts';
import type { RunEntry, StudyState } from './state.ts';
import { studyMarkdown } from './table.ts';

const NOTES = [
  "Nothing of the runs was tuned on the held-out items: learning rate, phases, context and rewarded prompts are the demo's, batch size and estimates were chosen by step time alone, on seed 77; batch and learning rate of the arm practice on seed 77 too, by the share of its own tasks a run solved. The embedded policy itself was trained before; its untold refusal habit was set with an eye on the same suite (its model card).",
  'Seeds and items are both taken for samples: two-way random-effects intervals at 95 % (electron/core/statistics/crossed-interval.ts). Differences are paired by seed and item; both sides met the same sampling noise.',
  'No correction for the number of comparisons is made: of 20 intervals around true zeros, one is expected to exclude 0.',
  'Items are the first of each held-out suite, asked at temperature 1.',
];

/** All figures of what the state holds by now; arms and seeds that are not done are left out. */
export function resultsOf(
  state: StudyState,
  options: StudyOptions,
  depends: Record<string, unknown>,
): StudyResults {
  const done = plannedRuns(options).filter((run) => state.run(runKey(run)) !== undefined);
  const seeds = seedsOf(options).filter((seed) => done.some((run) => run.seed === seed));
  const figures = new StudyFigures(state, seeds, options.steps);
  return {
    settings: {
      seeds,
      steps: options.steps,
      every: options.every,
      items: options.items,
      depends,
      arms: ARMS.filter((arm) => done.some((run) => run.arm === arm)),
      rewardedShares: REWARDED_SHARES.filter((rewardedShare) =>
        done.some((run) => run.rewardedShare === rewardedShare),
      ),
    },
    machine: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown processor'}`,
    notes: NOTES,
    runs: done.map((run) => state.run(runKey(run)) as RunEntry),
    levels: figures.levels(options.every),
    effects: figures.effects(),
    claims: figures.claims(),
  };
}

/** Whether these are results of the study in its full size: the only ones that replace the published ones. */
export function isFull({ settings, runs }: StudyResults): boolean {
  const { length: seeds } = settings.seeds;
  return (
    seeds >= 5 &&
    settings.steps >= 40 &&
    settings.items >= 100 &&
    runs.length >=
      plannedRuns({ seeds, firstSeed: 1, arms: COMPARED, rewardedShares: REWARDED_SHARES }).length
  );
}

/** Writes table, figure and data. Returns the files. */
export function writeResults(
  results: StudyResults,
  state: StudyState,
  folder: string,
  picture: string,
): string[] {
  const files: [string, string][] = [
    [join(folder, 'study.json'), `${JSON.stringify(results, roundShares, 1)}\n`],
    [join(folder, 'settings.json'), `${JSON.stringify(results.settings.depends, null, 2)}\n`],
    [
      join(folder, 'evaluations.jsonl'),
      [...state.entries.values()].map((entry) => `${JSON.stringify(entry)}\n`).join(''),
    ],
    [join(folder, 'table.md'), `${studyMarkdown(results)}\n`],
    [picture, studySvg(results)],
  ];
  for (const [path, text] of files) writeWholeFile(path, text);
  return files.map(([path]) => path);
}

/** Four digits tell a share of at most a few thousand answers exactly enough. */
const roundShares = (_: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Math.round(value * 1e4) / 1e4 : value;
