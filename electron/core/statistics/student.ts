/** Student's t distribution, as far as two-sided intervals need it. */

/** The quantile t with P(|T| ≤ t) = `level` for T with `df` degrees of freedom; df need not be whole. */
export function studentQuantile(df: number, level = 0.95): number {
  if (!(df > 0) || !(level > 0 && level < 1))
    throw new RangeError(`There is no t quantile for ${df} degrees of freedom and level ${level}.`);
  const inside = (t: number): number => 1 - incompleteBeta(df / (df + t * t), df / 2, 0.5);
  let [low, high] = [0, 1];
  while (inside(high) < level) high *= 2;
  // Halving stops at the precision of a double; the distribution function is monotonic.
  for (let round = 0; round < 200 && high - low > 1e-12 * high; round += 1) {
    const middle = (low + high) / 2;
    if (inside(middle) < level) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The regularised incomplete beta function I_x(a, b), by Lentz's continued fraction on the side where it converges quickly. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b));
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(x, a, b)) / a
    : 1 - (front * betaFraction(1 - x, b, a)) / b;
}

function betaFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300; // stands in for a zero denominator
  const safe = (value: number): number => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / safe(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m <= 10_000; m += 1) {
    for (const term of [
      (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
      (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)),
    ]) {
      d = 1 / safe(1 + term * d);
      c = safe(1 + term / c);
      result *= c * d;
    }
    if (Math.abs(c * d - 1) < 1e-15) break;
  }
  return result;
}

/** Natural logarithm of the gamma function for x > 0: the recurrence up to 10, then Stirling's series. */
function logGamma(x: number): number {
  let shift = 0;
  let at = x;
  for (; at < 10; at += 1) shift -= Math.log(at);
  const square = at * at;
  const series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * square)) / square) / square) / at;
  return shift + (at - 0.5) * Math.log(at) - at + 0.5 * Math.log(2 * Math.PI) + series;
}
