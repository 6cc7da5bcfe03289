import type { ReviewAnswer } from '../../../contract/index.ts';
import type { PromptPack } from '../../../library/index.ts';
import {
  NO_SETTINGS,
  promptText,
  unstartable,
  type Reviewer,
  type ReviewerMaker,
  type ReviewSubject,
} from '../reviewer.ts';
import { reviewPrompt } from '../review-prompt.ts';

/**
 * A reviewer that follows a script, for rehearsals and for tests of everything around a reviewer: `answerOf` sees the subject
 * and the very prompt a model would see. Null means that no usable answer came.
 */
export function scriptedReviewer(
  pack: PromptPack,
  answerOf: (subject: ReviewSubject, prompt: string) => ReviewAnswer | null,
): Reviewer {
  return {
    kind: 'scripted',
    model: null,
    concurrency: 1,
    async review(subject, signal) {
      signal.throwIfAborted();
      const prompt = promptText(reviewPrompt(pack, subject.item, subject.seed, subject.parsed));
      const answer = answerOf(subject, prompt);
      return {
        answer,
        problem: answer === null ? 'The script has no answer for this item.' : null,
        prompt,
        tokensIn: 0,
        tokensOut: 0,
        milliseconds: 0,
        attempts: 1,
      };
    },
  };
}

/** A script is code, so a configuration cannot name one. */
export const scripted: ReviewerMaker = {
  kind: 'scripted',
  startable: false,
  settings: NO_SETTINGS,
  make: unstartable('scripted'),
};
