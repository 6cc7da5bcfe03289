import {
  type Phase,
  type PhaseProbabilities,
  PHASES,
  type RunConfig,
} from '../../../../electron/contract/index.ts';
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
          trainer: { value: plan.neededBytes, source: 'estimated', from: { kind: 'rule' }, at: null, n: 0 },
        },
      };

/** A number known to lie between two; both are the same where nothing is open. */
export type Range = { low: number; high: number };

/** The paper's Table 2: supervised against unsupervised, per step of training and per test. */
export const PAPER_STEP_RATIO: Range = { low: 0.99, high: 1.16 };
export const PAPER_TEST_RATIO: Range = { low: 1.05, high: 1.56 };

/** Share of the responses that write this part, where that was watched; all of them where it was not. */
const writtenShare = (phase: Phase, { plans, thoughts }: Estimate): number =>
  phase === 'plan' ? (plans?.value ?? 1) : phase === 'thought' ? (thoughts?.value ?? 1) : 1;

/** Reviews of one phase to expect in a step: p times the items that come to it. Plans and thoughts that are not written are not reviewed. */
export const reviewsOf = (phase: Phase, p: number, estimate: Estimate): number =>
  p * estimate.items[phase] * writtenShare(phase, estimate);

/** The terms p × items × share written, one for each phase that is reviewed; their sum is the expected number of reviews in a step. */
export const reviewTerms = (
  phases: PhaseProbabilities,
  estimate: Estimate,
): { phase: Phase; p: number; items: number; written: number }[] =>
  PHASES.filter((phase) => phases[phase] > 0).map((phase) => ({
    phase,
    p: phases[phase],
    items: estimate.items[phase],
    written: writtenShare(phase, estimate),
  }));

export type Totals = {
  reviews: Record<Phase, number>;
  reviewsPerStep: number;
  /** Seconds the supervisor works per step; null while a phase that is reviewed was never timed. */
  supervisorSeconds: number | null;
  /** Mean seconds of a review, by how many each phase brings; null as above, or without reviews. */
  secondsAReview: number | null;
  /** What reviewing adds to a step: what cannot be hidden behind everything else, or all of it. */
  addedSeconds: Range | null;
  /** Seconds of a step: reviews hidden behind everything else, or all of them on top. */
  stepSeconds: Range | null;
  /** A supervised step against an unsupervised one. */
  ratio: Range | null;
  totalSeconds: Range | null;
  /** Of all checkpoints that are kept. */
  checkpointBytes: number | null;
  memoryBytes: number | null;
};

type Sizes = Pick<RunConfig, 'steps'> & {
  supervision: Pick<RunConfig['supervision'], 'phases' | 'budgetSeconds'>;
};

/** Everything that follows from the estimate and the probabilities; cheap enough for every move of a slider. */
export function totals({ steps, supervision: { phases, budgetSeconds } }: Sizes, estimate: Estimate): Totals {
  const reviews = Object.fromEntries(
    PHASES.map((phase) => [phase, reviewsOf(phase, phases[phase], estimate)]),
  ) as Record<Phase, number>;
  const reviewsPerStep = PHASES.reduce((sum, phase) => sum + reviews[phase], 0);
  const work = secondsOfReviews(reviews, phases, estimate);
  const supervisorSeconds = work === null ? null : Math.min(work, budgetSeconds ?? Infinity);
  const alone = estimate.stepSeconds?.value ?? null;
  const stepSeconds =
    alone === null || supervisorSeconds === null
      ? null
      : { low: Math.max(alone, supervisorSeconds), high: alone + supervisorSeconds };
  const { trainer, supervisor } = estimate.memory;
  const isSupervised = PHASES.some((phase) => phases[phase] > 0);
  return {
    reviews,
    reviewsPerStep,
    supervisorSeconds,
    secondsAReview: work === null || reviewsPerStep === 0 ? null : work / reviewsPerStep,
    addedSeconds:
      supervisorSeconds === null
        ? null
        : { low: alone === null ? 0 : Math.max(0, supervisorSeconds - alone), high: supervisorSeconds },
    stepSeconds,
    ratio:
      stepSeconds === null || alone === null || alone === 0
        ? null
        : { low: stepSeconds.low / alone, high: stepSeconds.high / alone },
    totalSeconds:
      stepSeconds === null ? null : { low: stepSeconds.low * steps, high: stepSeconds.high * steps },
    checkpointBytes:
      estimate.checkpointBytes === null || estimate.firstCheckpointBytes === null
        ? null
        : estimate.firstCheckpointBytes + estimate.checkpointBytes.value * (estimate.checkpointsKept - 1),
    memoryBytes:
      trainer === null || (isSupervised && supervisor === null)
        ? null
        : trainer.value + (isSupervised ? (supervisor?.value ?? 0) : 0),
  };
}

function secondsOfReviews(
  reviews: Record<Phase, number>,
  phases: PhaseProbabilities,
  { reviewSeconds }: Estimate,
): number | null {
  let sum = 0;
  for (const phase of PHASES) {
    if (phases[phase] === 0) continue;
    const each = reviewSeconds[phase];
    if (each === null) return null;
    sum += reviews[phase] * each.value;
  }
  return sum;
}
