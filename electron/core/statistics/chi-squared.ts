import { logGamma } from './crossed-interval.ts';

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
