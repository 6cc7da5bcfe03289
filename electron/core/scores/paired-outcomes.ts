import { pairedCounts, wilsonInterval } from '../statistics/intervals.ts';
import type { Interval, PairedCounts } from '../statistics/intervals.ts';
import { clusteredChange, signFlipTest } from '../statistics/paired-clusters.ts';

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

/** What became of one answer to an item, the first one unless `sample` says which; null was not decided (unjudged, unanswered). */
export type ItemOutcome = { itemId: string; sample?: number; passed: boolean | null };

/** An answer's name, alone of its kind in an evaluation: `item`, or `item#2` for its third sample. */
export const answerName = ({ itemId, sample = 0 }: Pick<ItemOutcome, 'itemId' | 'sample'>): string =>
  sample === 0 ? itemId : `${itemId}#${sample}`;

/** An answer that one side passed and the other did not, by its name: lost in the second, or gained by it. */
export type FlippedItem = { itemId: string; change: 'lost' | 'gained' };

export type PairedComparison = {
  /** Answers decided on both sides, and the items they belong to: all that the figures below rest on. */
  common: number;
  items: number;
  counts: PairedCounts;
  /**
   * Share passed by the second minus share passed by the first, over the common answers, with its 95 % interval, and the smallest
   * change found with power 80 % at 5 %; null where none can be. Items are the units of both.
   */
  change: Interval & { difference: number; detectable: number | null };
  /** Two-sided p that items are as likely to lose as to gain: McNemar's exact test and its mid-p, or with several samples of an item the sign test of net changes. */
  p: { exact: number; mid: number };
  /** Lost answers first, then gained ones, each in the first side's order. */
  flipped: FlippedItem[];
  /** Answers asked of one side only, and answers of both that at least one side has no verdict on: told, never counted. */
  onlyInFirst: number;
  onlyInSecond: number;
  undecided: number;
};

/**
 * Compares two evaluations of the same items, answer by answer (McNemar 1947; exact binomial with mid-p after Fagerland 2013). Only answers
 * that both decided are compared, and how many were left out is told. Samples of an item are one unit: ten equal ones say no more than one.
 * @throws RangeError when a side names an answer twice.
 */
export function comparePaired(
  first: readonly ItemOutcome[],
  second: readonly ItemOutcome[],
): PairedComparison {
  const [left, right] = [outcomes(first), outcomes(second)];
  const shared = [...left.keys()].filter((name) => right.has(name));
  const decided = shared.flatMap((name) => {
    const [before, after] = [left.get(name), right.get(name)];
    return before === undefined || after === undefined || before.passed === null || after.passed === null
      ? []
      : [{ name, itemId: before.itemId, before: before.passed, after: after.passed }];
  });
  const countsOf = (answers: typeof decided): PairedCounts =>
    pairedCounts(
      answers.map(({ before }) => before),
      answers.map(({ after }) => after),
    );
  const items = [...Map.groupBy(decided, ({ itemId }) => itemId).values()].map(countsOf);
  const flippedTo = (change: FlippedItem['change']): FlippedItem[] =>
    decided
      .filter(({ before, after }) => before !== after && before === (change === 'lost'))
      .map(({ name }) => ({ itemId: name, change }));
  return {
    common: decided.length,
    items: items.length,
    counts: countsOf(decided),
    change: clusteredChange(items),
    p: signFlipTest(items.map(({ onlyFirst, onlySecond }) => onlySecond - onlyFirst)),
    flipped: [...flippedTo('lost'), ...flippedTo('gained')],
    onlyInFirst: left.size - shared.length,
    onlyInSecond: right.size - shared.length,
    undecided: shared.length - decided.length,
  };
}

function outcomes(answers: readonly ItemOutcome[]): Map<string, ItemOutcome> {
  const byName = new Map<string, ItemOutcome>();
  for (const answer of answers) {
    const name = answerName(answer);
    if (byName.has(name))
      throw new RangeError(
        `Item ${name} occurs twice in one evaluation; items can only be paired when each occurs once.`,
      );
    byName.set(name, answer);
  }
  return byName;
}
