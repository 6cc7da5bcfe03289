import { describe, expect, it } from 'vitest';
import { cohenKappa, scaleMean, uniform, yesNoTable } from '../../../../electron/core/index.ts';

describe("Cohen's kappa", () => {
  it('is what Fleiss, Levin & Paik (2003, table 18.1) print for their example, with its standard error of 0.087', () => {
    const found = cohenKappa([
      [75, 1, 4],
      [5, 4, 1],
      [0, 0, 10],
    ]);
    expect(found?.kappa).toBeCloseTo(0.676, 3);
    expect(((found?.high ?? 0) - (found?.low ?? 0)) / (2 * 1.959964)).toBeCloseTo(0.087, 2);
  });

  it('is 0 where raters agree as often as chance would have it, and negative where they agree less', () => {
    expect(
      cohenKappa([
        [25, 25],
        [25, 25],
      ])?.kappa,
    ).toBeCloseTo(0, 12);
    expect(
      cohenKappa([
        [0, 10],
        [10, 0],
      ])?.kappa,
    ).toBeCloseTo(-1, 12);
  });

  it('takes chance from both raters, where one says yes more often', () => {
    // Rows 0.6 and 0.4, columns 0.7 and 0.3: 0.54 by chance, 0.6 observed.
    const found = cohenKappa([
      [45, 15],
      [25, 15],
    ]);
    expect(found?.kappa).toBeCloseTo(0.06 / 0.46, 12);
  });

  it('of full agreement is 1 with a lower end that a few items cannot push up', () => {
    const few = cohenKappa([
      [3, 0],
      [0, 3],
    ]);
    const many = cohenKappa([
      [80, 0],
      [0, 80],
    ]);
    expect([few?.kappa, few?.high]).toEqual([1, 1]);
    expect(few?.low).toBeLessThan(0.3);
    expect(many?.low).toBeGreaterThan(0.9);
  });

  it('is not defined when both used one category only, or rated nothing', () => {
    expect(
      cohenKappa([
        [12, 0],
        [0, 0],
      ]),
    ).toBeNull();
    expect(
      cohenKappa([
        [0, 0],
        [0, 0],
      ]),
    ).toBeNull();
  });

  it('has an interval that holds the true value about 95 times of 100', () => {
    // Two raters who agree on 80 % of items of a balanced question: kappa 0.6.
    let held = 0;
    for (let round = 0; round < 400; round += 1) {
      const table = [
        [0, 0],
        [0, 0],
      ] as [[number, number], [number, number]];
      for (let item = 0; item < 160; item += 1) {
        const first = uniform(1, 'first', round, item) < 0.5 ? 0 : 1;
        const second = uniform(1, 'agrees', round, item) < 0.8 ? first : 1 - first;
        table[first][second as 0 | 1] += 1;
      }
      const found = cohenKappa(table);
      if (found !== null && found.low <= 0.6 && 0.6 <= found.high) held += 1;
    }
    expect(held / 400).toBeGreaterThan(0.91);
    expect(held / 400).toBeLessThan(0.985);
  });

  it('needs a square table', () => {
    expect(() => cohenKappa([[1, 2]])).toThrow(RangeError);
  });
});

describe('a table of two raters', () => {
  it('counts the four kinds of item', () => {
    expect(yesNoTable([true, true, false, false], [true, false, true, false])).toEqual({
      bothYes: 1,
      onlyFirst: 1,
      onlySecond: 1,
      bothNo: 1,
    });
    expect(() => yesNoTable([true], [])).toThrow(/same items/);
  });
});

describe('the mean of scores', () => {
  it('has an interval within the scale that narrows with the number of scores', () => {
    const few = scaleMean([80, 100, 90]);
    const many = scaleMean(Array.from({ length: 60 }, (_, index) => 80 + (index % 3) * 10));
    expect(few?.mean).toBeCloseTo(90, 10);
    expect(few?.high).toBe(100);
    expect((many?.high ?? 0) - (many?.low ?? 0)).toBeLessThan((few?.high ?? 0) - (few?.low ?? 0));
  });

  it('says nothing about one score, and is null for none', () => {
    expect(scaleMean([70])).toEqual({ mean: 70, low: 0, high: 100 });
    expect(scaleMean([])).toBeNull();
  });
});
