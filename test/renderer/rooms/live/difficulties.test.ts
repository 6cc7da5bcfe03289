import { describe, expect, it } from 'vitest';
import {
  columnFacts,
  type Difficulty,
  difficultyColumns,
  ofType,
  typesOf,
} from '../../../../renderer/rooms/live/model/difficulties.ts';

const row = (step: number, tenth: number, tasks: number, change: Partial<Difficulty> = {}): Difficulty => ({
  step,
  taskType: 'deduction',
  tenth,
  tasks,
  meanRate: tenth / 10,
  ...change,
});
const counted = (...pairs: [number, number][]): number[] => {
  const counts = Array.from({ length: 11 }, () => 0);
  for (const [tenth, tasks] of pairs) counts[tenth] = tasks;
  return counts;
};

describe('solve rates along a run', () => {
  it('have a column a step, empty where nothing was proposed, and the exact mean of the tasks', () => {
    const rows = [row(1, 0, 3), row(1, 10, 1), row(3, 3, 2, { meanRate: 0.33 })];
    expect(difficultyColumns(rows, [1, 2, 3, 4], 100)).toEqual([
      { from: 1, to: 1, counts: counted([0, 3], [10, 1]), mean: 0.25 },
      { from: 2, to: 2, counts: counted(), mean: null },
      { from: 3, to: 3, counts: counted([3, 2]), mean: 0.33 },
      { from: 4, to: 4, counts: counted(), mean: null },
    ]);
  });

  it('share columns where there is no room for each, and lose no task', () => {
    const rows = Array.from({ length: 1001 }, (_, at) => row(at + 1, at % 11, 2));
    const columns = difficultyColumns(
      rows,
      rows.map(({ step }) => step),
      100,
    );
    expect(columns.length).toBeLessThanOrEqual(100);
    expect(columns.map(({ from }) => from)).toEqual([1, ...columns.slice(0, -1).map(({ to }) => to + 1)]);
    expect(columns.at(-1)?.to).toBe(1001);
    const tasks = columns.reduce((sum, column) => sum + columnFacts(column).tasks, 0);
    expect(tasks).toBe(2002);
  });

  it('have columns for the steps of a stage alone, named by the first and last of them', () => {
    const rows = [row(1, 0, 3), row(6, 10, 1), row(7, 3, 2, { meanRate: 0.33 }), row(12, 5, 1)];
    expect(difficultyColumns(rows, [6, 7, 12], 2)).toEqual([
      { from: 6, to: 7, counts: counted([10, 1], [3, 2]), mean: (1 + 0.66) / 3 },
      { from: 12, to: 12, counts: counted([5, 1]), mean: 0.5 },
    ]);
  });

  it('have no column before a task was measured', () => {
    expect(difficultyColumns([], [1, 2, 3], 100)).toEqual([]);
  });

  it('count those that nobody and that everybody solves', () => {
    expect(columnFacts({ counts: counted([0, 2], [5, 3], [10, 4]) })).toEqual({
      tasks: 9,
      never: 2,
      always: 4,
    });
  });

  it('are those of one type where one is named', () => {
    const rows = [row(1, 1, 1), row(1, 2, 5, { taskType: 'abduction' }), row(2, 1, 1)];
    expect(typesOf(rows)).toEqual(['deduction', 'abduction']);
    expect(ofType(rows, 'abduction')).toEqual([rows[1]]);
    expect(ofType(rows, null)).toEqual(rows);
  });
});
