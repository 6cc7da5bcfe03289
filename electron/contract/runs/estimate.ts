import { PHASES, type Phase } from '../names.ts';
import type { RunConfig } from './run-config.ts';
import type { PhaseProbabilities } from './supervision-config.ts';

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
  /** Share of its supervisor's work that the last run of this kind waited for, at its own probabilities; null where there was none. */
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
  /** Seconds the supervisor works per step, apart from what a person answers in its place; null while a phase that is reviewed was never timed. */
  supervisorSeconds: number | null;
  /** Mean seconds of a review, by how many each phase brings; null as above, or without reviews. */
  secondsAReview: number | null;
  /**
   * Seconds of a step in which nothing but the supervisor works, which is what reviewing adds to it (a stored step's `supervise_wait`); the
   * rest of its work is hidden behind everything else (`supervise_hidden`). From what cannot be hidden to all of it where no run has told.
   */
  waitedSeconds: Range | null;
  /** The same as shares of the supervisor's seconds; null without reviews. */
  waitedShare: Range | null;
  /** Seconds of a step: one that nobody reviews, and what it waits for the supervisor. */
  stepSeconds: Range | null;
  /** A supervised step against an unsupervised one. */
  ratio: Range | null;
  totalSeconds: Range | null;
  /** Of all checkpoints that are kept. */
  checkpointBytes: number | null;
  memoryBytes: number | null;
};

/** Everything that follows from the estimate and the probabilities; cheap enough for every move of a slider. */
export function totals(
  { steps, supervision }: Pick<RunConfig, 'steps' | 'supervision'>,
  estimate: EstimateFacts,
): Totals {
  const { phases, budgetSeconds } = supervision;
  const reviews = Object.fromEntries(
    PHASES.map((phase) => [phase, reviewsOf(phase, phases[phase], estimate)]),
  ) as Record<Phase, number>;
  const reviewsPerStep = PHASES.reduce((sum, phase) => sum + reviews[phase], 0);
  const work = secondsOfReviews(reviews, phases, estimate);
  const supervisorSeconds =
    work === null ? null : Math.min(work * (1 - (supervision.human?.share ?? 0)), budgetSeconds ?? Infinity);
  const alone = estimate.stepSeconds?.value ?? null;
  const waitedSeconds = supervisorSeconds === null ? null : waitOf(alone, supervisorSeconds, estimate.waited);
  const stepSeconds = alone === null ? null : mapRange(waitedSeconds, (wait) => alone + wait);
  const { trainer, supervisor } = estimate.memory;
  const isSupervised = PHASES.some((phase) => phases[phase] > 0);
  return {
    reviews,
    reviewsPerStep,
    supervisorSeconds,
    secondsAReview: work === null || reviewsPerStep === 0 ? null : work / reviewsPerStep,
    waitedSeconds,
    waitedShare:
      supervisorSeconds === null || supervisorSeconds === 0
        ? null
        : mapRange(waitedSeconds, (wait) => wait / supervisorSeconds),
    stepSeconds,
    ratio: alone === null || alone === 0 ? null : mapRange(stepSeconds, (step) => step / alone),
    totalSeconds: mapRange(stepSeconds, (step) => step * steps),
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

const mapRange = (range: Range | null, of: (value: number) => number): Range | null =>
  range && { low: of(range.low), high: of(range.high) };

/**
 * Seconds that a step of `alone` seconds waits for `reviewing` seconds of a supervisor. More than the rest of the step cannot be hidden behind
 * it, so no share that a run of other probabilities waited for takes it below `reviewing - alone`.
 */
function waitOf(alone: number | null, reviewing: number, waited: Value | null): Range {
  const low = alone === null ? 0 : Math.max(0, reviewing - alone);
  if (waited === null || alone === null) return { low, high: reviewing };
  const wait = Math.min(reviewing, Math.max(low, waited.value * reviewing));
  return { low: wait, high: wait };
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
