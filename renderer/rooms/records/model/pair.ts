import { PHASES, type Phase, type PhaseProbabilities } from '../../../../electron/contract/index.ts';
import type { FullRecord, Review } from './types.ts';

/** Why a phase of a record has no review. */
export type Unreviewed =
  /** The run never reviews this phase. */
  | 'never'
  /** The gate's coin said no. */
  | 'not-drawn'
  /** The agent wrote no such part. */
  | 'nothing-written'
  /** Estimates are measurements and are never reviewed. */
  | 'estimate'
  /** A solver's task was reviewed where it was proposed, if at all. */
  | 'at-proposal'
  /** A proposal's answer is the task, which is reviewed as such. */
  | 'is-the-task';

/** One phase of a record: what is on the left, and the review beside it or why there is none. */
export type PhaseRow = {
  phase: Phase;
  review: Review | null;
  unreviewed: Unreviewed | null;
  /** Probability of the gate in this run; null where it does not apply. */ probability: number | null;
};

const isBlank = (text: string | null): boolean => text === null || text.trim() === '';

function whyUnreviewed(phase: Phase, { rollout }: FullRecord, probability: number): Unreviewed {
  if (phase === 'exec') return probability === 0 ? 'never' : 'not-drawn';
  if (rollout.purpose === 'estimate') return 'estimate';
  if (phase === 'task' && rollout.purpose === 'solve') return 'at-proposal';
  if (phase === 'output' && rollout.purpose === 'propose') return 'is-the-task';
  if ((phase === 'plan' && isBlank(rollout.plan)) || (phase === 'thought' && isBlank(rollout.thought)))
    return 'nothing-written';
  return probability === 0 ? 'never' : 'not-drawn';
}

/** The five phases of a record in their order, each with its review or the reason why it has none. */
export function pairRows(record: FullRecord, probabilities: PhaseProbabilities): PhaseRow[] {
  return PHASES.map((phase) => {
    const review =
      phase === 'exec' ? record.execReview : (record.reviews.find((each) => each.phase === phase) ?? null);
    const unreviewed = review === null ? whyUnreviewed(phase, record, probabilities[phase]) : null;
    const isGated = unreviewed === null || unreviewed === 'not-drawn' || unreviewed === 'never';
    return {
      phase,
      review,
      unreviewed,
      probability: isGated ? (review?.gateProbability ?? probabilities[phase]) : null,
    };
  });
}

/** The phase before or after one; stays at the ends. */
export function neighbourPhase(phase: Phase | undefined, by: 1 | -1): Phase {
  const place = phase === undefined ? (by === 1 ? -1 : PHASES.length) : PHASES.indexOf(phase);
  return PHASES[Math.max(0, Math.min(PHASES.length - 1, place + by))] as Phase;
}

/** What the leak guard found out about a review. */
export type LeakReading = { verdict: 'clean' | 'quarantined' | 'nothing-to-check'; found: readonly string[] };

export function leakReading({ status, leaks }: Pick<Review, 'status' | 'leaks'>): LeakReading {
  if (leaks.length > 0 || status === 'quarantined') return { verdict: 'quarantined', found: leaks };
  return { verdict: status === 'done' ? 'clean' : 'nothing-to-check', found: [] };
}
