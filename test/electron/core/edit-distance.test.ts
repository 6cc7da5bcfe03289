import { describe, expect, it } from 'vitest';
import { editDistance, similarity, uniformIndex } from '../../../electron/core/index.ts';

/** As it is defined, cell by cell. */
function byTable(left: readonly string[], right: readonly string[]): number {
  let above = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (const [row, item] of left.entries()) {
    const cells = [row + 1];
    for (const [column, other] of right.entries())
      cells.push(
        Math.min(above[column]! + Number(item !== other), above[column + 1]! + 1, cells[column]! + 1),
      );
    above = cells;
  }
  return above[right.length]!;
}

describe('the edit distance', () => {
  it('of two sequences is that of the table of both, whatever their lengths', () => {
    const sequence = (round: number, side: number): string[] => {
      const length = uniformIndex(round % 2 === 0 ? 150 : 8, 1, round, side);
      return Array.from({ length }, (_, at) => 'abcde'[uniformIndex(2 + (round % 4), 1, round, side, at)]!);
    };
    const pairs = Array.from(
      { length: 300 },
      (_, round) => [sequence(round, 0), sequence(round, 1)] as const,
    );
    for (const length of [0, 31, 32, 33, 64, 65])
      pairs.push([
        Array.from({ length }, (_, at) => `${at % 7}`),
        Array.from({ length: 40 }, (_, at) => `${at % 5}`),
      ]);
    expect(pairs.map(([left, right]) => editDistance(left, right))).toEqual(
      pairs.map(([left, right]) => byTable(left, right)),
    );
  });

  it('of texts counts code points, of which the first 4,000 are compared', () => {
    expect(editDistance('a😀c', 'a😃c')).toBe(1);
    expect(editDistance('kitten', 'sitting')).toBe(3);
    expect(editDistance('', 'abc')).toBe(3);
    expect(similarity('', '')).toBe(1);
    expect(similarity('abcd', 'abxd')).toBe(0.75);
    expect(similarity('a'.repeat(5000), `${'a'.repeat(4000)}${'b'.repeat(1000)}`)).toBe(1);
  });
});
