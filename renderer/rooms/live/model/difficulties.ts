import type { TaskType } from '../../../../electron/contract/index.ts';
import type { HeatColumn } from '../../../charts/index.ts';

/** Tasks of one step and type that were solved about so often; as store/timeline.ts counts them. */
export type Difficulty = { step: number; taskType: TaskType; tenth: number; tasks: number; meanRate: number };

/** Solve rates from 0 to 1 in tenths. */
export const TENTHS = 11;

/** The types that tasks with a measured rate have, in the order of their first appearance. */
export const typesOf = (rows: readonly Difficulty[]): TaskType[] => [
  ...new Set(rows.map(({ taskType }) => taskType)),
];

/** The same tasks, of one type only where one is named. */
export const ofType = (rows: readonly Difficulty[], taskType: TaskType | null): Difficulty[] =>
  rows.filter((row) => taskType === null || row.taskType === taskType);

/**
 * How the rates of the tasks of each of these steps are spread, or of a few steps where there is no room for each; steps without tasks
 * have empty columns. Steps ascend; rows of others are left out.
 */
export function difficultyColumns(
  rows: readonly Difficulty[],
  steps: readonly number[],
  most: number,
): HeatColumn[] {
  if (rows.length === 0) return [];
  const perColumn = Math.max(1, Math.ceil(steps.length / Math.max(1, most)));
  const columns = Array.from({ length: Math.ceil(steps.length / perColumn) }, (_, column) => ({
    from: steps[column * perColumn] as number,
    to: steps[Math.min(steps.length, (column + 1) * perColumn) - 1] as number,
    counts: Array.from({ length: TENTHS }, () => 0),
    rates: 0,
  }));
  const places = new Map(steps.map((step, place) => [step, place]));
  for (const { step, tenth, tasks, meanRate } of rows) {
    const column = columns[Math.floor((places.get(step) ?? Infinity) / perColumn)];
    if (column === undefined) continue;
    column.counts[tenth] = (column.counts[tenth] ?? 0) + tasks;
    column.rates += meanRate * tasks;
  }
  return columns.map(({ from, to, counts, rates }) => {
    const total = counts.reduce((sum, count) => sum + count, 0);
    return { from, to, counts, mean: total === 0 ? null : rates / total };
  });
}

/** What a column comes to: its tasks, and of them those that nobody and those that everybody solves, from which nothing is learnt. */
export function columnFacts({ counts }: Pick<HeatColumn, 'counts'>): {
  tasks: number;
  never: number;
  always: number;
} {
  return {
    tasks: counts.reduce((sum, count) => sum + count, 0),
    never: counts[0] ?? 0,
    always: counts[TENTHS - 1] ?? 0,
  };
}
