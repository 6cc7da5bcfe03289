import { createHash } from 'node:crypto';
import type { Phase, Probability } from '../contract/index.ts';

/**
 * Randomness without state: every draw is a pure function of the run's seed and a path that names the decision
 * (`uniform(seed, 'gate', step, item)`). A resumed, replayed or reordered run therefore makes the same draws, and there
 * is no generator state to store.
 */
export type RandomPath = readonly (string | number)[];

const TWO_53 = 2 ** 53;

/**
 * A number in [0, 1) with 53 random bits: the first 53 bits of SHA-256 over the JSON text of `[seed, ...path]`. JSON keeps
 * path parts apart, so ('a', 'bc') and ('ab', 'c'), or 1 and '1', are different draws.
 */
export function uniform(seed: number, ...path: RandomPath): number {
  return draw53(seed, path) / TWO_53;
}

/** An integer in [0, 2^53), fit for use as a seed; e.g. `rolloutSeed(seed, step, batch, index, sample)`. */
export function rolloutSeed(seed: number, ...path: RandomPath): number {
  return draw53(seed, ['rollout', ...path]);
}

/** An integer in [0, size). `size` must be a positive safe integer; the bias of at most size / 2^53 is negligible here. */
export function uniformIndex(size: number, seed: number, ...path: RandomPath): number {
  if (!Number.isSafeInteger(size) || size < 1)
    throw new RangeError(`Cannot draw an index below ${size}; the size must be a positive integer.`);
  return Math.min(size - 1, Math.floor(uniform(seed, ...path) * size));
}

/** A new array in a uniformly random order (Fisher–Yates, one draw per position). */
export function shuffle<T>(items: readonly T[], seed: number, ...path: RandomPath): T[] {
  return sampleWithoutReplacement(items, items.length, seed, ...path);
}

/** `count` different positions of `items` in random order; all of them, shuffled, when `count` exceeds their number. */
export function sampleWithoutReplacement<T>(
  items: readonly T[],
  count: number,
  seed: number,
  ...path: RandomPath
): T[] {
  const pool = [...items];
  const take = Math.min(count, pool.length);
  for (let position = 0; position < take; position += 1) {
    const chosen = position + uniformIndex(pool.length - position, seed, ...path, position);
    [pool[position], pool[chosen]] = [pool[chosen] as T, pool[position] as T];
  }
  return pool.slice(0, take);
}

/**
 * `count` different positions drawn one after another with probability proportional to weight among those left.
 * Items of weight 0 come only after all others are gone, and then uniformly, so a short pool still fills the request.
 * Weights must be finite and non-negative; `weights[i]` belongs to `items[i]`.
 */
export function weightedSample<T>(
  items: readonly T[],
  weights: readonly number[],
  count: number,
  seed: number,
  ...path: RandomPath
): T[] {
  if (items.length !== weights.length)
    throw new RangeError(`Got ${weights.length} weights for ${items.length} items; there must be one each.`);
  const bad = weights.findIndex((weight) => !Number.isFinite(weight) || weight < 0);
  if (bad >= 0)
    throw new RangeError(`Weight ${bad} is ${weights[bad]}; weights must be finite and not negative.`);
  const left = items.map((item, index) => ({ item, weight: weights[index] as number }));
  const chosen: T[] = [];
  while (chosen.length < count && left.length > 0) {
    const index = weightedIndex(
      left.map((entry) => entry.weight),
      uniform(seed, ...path, chosen.length),
    );
    chosen.push((left.splice(index, 1)[0] as { item: T }).item);
  }
  return chosen;
}

/** The position that `u` in [0, 1) falls on when positions have lengths proportional to their weights. */
function weightedIndex(weights: readonly number[], u: number): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return Math.min(weights.length - 1, Math.floor(u * weights.length));
  let threshold = u * total;
  let last = 0;
  for (const [index, weight] of weights.entries()) {
    if (weight === 0) continue;
    last = index;
    if (threshold < weight) return index;
    threshold -= weight;
  }
  return last; // Rounding pushed the threshold past the end.
}

function draw53(seed: number, path: RandomPath): number {
  const parts = [seed, ...path];
  for (const part of parts) {
    if (typeof part === 'number' && !Number.isSafeInteger(part))
      throw new RangeError(`${part} cannot name a random draw; use safe integers or text.`);
  }
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  return Number(digest.readBigUInt64BE(0) >> 11n);
}

/**
 * Whether an item is reviewed at a phase: b ~ Bernoulli(p) of ANCHOR Eq. 5, drawn from (seed, step, item, phase).
 * The same number in [0, 1) is compared with every p, so raising p only adds reviews: the items reviewed at p = 0.3 are
 * among those reviewed at p = 0.5. p = 0 reviews none and p = 1 reviews all, exactly.
 */
export function drawGate(seed: number, step: number, itemKey: string, phase: Phase, p: Probability): boolean {
  if (!(p >= 0 && p <= 1))
    throw new RangeError(`The review probability of phase ${phase} is ${p}; it must lie between 0 and 1.`);
  return gateNumber(seed, step, itemKey, phase) < p;
}

/** The number in [0, 1) that the gate of an item compares with p. */
export function gateNumber(seed: number, step: number, itemKey: string, phase: Phase): number {
  return uniform(seed, 'gate', step, itemKey, phase);
}

/**
 * Whether a person is asked for a review whose gate opened. Its coin is another one than the gate's, so that the person's items
 * are a fair sample of all reviewed ones whatever p is, and a larger share only adds items.
 */
export function drawPerson(
  seed: number,
  step: number,
  itemKey: string,
  phase: Phase,
  share: Probability,
): boolean {
  if (!(share >= 0 && share <= 1))
    throw new RangeError(`The share of reviews for a person is ${share}; it must lie between 0 and 1.`);
  return uniform(seed, 'person', step, itemKey, phase) < share;
}
