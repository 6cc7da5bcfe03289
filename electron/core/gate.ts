import type { Phase, Probability } from '../contract/index.ts';
import { uniform } from './counter-random.ts';

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
