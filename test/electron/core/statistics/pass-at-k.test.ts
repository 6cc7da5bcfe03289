import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { meanPassAtK, passAtK } from '../../../../electron/core/index.ts';

/** Exact, over all subsets: 1 − C(n−c, k) / C(n, k) in whole numbers. */
function exactly(n: number, c: number, k: number): number {
  const choose = (from: number, count: number): bigint => {
    let result = 1n;
    for (let i = 0; i < count; i += 1) result = (result * BigInt(from - i)) / BigInt(i + 1);
    return result;
  };
  const [all, wrong] = [choose(n, k), n - c < k ? 0n : choose(n - c, k)];
  return Number(((all - wrong) * 10n ** 20n) / all) / 1e20;
}

describe('pass@k', () => {
  it('equals the exact fraction for every c and k of ten answers and some of two hundred', () => {
    for (let c = 0; c <= 10; c += 1)
      for (let k = 1; k <= 10; k += 1)
        expect(Math.abs(passAtK(10, c, k) - exactly(10, c, k))).toBeLessThan(1e-12);
    for (const c of [0, 1, 37, 100, 199, 200])
      for (const k of [1, 2, 10, 100, 200])
        expect(Math.abs(passAtK(200, c, k) - exactly(200, c, k))).toBeLessThan(1e-12);
  });

  const vectors = join(import.meta.dirname, '../../../../../shared/data/vectors/pass_at_k_vectors.json');
  it.skipIf(!existsSync(vectors))('equals the published vectors (in ../shared/data) to 1e-12', () => {
    const rows = (
      JSON.parse(readFileSync(vectors, 'utf8')) as {
        vectors: { n: number; c: number; k: number; pass_at_k: number }[];
      }
    ).vectors;
    expect(rows.length).toBeGreaterThan(10);
    for (const { n, c, k, pass_at_k } of rows)
      expect(Math.abs(passAtK(n, c, k) - pass_at_k), `${n} ${c} ${k}`).toBeLessThan(1e-12);
  });

  it.each([
    [5, 6, 1],
    [5, -1, 1],
    [5, 2, 6],
    [5, 2, 0],
    [5.5, 2, 1],
    [Number.NaN, 0, 1],
  ])('of %d answers, %d right, k = %d is refused', (n, c, k) => {
    expect(() => passAtK(n, c, k)).toThrow(RangeError);
  });

  it('is averaged over tasks, and is unknown where a task has too few answers', () => {
    expect(
      meanPassAtK(
        [
          { n: 10, c: 3 },
          { n: 10, c: 0 },
        ],
        1,
      ),
    ).toBeCloseTo(0.15, 12);
    expect(
      meanPassAtK(
        [
          { n: 10, c: 3 },
          { n: 4, c: 4 },
        ],
        5,
      ),
    ).toBeNull();
    expect(meanPassAtK([], 1)).toBeNull();
  });
});
