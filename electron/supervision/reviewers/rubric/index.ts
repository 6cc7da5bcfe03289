import type { PromptPack } from '../../../library/index.ts';
import { NO_SETTINGS, promptText, type Reviewer, type ReviewerMaker } from '../reviewer.ts';
import { reviewPrompt } from '../review-prompt.ts';
import { rubricAnswer } from './rules.ts';

/**
 * The deterministic baseline every other reviewer is compared with. It decides on the facts alone; its records carry the
 * prompt a model would have been shown, so that the two can be compared item by item.
 */
export function rubricReviewer(pack: PromptPack): Reviewer {
  return {
    kind: 'rubric',
    model: null,
    concurrency: 1,
    async review({ item, parsed, seed }, signal) {
      signal.throwIfAborted();
      return {
        answer: rubricAnswer(item, parsed),
        problem: null,
        prompt: promptText(reviewPrompt(pack, item, seed, parsed)),
        tokensIn: 0,
        tokensOut: 0,
        milliseconds: 0,
        attempts: 1,
      };
    },
  };
}

export const rubric: ReviewerMaker = {
  kind: 'rubric',
  startable: true,
  settings: NO_SETTINGS,
  make: async ({ policy }, { pack }) => ({ reviewer: rubricReviewer(pack(policy.promptPack)), sha256: null }),
};
