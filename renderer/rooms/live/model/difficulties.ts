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

/** How the rates of the tasks of each step are spread, or of a few steps where there is no room for each; steps without tasks have empty columns. */
export function difficultyColumns(rows: readonly Difficulty[], lastStep: number, most: number): HeatColumn[] {
  // The tasks that a run begins with were measured by nobody.
  const last = Math.max(lastStep, ...rows.map(({ step }) => step));
  if (rows.length === 0 || last < 1) return [];
  const perColumn = Math.max(1, Math.ceil(last / Math.max(1, most)));
  const columns = Array.from({ length: Math.ceil(last / perColumn) }, (_, column) => ({
    from: column * perColumn + 1,
    to: Math.min(last, (column + 1) * perColumn),
    counts: Array.from({ length: TENTHS }, () => 0),
    rates: 0,
  }));
  for (const { step, tenth, tasks, meanRate } of rows) {
    const column = columns[Math.floor((step - 1) / perColumn)];
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
