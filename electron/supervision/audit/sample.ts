import {
  PHASES,
  type AuditItem,
  type AuditPlan,
  type Phase,
  type ReviewRecord,
} from '../../contract/index.ts';
import { sampleWithoutReplacement, shuffle } from '../../core/index.ts';
import { reviewerMaker } from '../reviewers/registry.ts';

/** The part of a review that decides whether it can be sampled. */
export type AuditCandidate = Pick<
  ReviewRecord,
  'id' | 'rolloutId' | 'step' | 'batch' | 'phase' | 'status' | 'decision' | 'leaks' | 'reviewer' | 'model'
>;

/** The paper's sample: every phase but exec, two of each per step, over twenty steps. */
export const PAPER_PHASES: readonly Phase[] = PHASES.filter((phase) => phase !== 'exec');
export const PAPER_PER_PHASE = 2;
const PAPER_STEPS = 20;

/** The middle `PAPER_STEPS` of a run's committed steps; all of them when there are fewer. */
export function middleSteps(committed: number, wanted = PAPER_STEPS): { fromStep: number; toStep: number } {
  const length = Math.min(wanted, committed);
  const fromStep = Math.floor((committed - length) / 2) + 1;
  return { fromStep, toStep: fromStep + length - 1 };
}

/** Reviews that were answered, quarantined ones included: non-leakage is judged on what the supervisor wrote. People do not audit people. */
export const isAuditable = ({
  status,
  decision,
  reviewer,
}: Pick<AuditCandidate, 'status' | 'decision' | 'reviewer'>): boolean =>
  (status === 'done' || status === 'quarantined') &&
  decision !== null &&
  reviewerMaker(reviewer).isPerson !== true;

/**
 * Draws `perPhase` reviews of each phase and step, uniformly and without replacement, and puts all of them in a random order so
 * that neither tiredness nor practice of the rater goes with the step. A function of plan and records alone.
 */
export function drawAudit(plan: AuditPlan, candidates: readonly AuditCandidate[]): AuditItem[] {
  const { seed, perPhase, fromStep, toStep, rolloutId } = plan;
  const cells = new Map<string, AuditCandidate[]>();
  for (const candidate of candidates) {
    if (
      !isAuditable(candidate) ||
      candidate.step < fromStep ||
      candidate.step > toStep ||
      !plan.phases.includes(candidate.phase)
    )
      continue;
    if (rolloutId !== undefined && candidate.rolloutId !== rolloutId) continue;
    const cell = `${candidate.step}/${candidate.phase}`;
    cells.set(cell, [...(cells.get(cell) ?? []), candidate]);
  }
  const drawn = [...cells].flatMap(([cell, inCell]) =>
    sampleWithoutReplacement(
      inCell.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      perPhase,
      seed,
      'audit',
      cell,
    ),
  );
  const inOrder = drawn.toSorted(
    (a, b) => a.step - b.step || PHASES.indexOf(a.phase) - PHASES.indexOf(b.phase) || (a.id < b.id ? -1 : 1),
  );
  return shuffle(inOrder, seed, 'audit-order').map((candidate, ordinal) => ({
    ordinal,
    reviewId: candidate.id,
    rolloutId: candidate.rolloutId,
    step: candidate.step,
    batch: candidate.batch,
    phase: candidate.phase,
    decision: candidate.decision ?? 'continue',
    status: candidate.status === 'quarantined' ? 'quarantined' : 'done',
    leaks: candidate.leaks.length,
    reviewer: candidate.reviewer,
    model: candidate.model,
  }));
}

/** How many reviews the plan asks for; a record has one of each phase. */
export const wantedOf = ({ fromStep, toStep, phases, perPhase, rolloutId }: AuditPlan): number =>
  Math.max(0, toStep - fromStep + 1) * new Set(phases).size * (rolloutId === undefined ? perPhase : 1);
