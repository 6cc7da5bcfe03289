import { Failure, type Phase, type ReviewAnswer } from '../../../contract/index.ts';
import { isIssue, ISSUES, issuesOf, MAX_ISSUES } from '../issues.ts';
import { MAX_FEEDBACK } from '../review-answer.ts';

/**
 * A person may word the feedback freely, but only within what every review may be.
 * @throws Failure `badReview` with what to correct.
 */
export function checkedAnswer(phase: Phase, answer: ReviewAnswer): ReviewAnswer {
  const foreign = answer.issues.find((name) => !isIssue(name) || ISSUES[name].phase !== phase);
  if (foreign !== undefined) {
    throw new Failure(
      'badReview',
      `"${foreign}" is no issue of the ${phase} phase; choose among ${issuesOf(phase).join(', ')}.`,
    );
  }
  const feedback = answer.feedback.replace(/\s+/g, ' ').trim();
  if (new Set(answer.issues).size !== answer.issues.length || answer.issues.length > MAX_ISSUES) {
    throw new Failure('badReview', `A review names at most ${MAX_ISSUES} different issues; untick some.`);
  }
  if (feedback === '' || feedback.length > MAX_FEEDBACK) {
    throw new Failure(
      'badReview',
      `The feedback must have between 1 and ${MAX_FEEDBACK} characters; it has ${feedback.length}.`,
    );
  }
  return { decision: answer.decision, issues: [...answer.issues], feedback };
}
