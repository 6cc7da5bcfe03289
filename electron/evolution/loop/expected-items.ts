import { PHASES, type Phase, type RewardedPrompt, type RunConfig } from '../../contract/index.ts';
import { itemsOfRollout } from '../../supervision/index.ts';
import type { AnyFramework, BatchSize } from './framework.ts';

/** What comes up for review in one step, before any coin is tossed. */
export type ExpectedItems = {
  /** Rollouts trained on, and rollouts that measuring them may take at most (for AZR, if every proposal is valid). */
  trained: number;
  proposals: number;
  mostEstimates: number;
  /** Items per phase, when every response has all the parts it was asked for. A response without a plan or thought brings no such item. */
  items: Record<Phase, number>;
};

/** Batches may be drawn again each step; over so many steps the mean is steady. */
const STEPS_LOOKED_AT = 64;

/**
 * Counts the items of a step without running one, by the same parts that make them: the stages' batches, the phases a rollout
 * brings (ANCHOR Eq. 5 reviews each with its phase's probability), and one exec item per batch.
 * @returns means over the first steps of the run.
 */
export function expectedItems(
  framework: AnyFramework,
  config: RunConfig,
  rewardedPrompts: readonly RewardedPrompt[],
): ExpectedItems {
  const steps = Math.min(config.steps, STEPS_LOOKED_AT);
  const items = Object.fromEntries(PHASES.map((phase) => [phase, 0])) as Record<Phase, number>;
  let [trained, proposals, mostEstimates] = [0, 0, 0];
  for (let step = 1; step <= steps; step += 1) {
    for (const batch of framework.stageAt(config, step).stage.batchSizes(config, step, rewardedPrompts)) {
      trained += batch.size;
      if (batch.purpose === 'propose') proposals += batch.size;
      mostEstimates += batch.size * batch.measurements;
      for (const phase of phasesOf(batch)) items[phase] += batch.size;
      items.exec += 1;
    }
  }
  for (const phase of PHASES) items[phase] /= steps;
  return {
    trained: trained / steps,
    proposals: proposals / steps,
    mostEstimates: mostEstimates / steps,
    items,
  };
}

/** The phases of a response that has everything it was asked for. */
function phasesOf({ batch, purpose, role, taskType }: BatchSize): Phase[] {
  const identity = { id: '', step: 1, batch, index: 0, purpose, role, taskType };
  const whole = { ...identity, plan: 'written', thought: 'written', answer: 'written', formatOk: true };
  return itemsOfRollout(whole, null, null).map(({ phase }) => phase);
}
