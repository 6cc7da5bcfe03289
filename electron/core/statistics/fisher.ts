import { logGamma } from './crossed-interval.ts';

type Count = { passed: number; n: number };

const logChoose = (n: number, k: number): number => logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);

/**
 * Fisher's exact test of two independent proportions, one-sided: the chance that the first has at least as many hits as it has, given
 * all hits together, if both are alike. Without trials on a side nothing can differ, and it is 1.
 * @throws RangeError unless 0 ≤ passed ≤ n, all whole.
 */
export function fisherExact(first: Count, second: Count): number {
  for (const { passed, n } of [first, second])
    if (!Number.isSafeInteger(passed) || !Number.isSafeInteger(n) || passed < 0 || passed > n)
      throw new RangeError(
        `${passed} of ${n} is not a proportion; counts must be integers with 0 ≤ passed ≤ n.`,
      );
  const hits = first.passed + second.passed;
  const all = logChoose(first.n + second.n, hits);
  let chance = 0;
  for (let passed = first.passed; passed <= Math.min(first.n, hits); passed++)
    chance += Math.exp(logChoose(first.n, passed) + logChoose(second.n, hits - passed) - all);
  return Math.min(1, chance);
}
