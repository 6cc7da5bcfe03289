/**
 * The chance that at least one of k answers drawn from n is right when c of the n are: 1 − C(n−c, k) / C(n, k), the unbiased
 * estimator of pass@k (Chen et al. 2021), as a product so that no binomial overflows. Exact to about 1e-15 per factor.
 * @throws RangeError unless 0 ≤ c ≤ n and 1 ≤ k ≤ n, all whole.
 */
export function passAtK(n: number, c: number, k: number): number {
  const isWhole = [n, c, k].every(Number.isInteger);
  if (!isWhole || c < 0 || c > n || k < 1 || k > n)
    throw new RangeError(`pass@${k} of ${c} right answers among ${n} is not defined.`);
  if (n - c < k) return 1;
  let noneRight = 1;
  for (let drawn = n - c + 1; drawn <= n; drawn += 1) noneRight *= 1 - k / drawn;
  return 1 - noneRight;
}

/** Mean of pass@k over tasks; null when a task has fewer than k answers, or there are no tasks. */
export function meanPassAtK(tasks: readonly { n: number; c: number }[], k: number): number | null {
  if (tasks.length === 0 || tasks.some(({ n }) => n < k)) return null;
  return tasks.reduce((sum, { n, c }) => sum + passAtK(n, c, k), 0) / tasks.length;
}
