import { batchSpec, type Audit, type AuditItem, type RolloutRecord } from '../contract/index.ts';
import type { Lab } from '../store/index.ts';
import type { JudgedReview } from '../supervision/index.ts';
import { answerEnd } from './answer-end.ts';

/** What a judge is shown of an audited review; null when the review is no longer in the lab. */
export function materialOf(
  store: Pick<Lab, 'getReview' | 'getRecord'>,
  { head: { plan } }: { head: Pick<Audit['head'], 'plan'> },
  item: Pick<AuditItem, 'reviewId' | 'rolloutId' | 'phase' | 'batch'>,
): JudgedReview | null {
  const review = store.getReview(plan.runId, item.reviewId);
  if (review === null) return null;
  const record = item.rolloutId === null ? null : store.getRecord(plan.runId, item.rolloutId);
  return {
    phase: item.phase,
    taskType: record?.rollout.taskType ?? batchSpec(item.batch).taskType,
    shown: shownOf(review.prompt),
    outcome: record === null ? null : verifierSaid(record.rollout),
    decision: review.decision,
    issues: review.issues,
    feedback: review.feedback,
  };
}

/** The verifier's result in words; null of an answer that a user rated, of which no verifier said anything. */
function verifierSaid(rollout: RolloutRecord): string | null {
  const { outcome, reason } = answerEnd(rollout);
  if (outcome === 'satisfied' || outcome === 'dissatisfied') return null;
  return reason === null ? outcome : `${outcome}: ${reason}`;
}

/** A stored prompt begins with the supervisor's instructions, which are ours; the work follows from where they name the phase, the first time they do. */
function shownOf(prompt: string): string {
  const start = /\n\nphase: /i.exec(prompt)?.index;
  return start === undefined ? prompt : prompt.slice(start + 2);
}
