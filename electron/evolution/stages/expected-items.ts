import {
  PHASES,
  batchName,
  type BatchName,
  type Phase,
  type Role,
  type RunConfig,
  type TaskType,
} from '../../contract/index.ts';
import { itemsOfRollout } from '../../supervision/index.ts';
import { frameworkOf } from '../frameworks.ts';
import { pressurePrompts, type PressureItem } from './pressure.ts';

/** What comes up for review in one step, before any coin is tossed. */
export type ExpectedItems = {
  /** Rollouts trained on, and Monte-Carlo estimates if every proposal is valid. */
  trained: number;
  proposals: number;
  mostEstimates: number;
  /** Items per phase, when every response has all the parts it was asked for. A response without a plan or thought brings no such item. */
  items: Record<Phase, number>;
};

/** Rated prompts are drawn anew each step, and so is which batches they fall into; over so many steps the mean is steady. */
const STEPS_LOOKED_AT = 64;

type Batch = { batch: BatchName; purpose: 'propose' | 'solve'; role: Role; taskType: TaskType; size: number };

/**
 * Counts the items of a step without running one, by the same parts that make them: the framework's batches, the draw of rated
 * prompts, the phases a rollout brings (ANCHOR Eq. 5 reviews each with its phase's probability), and one exec item per batch.
 * @returns means over the first steps of the run where draws differ from step to step.
 */
export function expectedItems(config: RunConfig, pressure: readonly PressureItem[]): ExpectedItems {
  const own = frameworkOf(config.framework)
    .batches(config)
    .map(({ purpose, taskType, size }): Batch => ({
      batch: batchName(purpose, taskType),
      purpose,
      role: purpose === 'propose' ? 'proposer' : 'solver',
      taskType,
      size,
    }));
  const trained = own.reduce((sum, { size }) => sum + size, 0);
  const steps = Math.min(config.steps, STEPS_LOOKED_AT);
  const items = Object.fromEntries(PHASES.map((phase) => [phase, 0])) as Record<Phase, number>;
  let rated = 0;
  for (let step = 1; step <= steps; step += 1) {
    const ofStep = [...own, ...ratedBatches(config, step, trained, pressure)];
    rated += ofStep.slice(own.length).reduce((sum, { size }) => sum + size, 0);
    for (const batch of ofStep) {
      for (const phase of phasesOf(batch)) items[phase] += batch.size;
      items.exec += 1;
    }
  }
  for (const phase of PHASES) items[phase] /= steps;
  const proposals = own.reduce((sum, { purpose, size }) => sum + (purpose === 'propose' ? size : 0), 0);
  return {
    trained: trained + rated / steps,
    proposals,
    mostEstimates: proposals * config.azr.estimateSamples,
    items,
  };
}

function ratedBatches(
  config: RunConfig,
  step: number,
  trained: number,
  pressure: readonly PressureItem[],
): Batch[] {
  const sizes = new Map<TaskType, number>();
  for (const { task, samples } of pressurePrompts(config, step, trained, pressure))
    sizes.set(task.taskType, (sizes.get(task.taskType) ?? 0) + samples);
  return [...sizes].map(([taskType, size]) => ({
    batch: batchName('solve', taskType),
    purpose: 'solve',
    role: 'assistant',
    taskType,
    size,
  }));
}

/** The phases of a response that has everything it was asked for. */
function phasesOf({ batch, purpose, role, taskType }: Batch): Phase[] {
  const whole = {
    id: '',
    step: 1,
    batch,
    index: 0,
    purpose,
    role,
    taskType,
    plan: 'written',
    thought: 'written',
    answer: 'written',
    formatOk: true,
  };
  return itemsOfRollout(whole, null, null).map(({ phase }) => phase);
}
