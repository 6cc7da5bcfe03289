import { describe, expect, it } from 'vitest';
import { comparePaired, type ItemOutcome } from '../../../../electron/core/index.ts';

/** One letter per item: p passed, f failed, ? undecided. */
const side = (letters: string, prefix = 'item'): ItemOutcome[] =>
  [...letters].map((letter, index) => ({
    itemId: `${prefix}-${index}`,
    passed: letter === '?' ? null : letter === 'p',
  }));

describe('Two evaluations of the same items', () => {
  it('are compared on the flipped ones, lost before gained, each in the order of the suite', () => {
    const { counts, flipped, common, change } = comparePaired(side('ppfpff'), side('pfppfp'));
    expect(counts).toEqual({ bothPassed: 2, onlyFirst: 1, onlySecond: 2, bothFailed: 1 });
    expect(flipped).toEqual([
      { itemId: 'item-1', change: 'lost' },
      { itemId: 'item-2', change: 'gained' },
      { itemId: 'item-5', change: 'gained' },
    ]);
    expect(common).toBe(6);
    expect(change.difference).toBeCloseTo(1 / 6, 12);
  });

  it('give the exact binomial p and the mid-p beside it', () => {
    const { p } = comparePaired(side('p'.repeat(9) + 'f'), side('f'.repeat(9) + 'p'));
    expect(p.exact).toBeCloseTo(22 / 1024, 12); // 2 · (C(10,0) + C(10,1)) / 2^10
    expect(p.mid).toBeCloseTo(12 / 1024, 12);
  });

  it('give p = 1 without a flip', () => {
    expect(comparePaired(side('ppff'), side('ppff'))).toMatchObject({ p: { exact: 1, mid: 1 }, flipped: [] });
  });

  it('count only what both decided, and tell the rest', () => {
    const first = [...side('pp?'), ...side('pppp', 'old')];
    const second = [...side('f?f'), ...side('ff', 'new')];
    expect(comparePaired(first, second)).toMatchObject({
      common: 1,
      onlyInFirst: 4,
      onlyInSecond: 2,
      undecided: 2,
      counts: { bothPassed: 0, onlyFirst: 1, onlySecond: 0, bothFailed: 0 },
    });
  });

  it('pair each sample of an item with its own, and take the item as one unit', () => {
    const samples = (letters: string): ItemOutcome[] =>
      [...letters].map((letter, sample) => ({ itemId: 'a', sample, passed: letter === 'p' }));
    const { common, items, counts, flipped, change } = comparePaired(samples('ppfp'), samples('pffp'));
    expect([common, items]).toEqual([4, 1]);
    expect(counts).toEqual({ bothPassed: 2, onlyFirst: 1, onlySecond: 0, bothFailed: 1 });
    expect(flipped).toEqual([{ itemId: 'a#1', change: 'lost' }]);
    expect(change.difference).toBeCloseTo(-1 / 4, 12);
  });

  it('pair by id whatever the order of the second', () => {
    const second = side('pffpfp');
    expect(comparePaired(side('ppfpff'), second.toReversed())).toEqual(comparePaired(side('ppfpff'), second));
  });

  it('with nothing in common claim nothing', () => {
    const result = comparePaired(side('pp'), side('ff', 'other'));
    expect(result).toMatchObject({
      common: 0,
      flipped: [],
      p: { exact: 1 },
      change: { difference: 0, low: -1, high: 1 },
    });
  });

  it('are refused when an item occurs twice', () => {
    expect(() => comparePaired([...side('p'), ...side('f')], side('p'))).toThrow(/item-0 occurs twice/);
  });

  it('pair a hundred thousand items at once', () => {
    const first = side('pf'.repeat(50_000));
    const second = side('ppff'.repeat(25_000));
    expect(comparePaired(first, second).flipped).toHaveLength(50_000);
  });
});

/** McNemar's exact p by whole numbers: 2 · Σ C(n, i) / 2^n over the smaller side. */
function exactly(lost: number, gained: number): number {
  const n = lost + gained;
  let [term, total] = [1n, 1n];
  for (let i = 1; i <= Math.min(lost, gained); i += 1) {
    term = (term * BigInt(n - i + 1)) / BigInt(i);
    total += term;
  }
  return Math.min(1, Number((2n * total * 10n ** 18n) / 2n ** BigInt(n)) / 1e18);
}

it('The exact p equals the one of whole-number arithmetic for all small tables and some large ones', () => {
  const check = (lost: number, gained: number): void => {
    const { p } = comparePaired(
      [...side('p'.repeat(lost) + 'f'.repeat(gained))],
      [...side('f'.repeat(lost) + 'p'.repeat(gained))],
    );
    expect(Math.abs(p.exact - exactly(lost, gained)), `${lost} lost, ${gained} gained`).toBeLessThan(1e-12);
  };
  for (let lost = 0; lost <= 12; lost += 1)
    for (let gained = 0; gained <= 12; gained += 1) check(lost, gained);
  check(41, 0);
  check(180, 221);
  check(700, 640);
});
