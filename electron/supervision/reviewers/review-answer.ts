import type { Phase, ReviewAnswer } from '../../contract/index.ts';
import { answerFor, feedbackSentences, isIssue, ISSUES, issuesOf, MAX_ISSUES } from './issues.ts';

/**
 * The answer as text. Issues come first: a model that writes left to right names what it saw before it decides.
 */
export function serializeAnswer({ issues, decision, feedback }: ReviewAnswer): string {
  return JSON.stringify({ issues, decision, feedback });
}

/** Closed answers that come often, the most frequent first: nothing found, then each issue alone as the rubric would say it. */
export function likelyAnswers(phase: Phase): string[] {
  return [answerFor([]), ...issuesOf(phase).map((issue) => answerFor([issue]))].map(serializeAnswer);
}

/** Longest free feedback; a sentence or two. A review is no essay, and a context line is cut from it. */
export const MAX_FEEDBACK = 300;

/** JSON schema of an answer for grammar-constrained decoding. `closed` allows only our sentences as feedback. */
export function answerSchema(phase: Phase, closed: boolean): object {
  return {
    type: 'object',
    required: ['issues', 'decision', 'feedback'],
    additionalProperties: false,
    properties: {
      issues: { type: 'array', maxItems: MAX_ISSUES, items: { enum: issuesOf(phase) } },
      decision: { enum: ['continue', 'retry'] },
      feedback: closed ? { enum: feedbackSentences(phase) } : { type: 'string', maxLength: MAX_FEEDBACK },
    },
  };
}

/**
 * Reads an answer strictly: the three fields and nothing else, issues of this phase without repetition, one line of feedback.
 * Returns null for anything else; a half-understood review is no review.
 */
export function parseAnswer(phase: Phase, value: unknown, closed: boolean): ReviewAnswer | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { issues, decision, feedback, ...rest } = value as Record<string, unknown>;
  if (Object.keys(rest).length > 0 || (decision !== 'continue' && decision !== 'retry')) return null;
  if (!Array.isArray(issues) || issues.length > MAX_ISSUES || new Set(issues).size !== issues.length)
    return null;
  const known = issues.filter(
    (name): name is string => typeof name === 'string' && isIssue(name) && ISSUES[name].phase === phase,
  );
  if (known.length !== issues.length) return null;
  if (typeof feedback !== 'string' || feedback.trim() === '' || feedback.length > MAX_FEEDBACK) return null;
  if (closed && !feedbackSentences(phase).includes(feedback)) return null;
  return { decision, issues: known, feedback: feedback.replace(/\s+/g, ' ').trim() };
}
