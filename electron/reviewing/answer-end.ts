import { judgedOutcome, judgedReason, type JudgedOutcome, type RolloutRecord } from '../contract/index.ts';
import { reasonSentence } from '../evolution/index.ts';

/** How an answer ended, told apart by who says so, and why in a sentence. */
export function answerEnd({ verdict, batch }: RolloutRecord): {
  outcome: JudgedOutcome;
  reason: string | null;
} {
  const reason = judgedReason(verdict, batch);
  return {
    outcome: judgedOutcome(verdict.outcome, batch),
    reason: reason === null ? null : reasonSentence(reason),
  };
}
