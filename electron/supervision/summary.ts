import type { ReviewRecord, SummaryRecord, SupervisionConfig } from '../contract/index.ts';
import { isIssue, ISSUES, type Issue } from './reviewers/answers.ts';

export type BatchReviews = {
  step: number;
  batch: string;
  scope: SupervisionConfig['summaryScope'];
  /** Reviews of this batch, in order. */
  reviews: readonly ReviewRecord[];
  /**
   * Whether the verifier's result of a rollout is 1. The caller decides what that means; for rewarded prompts it is the rating,
   * misspecified or not, because that is the result the loop has.
   */
  passed: (rolloutId: string) => boolean;
};

type Point = SummaryRecord['points'][number];

/**
 * F_t of one batch (ANCHOR Eq. 6, A.2): what its reviews found, by issue and wording, most frequent first. Scope `verified`
 * takes items whose verifier result is 1; exec reviews speak of the whole batch and always count. Failed, skipped and
 * quarantined reviews never do.
 */
export function summarizeBatch({ step, batch, scope, reviews, passed }: BatchReviews): SummaryRecord {
  const answered = reviews.filter((review) => isAnswered(review, batch));
  const eligible = answered.filter((review) => isCounted(review, { batch, scope, passed }));
  const points = new Map<string, Point>();
  for (const review of eligible) {
    review.issues.forEach((issue, rank) => {
      const feedback = rank === 0 ? review.feedback : sentenceOf(issue);
      const key = `${issue}\n${feedback}`;
      const point = points.get(key) ?? { issue, feedback, count: 0, reviewIds: [] };
      points.set(key, { ...point, count: point.count + 1, reviewIds: [...point.reviewIds, review.id] });
    });
  }
  const sorted = [...points.values()].sort(
    (a, b) => b.count - a.count || compareText(a.issue, b.issue) || compareText(a.feedback, b.feedback),
  );
  return {
    step,
    batch,
    scope,
    reviewed: answered.length,
    eligible: eligible.length,
    points: sorted,
    text: summaryText(batch, answered.length, eligible.length, sorted),
  };
}

const isAnswered = (review: ReviewRecord, batch: string): boolean =>
  review.batch === batch && review.status === 'done';

/** Whether a summary of the batch counts this review. */
export const isCounted = (
  review: ReviewRecord,
  { batch, scope, passed }: Pick<BatchReviews, 'batch' | 'scope' | 'passed'>,
): boolean =>
  isAnswered(review, batch) && (scope === 'all' || review.rolloutId === null || passed(review.rolloutId));

/** The feedback of a review speaks of its worst issue; a second issue gets our sentence. */
const sentenceOf = (issue: string): string =>
  isIssue(issue) ? ISSUES[issue satisfies Issue].feedback : issue;

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function summaryText(batch: string, reviewed: number, eligible: number, points: Point[]): string {
  const head = `${batch}: ${reviewed} reviewed, ${eligible} counted${points.length === 0 ? ', nothing to report.' : '.'}`;
  return [head, ...points.map(({ issue, feedback, count }) => `- ${count} x ${issue}: ${feedback}`)].join(
    '\n',
  );
}
