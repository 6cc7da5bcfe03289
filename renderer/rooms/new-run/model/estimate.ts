import { PHASES, type Range, type RunConfig, type Totals } from '../../../../electron/contract/index.ts';
import type { api } from '../../../data/index.ts';

/** What the engine knows of a run of these sizes on this machine. */
export type Estimate = Awaited<ReturnType<typeof api.plan.estimate.query>>;
/** What a trainer reckons that a run of these sizes takes of this machine's memory, by phase and use. */
export type MemoryPlan = Awaited<ReturnType<typeof api.plan.memory.query>>;
/** The same of every way to train. */
export type MethodPlan = Awaited<ReturnType<typeof api.plan.methods.query>>[number];
export type Quantity = NonNullable<Estimate['stepSeconds']>;

/** The estimate with the trainer's plan in the place of a rule of thumb; what was measured stays. */
export const withPlan = (estimate: Estimate, plan: MemoryPlan | null): Estimate =>
  plan === null || estimate.memory.trainer?.source === 'measured'
    ? estimate
    : {
        ...estimate,
        memory: {
          ...estimate.memory,
          trainer: {
            value: plan.neededBytes,
            source: 'estimated',
            from: { kind: 'rule' },
            at: null,
            n: 0,
            load: null,
          },
        },
      };

/** Where the time of a review comes from: the first phase that is reviewed and was timed. */
export const reviewQuantity = (
  { supervision: { phases } }: RunConfig,
  { reviewSeconds }: Estimate,
): Quantity | null =>
  PHASES.filter((phase) => phases[phase] > 0)
    .map((phase) => reviewSeconds[phase])
    .find((each) => each !== null) ?? null;

/** What the supervisor needs beyond the rest of the step, in seconds; whatever else is hidden, this is waited for. */
export const unhiddenSeconds = ({ supervisorSeconds }: Totals, { stepSeconds }: Estimate): number =>
  supervisorSeconds === null || stepSeconds === null ? 0 : Math.max(0, supervisorSeconds - stepSeconds.value);

/** The paper's Table 2: supervised against unsupervised, per step of training and per test. */
export const PAPER_STEP_RATIO: Range = { low: 0.99, high: 1.16 };
export const PAPER_TEST_RATIO: Range = { low: 1.05, high: 1.56 };
