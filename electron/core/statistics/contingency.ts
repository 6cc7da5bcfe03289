import { logGamma } from './crossed-interval.ts';

type Count = { passed: number; n: number };

const logChoose = (n: number, k: number): number => logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);

/**
 * Fisher's exact test of two independent proportions, one-sided: the chance that the first has at least as many hits as it has, given
 * all hits together, if both are alike. Without trials on a side nothing can differ, and it is 1.
 * @throws RangeError unless 0 ≤ passed ≤ n, all whole.
 */
export const fisherExact = (first: Count, second: Count): number => pooledExact([[first, second]]);

/**
 * The same over several pairs of proportions at once: the chance that the first ones have together at least as many hits as they have,
 * given the hits of each pair, if both are alike in every pair. It is the exact form of the Cochran-Mantel-Haenszel test (Mehta, Patel
 * and Gray 1985): pairs may differ from each other in how frequent hits are.
 * @throws RangeError unless 0 ≤ passed ≤ n, all whole.
 */
export function pooledExact(pairs: readonly (readonly [Count, Count])[]): number {
  let chances = [1];
  let surplus = 0;
  for (const [first, second] of pairs) {
    const { least, chances: ofPair } = hitsOfFirst(first, second);
    surplus += first.passed - least;
    chances = ofSum(chances, ofPair);
  }
  return Math.min(
    1,
    chances.slice(surplus).reduce((sum, chance) => sum + chance, 0),
  );
}

/** How likely each number of hits of the first is, from the least possible one upwards, given those of both. */
function hitsOfFirst(first: Count, second: Count): { least: number; chances: number[] } {
  for (const { passed, n } of [first, second])
    if (!Number.isSafeInteger(passed) || !Number.isSafeInteger(n) || passed < 0 || passed > n)
      throw new RangeError(
        `${passed} of ${n} is not a proportion; counts must be integers with 0 ≤ passed ≤ n.`,
      );
  const hits = first.passed + second.passed;
  const least = Math.max(0, hits - second.n);
  const all = logChoose(first.n + second.n, hits);
  const chances = Array.from({ length: Math.min(first.n, hits) - least + 1 }, (_, more) =>
    Math.exp(logChoose(first.n, least + more) + logChoose(second.n, hits - least - more) - all),
  );
  return { least, chances };
}

/** Of two independent numbers whose chances are given from their least values upwards. */
function ofSum(one: readonly number[], other: readonly number[]): number[] {
  const sums = Array.from({ length: one.length + other.length - 1 }, () => 0);
  for (const [a, chance] of one.entries())
    for (const [b, also] of other.entries()) sums[a + b] = (sums[a + b] as number) + chance * also;
  return sums;
}

const TERMS = 500;
const SMALL = 1e-15;

/** Upper regularised gamma function Q(a, x): its series below a + 1, Lentz' continued fraction above. */
function upperGamma(a: number, x: number): number {
  const scale = Math.exp(-x + a * Math.log(x) - logGamma(a));
  if (x < a + 1) {
    let [term, sum] = [1 / a, 1 / a];
    for (let n = 1; n < TERMS && term > sum * SMALL; n++) {
      term *= x / (a + n);
      sum += term;
    }
    return 1 - sum * scale;
  }
  let b = x + 1 - a;
  let [c, d] = [1 / 1e-300, 1 / b];
  let product = d;
  for (let n = 1; n < TERMS; n++) {
    const factor = -n * (n - a);
    b += 2;
    d = 1 / (factor * d + b);
    c = b + factor / c;
    product *= d * c;
    if (Math.abs(d * c - 1) < SMALL) break;
  }
  return product * scale;
}

/** The chance of a chi-squared statistic at least as large, with so many degrees of freedom. */
export function chiSquaredTail(statistic: number, degrees: number): number {
  if (!Number.isSafeInteger(degrees) || degrees < 1 || !(statistic >= 0))
    throw new RangeError(`A chi-squared of ${statistic} with ${degrees} degrees of freedom is not defined.`);
  return statistic === 0 ? 1 : Math.min(1, Math.max(0, upperGamma(degrees / 2, statistic / 2)));
}

/**
 * Pearson's statistic that groups have the same share of hits, with its degrees of freedom: the groups that have trials, less one.
 * Zero of both where all or none of the trials are hits, since nothing can then differ.
 */
export function homogeneity(groups: readonly { n: number; hits: number }[]): {
  chiSquared: number;
  degrees: number;
} {
  const used = groups.filter(({ n }) => n > 0);
  const n = used.reduce((sum, group) => sum + group.n, 0);
  const hits = used.reduce((sum, group) => sum + group.hits, 0);
  if (used.length < 2 || hits === 0 || hits === n) return { chiSquared: 0, degrees: 0 };
  const rate = hits / n;
  const chiSquared = used.reduce(
    (sum, group) => sum + (group.hits - group.n * rate) ** 2 / (group.n * rate * (1 - rate)),
    0,
  );
  return { chiSquared, degrees: used.length - 1 };
}
