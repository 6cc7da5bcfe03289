import { describe, expect, it } from 'vitest';
import { NgramIndex, uniformIndex, lowerCaseWords } from '../../../electron/core/index.ts';

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => `word${from + index}`).join(' ');

/** The longest run of words that two texts share, by trying all places. */
function longestByTrying(left: readonly string[], right: readonly string[]): number {
  let longest = 0;
  for (let i = 0; i < left.length; i += 1)
    for (let j = 0; j < right.length; j += 1) {
      let words = 0;
      while (left[i + words] !== undefined && left[i + words] === right[j + words]) words += 1;
      longest = Math.max(longest, words);
    }
  return longest;
}

describe('Runs of words', () => {
  it('are found whatever stands around them and however they are written', () => {
    const index = new NgramIndex(8);
    index.add(`def f(x):\n  return ${numbered(0, 20)}`);
    expect(index.overlaps(`Something else. ${numbered(5, 17).toUpperCase()}, and more.`)).toEqual([
      { text: 0, words: 12 },
    ]);
    expect(index.overlaps(numbered(3, 10))).toEqual([]);
    expect(lowerCaseWords('Ａ-b_c\tD1')).toEqual(['a', 'b', 'c', 'd1']);
  });

  it('are those that trying all places finds, in 100 drawn pairs of texts', () => {
    for (let trial = 0; trial < 100; trial += 1) {
      const draw = (name: string, length: number): string[] =>
        Array.from({ length }, (_, at) => `w${uniformIndex(3, 4, name, trial, at)}`);
      const [left, right] = [draw('left', 40), draw('right', 40)];
      const index = new NgramIndex(4);
      index.add(left.join(' '));
      const [found] = index.overlaps(right.join(' '));
      const longest = longestByTrying(left, right);
      expect(found?.words ?? 0, `trial ${trial}`).toBe(longest < 4 ? 0 : longest);
    }
  });

  it('of equal texts are held once', () => {
    const index = new NgramIndex(4);
    expect([index.add('a b c d e'), index.add('A, b; c d (e)'), index.add('a b c d f')]).toEqual([0, 0, 1]);
    expect(index.size).toBe(2);
  });
});
