import { PHASES, type Phase } from '../names.ts';
import type { PhaseProbabilities, RunConfig } from './run-config.ts';

type Value = { value: number };

/** What a plan is reckoned from: numbers that were measured or, where nothing was, follow from sizes. */
export type EstimateFacts = {
  /** Items of a step that come to each phase. */
  items: Readonly<Record<Phase, number>>;
  /** Share of responses that write a plan, and a thought; null where that was not watched. */
  plans: Value | null;
  thoughts: Value | null;
  /** Seconds one review takes, by phase. */
  reviewSeconds: Readonly<Record<Phase, Value | null>>;
  /** Seconds of a step that nobody reviews. */
  stepSeconds: Value | null;
  /** Share of its supervisor's work that a step of this kind waited for when it was last taken; null where none was. */
  waited: Value | null;
  checkpointBytes: Value | null;
  checkpointsKept: number;
  firstCheckpointBytes: number | null;
  memory: { trainer: Value | null; supervisor: Value | null };
};

/** A number known to lie between two; both are the same where nothing is open. */
export type Range = { low: number; high: number };

/** Share of the responses that write this part, where that was watched; all of them where it was not. */
const writtenShare = (phase: Phase, { plans, thoughts }: EstimateFacts): number =>
  phase === 'plan' ? (plans?.value ?? 1) : phase === 'thought' ? (thoughts?.value ?? 1) : 1;

/** Reviews of one phase to expect in a step: p times the items that come to it. Plans and thoughts that are not written are not reviewed. */
export const reviewsOf = (phase: Phase, p: number, estimate: EstimateFacts): number =>
  p * estimate.items[phase] * writtenShare(phase, estimate);

/** The terms p × items × share written, one for each phase that is reviewed; their sum is the expected number of reviews in a step. */
export const reviewTerms = (
  phases: PhaseProbabilities,
  estimate: EstimateFacts,
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
  /** Seconds of a step: with as much of the reviewing waited for as was last seen, else from none that could be hidden to all of it. */
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
export function totals(
  { steps, supervision: { phases, budgetSeconds } }: Sizes,
  estimate: EstimateFacts,
): Totals {
  const reviews = Object.fromEntries(
    PHASES.map((phase) => [phase, reviewsOf(phase, phases[phase], estimate)]),
  ) as Record<Phase, number>;
  const reviewsPerStep = PHASES.reduce((sum, phase) => sum + reviews[phase], 0);
  const work = secondsOfReviews(reviews, phases, estimate);
  const supervisorSeconds = work === null ? null : Math.min(work, budgetSeconds ?? Infinity);
  const alone = estimate.stepSeconds?.value ?? null;
  const stepSeconds =
    alone === null || supervisorSeconds === null ? null : stepOf(alone, supervisorSeconds, estimate.waited);
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
        : alone === null || stepSeconds === null
          ? { low: 0, high: supervisorSeconds }
          : { low: stepSeconds.low - alone, high: stepSeconds.high - alone },
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

/** Reviews hidden behind everything else, or all of them on top; one number where it is known how much of them is waited for. */
function stepOf(alone: number, reviews: number, waited: Value | null): Range {
  const [low, high] = [Math.max(alone, reviews), alone + reviews];
  if (waited === null) return { low, high };
  const step = Math.min(high, Math.max(low, alone + waited.value * reviews));
  return { low: step, high: step };
}

function secondsOfReviews(
  reviews: Record<Phase, number>,
  phases: PhaseProbabilities,
  { reviewSeconds }: EstimateFacts,
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
