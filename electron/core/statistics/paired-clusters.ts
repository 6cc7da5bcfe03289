import { chiSquaredTail } from './contingency.ts';
import {
  mcnemarTest,
  pairedDifferenceInterval,
  Z_95,
  Z_POWER,
  type Interval,
  type PairedCounts,
} from './intervals.ts';

/** The answers that both sides gave to one item: samples of one item are no items of their own. Whole, not negative, not all 0. */
export type ItemChange = PairedCounts;

const answersOf = ({ bothPassed, onlyFirst, onlySecond, bothFailed }: PairedCounts): number =>
  bothPassed + onlyFirst + onlySecond + bothFailed;

/** Beyond this many additions the normal limit of the same test is taken; it is met with items by the hundred thousand only. */
const MOST_ADDITIONS = 2e8;

/**
 * Two-sided p that an item's net change is as likely to be a loss as a gain of the same size: the exact test of all signs of the items'
 * net changes (Fisher 1935), which for one answer an item is McNemar's. `mid` counts half of the observed sum's probability.
 * @param net gains less losses of each item, whole numbers.
 */
export function signFlipTest(net: readonly number[]): { exact: number; mid: number } {
  const sizes = net.map(Math.abs).filter((size) => size > 0);
  const [first = 1] = sizes;
  if (sizes.every((size) => size === first))
    return mcnemarTest(net.filter((one) => one < 0).length, net.filter((one) => one > 0).length);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const observed = Math.abs(net.reduce((sum, one) => sum + one, 0));
  if (sizes.length * all > MOST_ADDITIONS) {
    const p = chiSquaredTail(observed ** 2 / sizes.reduce((sum, size) => sum + size ** 2, 0), 1);
    return { exact: p, mid: p };
  }
  // chance[k]: that the items that gain have net changes of k in all. The sum of all signs is then 2k less all.
  let chance = new Float64Array(all + 1);
  chance[0] = 1;
  let reached = 0;
  for (const size of sizes) {
    const next = new Float64Array(all + 1);
    for (let k = 0; k <= reached; k++) {
      next[k] = (next[k] as number) + (chance[k] as number) / 2;
      next[k + size] = (next[k + size] as number) + (chance[k] as number) / 2;
    }
    chance = next;
    reached += size;
  }
  let [beyond, equal] = [0, 0];
  for (const [k, share] of chance.entries()) {
    const sum = Math.abs(2 * k - all);
    if (sum > observed) beyond += share;
    else if (sum === observed) equal += share;
  }
  return { exact: Math.min(1, beyond + equal), mid: Math.min(1, beyond + equal / 2) };
}

/** Counts over all items' answers. */
function totalOf(items: readonly ItemChange[]): PairedCounts {
  const total = { bothPassed: 0, onlyFirst: 0, onlySecond: 0, bothFailed: 0 };
  for (const item of items)
    for (const name of Object.keys(total) as (keyof PairedCounts)[]) total[name] += item[name];
  return total;
}

/**
 * Design effect: how many times as large the variance of the mean change is as if all answers were of items of their own
 * (Kish 1965), from the items' net changes. It lies between 1 and what answers that are all alike within their item would have.
 */
function designEffect(items: readonly ItemChange[]): number {
  const { onlyFirst, onlySecond, ...rest } = totalOf(items);
  const n = answersOf({ onlyFirst, onlySecond, ...rest });
  const most = items.reduce((sum, item) => sum + answersOf(item) ** 2, 0) / n;
  const mean = (onlySecond - onlyFirst) / n;
  const single = ((onlyFirst + onlySecond) / n - mean ** 2) / (n - 1);
  if (items.length < 2 || !(single > 0)) return most;
  const squares = items.reduce(
    (sum, item) => sum + (item.onlySecond - item.onlyFirst - answersOf(item) * mean) ** 2,
    0,
  );
  const clustered = (items.length / (items.length - 1)) * (squares / n ** 2);
  return Math.min(most, Math.max(1, clustered / single));
}

/**
 * Change of the share of answers that pass, second − first, with its 95 % interval: Newcombe's for paired data, with as many answers
 * as there would be if each were of an item of its own (their number over the design effect). `detectable` is in the same unit.
 */
export function clusteredChange(
  items: readonly ItemChange[],
): Interval & { difference: number; detectable: number | null } {
  const total = totalOf(items);
  const n = answersOf(total);
  if (n === 0) return { difference: 0, low: -1, high: 1, detectable: null };
  const effect = designEffect(items);
  const shrunk: PairedCounts = {
    bothPassed: total.bothPassed / effect,
    onlyFirst: total.onlyFirst / effect,
    onlySecond: total.onlySecond / effect,
    bothFailed: total.bothFailed / effect,
  };
  return {
    ...pairedDifferenceInterval(shrunk),
    detectable: detectableChange((total.onlyFirst + total.onlySecond) / n, n / effect),
  };
}

/**
 * The smallest change of a share that McNemar's test at 5 %, two-sided, finds in 80 of 100 comparisons of `n` pairs, by the sample size
 * of Connor (1987) solved for the change. `flipped` is the share of pairs that differ, as seen; where it is smaller than the
 * change itself, all pairs that differ change to one side. Null where no change can be found: too few pairs.
 */
export function detectableChange(flipped: number, n: number): number | null {
  const isFound = (change: number): boolean => {
    const differing = Math.max(flipped, change);
    return (
      Z_95 * Math.sqrt(differing) + Z_POWER * Math.sqrt(Math.max(0, differing - change ** 2)) <=
      change * Math.sqrt(n)
    );
  };
  // Five pairs that all change to one side have p = 0.0625.
  if (n < 6 || !isFound(1)) return null;
  let [low, high] = [0, 1];
  while (high - low > 1e-9) {
    const middle = (low + high) / 2;
    if (isFound(middle)) high = middle;
    else low = middle;
  }
  return high;
}
