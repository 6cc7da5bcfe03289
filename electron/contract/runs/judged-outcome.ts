import { z } from 'zod';
import { isRatedBatch } from '../frameworks/index.ts';
import { verdictSchema, type Verdict } from './records.ts';

/**
 * How an answer ended, told apart by who says so: `passed` and `failed` are the verifier's word. Of a rated answer nobody verified
 * anything: the user who rates it was `satisfied` or `dissatisfied`. `invalid` could not be read by either.
 */
export const judgedOutcomeSchema = z.enum([
  ...verdictSchema.shape.outcome.options,
  'satisfied',
  'dissatisfied',
]);
export type JudgedOutcome = z.infer<typeof judgedOutcomeSchema>;

/** What a stored outcome means in rated batches. */
const USERS_WORD = {
  passed: 'satisfied',
  failed: 'dissatisfied',
  invalid: 'invalid',
} as const satisfies Record<Verdict['outcome'], JudgedOutcome>;

/** What the outcome that a record holds says in its batch. */
export const judgedOutcome = (outcome: Verdict['outcome'], batch: string): JudgedOutcome =>
  isRatedBatch(batch) ? USERS_WORD[outcome] : outcome;

/** The reason that a record holds, where it says more than the outcome does; of a user who is not satisfied nothing more is known. */
export const judgedReason = ({ outcome, reason }: Pick<Verdict, 'outcome' | 'reason'>, batch: string) =>
  judgedOutcome(outcome, batch) === 'dissatisfied' ? null : reason;
