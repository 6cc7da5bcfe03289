import {
  mcnemarTest,
  pairedCounts,
  pairedDifferenceInterval,
  wilsonInterval,
} from '../statistics/intervals.ts';
import type { Interval, PairedCounts } from '../statistics/intervals.ts';

/** A proportion that enters a sum with `weight`. */
export type WeightedShare = { passed: number; n: number; weight: number };

/**
 * 95 % interval of Σ weight · passed/n over independent proportions: the distances of the Wilson limits from their proportions, added
 * in squares (Zou & Donner 2008; Newcombe's method 10 for any number of parts). Unlike the plain variance it is sound for 0 or n of n.
 * Weights are positive. @throws RangeError for no shares, an n of 0 or impossible counts.
 */
export function squareAndAdd(shares: readonly WeightedShare[]): Interval & { mean: number } {
  if (shares.length === 0 || shares.some(({ n }) => n === 0))
    throw new RangeError('A mean of proportions needs at least one item in each.');
  const parts = shares.map(({ passed, n, weight }) => {
    const { low, high } = wilsonInterval(passed, n);
    return {
      value: weight * (passed / n),
      down: weight * (passed / n - low),
      up: weight * (high - passed / n),
    };
  });
  const mean = parts.reduce((sum, { value }) => sum + value, 0);
  return {
    mean,
    low: mean - Math.hypot(...parts.map(({ down }) => down)),
    high: mean + Math.hypot(...parts.map(({ up }) => up)),
  };
}

/** What became of one item; null was not decided (unjudged, unanswered). */
export type ItemOutcome = { itemId: string; passed: boolean | null };

/** An item that one side passed and the other did not: lost in the second, or gained by it. */
export type FlippedItem = { itemId: string; change: 'lost' | 'gained' };

export type PairedComparison = {
  /** Items decided on both sides: all that the figures below rest on. */
  common: number;
  counts: PairedCounts;
  /** Share passed by the second minus share passed by the first, over the common items, with its 95 % interval. */
  change: Interval & { difference: number };
  /** Two-sided p that gains and losses are equally likely: McNemar's exact test, and its mid-p. */
  p: { exact: number; mid: number };
  /** Lost items first, then gained ones, each in the first side's order. */
  flipped: FlippedItem[];
  /** Items asked of one side only, and items of both that at least one side has no verdict on: told, never counted. */
  onlyInFirst: number;
  onlyInSecond: number;
  undecided: number;
};

/**
 * Compares two evaluations of the same items, item by item (McNemar 1947; exact binomial with mid-p after Fagerland 2013). Only items
 * that both decided are compared, and how many were left out is told.
 * @throws RangeError when a side names an item twice.
 */
export function comparePaired(
  first: readonly ItemOutcome[],
  second: readonly ItemOutcome[],
): PairedComparison {
  const [left, right] = [outcomes(first), outcomes(second)];
  const shared = [...left.keys()].filter((itemId) => right.has(itemId));
  const decided = shared.filter((itemId) => left.get(itemId) !== null && right.get(itemId) !== null);
  const passed = (side: ReadonlyMap<string, boolean | null>): boolean[] =>
    decided.map((itemId) => side.get(itemId) === true);
  const counts = pairedCounts(passed(left), passed(right));
  const flips = decided.filter((itemId) => left.get(itemId) !== right.get(itemId));
  const flippedTo = (change: FlippedItem['change']): FlippedItem[] =>
    flips.filter((itemId) => left.get(itemId) === (change === 'lost')).map((itemId) => ({ itemId, change }));
  return {
    common: decided.length,
    counts,
    change: pairedDifferenceInterval(counts),
    p: mcnemarTest(counts.onlyFirst, counts.onlySecond),
    flipped: [...flippedTo('lost'), ...flippedTo('gained')],
    onlyInFirst: left.size - shared.length,
    onlyInSecond: right.size - shared.length,
    undecided: shared.length - decided.length,
  };
}

function outcomes(items: readonly ItemOutcome[]): Map<string, boolean | null> {
  const byId = new Map<string, boolean | null>();
  for (const { itemId, passed } of items) {
    if (byId.has(itemId))
      throw new RangeError(
        `Item ${itemId} occurs twice in one evaluation; items can only be paired when each occurs once.`,
      );
    byId.set(itemId, passed);
  }
  return byId;
}
