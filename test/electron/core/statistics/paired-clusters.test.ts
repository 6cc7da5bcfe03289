import { describe, expect, it } from 'vitest';
import {
  clusteredChange,
  comparePaired,
  detectableChange,
  mcnemarTest,
  pairedDifferenceInterval,
  signFlipTest,
  uniform,
  type ItemChange,
  type ItemOutcome,
} from '../../../../electron/core/index.ts';

const side = (passed: boolean, items: number, samples: number): ItemOutcome[] =>
  Array.from({ length: items * samples }, (_, index) => ({
    itemId: `item-${index % items}`,
    sample: Math.floor(index / items),
    passed,
  }));
const single = (first: boolean, second: boolean): ItemChange => ({
  bothPassed: Number(first && second),
  onlyFirst: Number(first && !second),
  onlySecond: Number(!first && second),
  bothFailed: Number(!first && !second),
});

describe('Samples of an item', () => {
  it('that are all equal give the p and the interval of the items alone', () => {
    const one = comparePaired(side(false, 5, 1), side(true, 5, 1));
    const ten = comparePaired(side(false, 5, 10), side(true, 5, 10));
    expect(one.p.exact).toBe(0.0625);
    expect(ten).toMatchObject({ common: 50, items: 5, p: one.p, change: one.change });
    expect(ten.flipped).toHaveLength(50);
  });

  it('keep their interval and p where some items change and others do not', () => {
    const answers = (samples: number, passes: (item: number) => boolean): ItemOutcome[] =>
      Array.from({ length: 40 * samples }, (_, index) => ({
        itemId: `${index % 40}`,
        sample: Math.floor(index / 40),
        passed: passes(index % 40),
      }));
    const compare = (samples: number): ReturnType<typeof comparePaired> =>
      comparePaired(
        answers(samples, (item) => item < 20),
        answers(samples, (item) => item > 4 && item < 32),
      );
    const [one, ten] = [compare(1), compare(10)];
    expect(ten.p).toEqual(one.p);
    expect(ten.change.low).toBeCloseTo(one.change.low, 12);
    expect(ten.change.high).toBeCloseTo(one.change.high, 12);
    expect(ten.change.detectable).toBeCloseTo(one.change.detectable ?? NaN, 6);
  });

  it('that have nothing to do with each other count nearly as items of their own', () => {
    const draw = (name: string, share: number): ItemOutcome[] =>
      Array.from({ length: 600 }, (_, index) => ({
        itemId: `${index % 60}`,
        sample: Math.floor(index / 60),
        passed: uniform(4, name, index) < share,
      }));
    const { change, counts } = comparePaired(draw('first', 0.4), draw('second', 0.5));
    const alone = pairedDifferenceInterval(counts);
    expect((change.high - change.low) / (alone.high - alone.low)).toBeLessThan(1.25);
  });

  it('never make an interval narrower than as many items would, even where they cancel out within each', () => {
    const change = clusteredChange(
      Array.from({ length: 10 }, () => ({ bothPassed: 0, onlyFirst: 1, onlySecond: 1, bothFailed: 0 })),
    );
    const apart = pairedDifferenceInterval({ bothPassed: 0, onlyFirst: 10, onlySecond: 10, bothFailed: 0 });
    expect([change.low, change.high]).toEqual([apart.low, apart.high]);
    expect(change.detectable).toBe(detectableChange(1, 20));
  });

  it('have intervals that cover the true change in about 95 of 100 comparisons', () => {
    let covered = 0;
    for (let trial = 0; trial < 400; trial += 1) {
      // Half of the items are repaired or spoilt for all their samples alike, so the samples agree; the true change is 0.
      const answers = (name: string): ItemOutcome[] =>
        Array.from({ length: 200 }, (_, index) => ({
          itemId: `${index % 40}`,
          sample: Math.floor(index / 40),
          passed: uniform(6, name, trial, index % 40) < 0.5,
        }));
      const { change } = comparePaired(answers('first'), answers('second'));
      covered += Number(change.low <= 0 && change.high >= 0);
    }
    expect(covered / 400).toBeGreaterThan(0.92);
    expect(covered / 400).toBeLessThan(0.99);
  });
});

describe('The sign test', () => {
  it("is McNemar's where every item has one answer", () => {
    expect(signFlipTest([-1, 1, 1, 0, 1, 1])).toEqual(mcnemarTest(1, 4));
    expect(signFlipTest([])).toEqual({ exact: 1, mid: 1 });
  });

  it('counts all signs of unequal changes', () => {
    // Of the eight signs of 1, 2 and 3, six lie at +6, -6 or nearer to 0; only two are as far out as +6.
    expect(signFlipTest([1, 2, 3])).toEqual({ exact: 2 / 8, mid: 1 / 8 });
    // |-1 + 2 + 3| = 4 is reached by four of the eight: 6, -6, 4 and -4.
    expect(signFlipTest([-1, 2, 3])).toEqual({ exact: 4 / 8, mid: 3 / 8 });
  });
});

describe('The smallest change that is found', () => {
  /** Share of simulated comparisons in which the mid-p test finds a change of `change`. */
  const power = (n: number, flipped: number, change: number): number => {
    const trials = 500;
    let found = 0;
    for (let trial = 0; trial < trials; trial += 1) {
      let [lost, gained] = [0, 0];
      for (let item = 0; item < n; item += 1) {
        const draw = uniform(8, n, trial, item);
        if (draw < (flipped - change) / 2) lost += 1;
        else if (draw < flipped) gained += 1;
      }
      found += Number(mcnemarTest(lost, gained).mid < 0.05);
    }
    return found / trials;
  };

  it.each([
    [100, 0.3],
    [200, 0.2],
    [400, 0.4],
  ])('of %s items of which %s flip has a power near 80 %%', (n, flipped) => {
    const change = detectableChange(flipped, n);
    expect(power(n, flipped, change ?? NaN)).toBeGreaterThan(0.74);
    expect(power(n, flipped, change ?? NaN)).toBeLessThan(0.86);
  });

  it('does not exist for a handful of items, and shrinks with more', () => {
    expect(detectableChange(0.5, 5)).toBeNull();
    expect(detectableChange(0, 10)).toBeGreaterThan(detectableChange(0, 100) ?? NaN);
    expect(clusteredChange([single(true, false), single(false, false)]).detectable).toBeNull();
  });
});
