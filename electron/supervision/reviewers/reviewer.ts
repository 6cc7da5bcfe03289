import type { PhaseItem, ReviewAnswer, ReviewRecord } from '../../contract/index.ts';
import type { ParsedProgram } from '../facts/index.ts';

/** Everything a reviewer gets. Golds are not part of it, so no reviewer can be shown one by mistake. */
export type ReviewSubject = {
  id: string; item: PhaseItem;
  /** The runner's reading of the program under review, when there is one. */
  parsed: ParsedProgram | null;
  /** For whatever the reviewer draws: delimiters, sampling. */
  seed: number;
};

export type ReviewResult = {
  /** Null when no usable answer came; `problem` then says why in one sentence. */
  answer: ReviewAnswer | null;
  problem: string | null;
  /** True when nobody was asked or the item was passed over on purpose, which is no failure of the reviewer. */
  skipped?: boolean;
  /** Exactly what the reviewer was shown. */
  prompt: string;
  tokensIn: number; tokensOut: number; milliseconds: number; attempts: number;
};

/**
 * A supervisor: rubric, language model, person or script. A new kind is one file that returns this, its name in the contract's
 * REVIEWER_KINDS and review records, and one case where the engine makes reviewers.
 */
export interface Reviewer {
  readonly kind: ReviewRecord['reviewer'];
  /** Name of the model; null when there is none. */
  readonly model: string | null;
  /** Reviews that may be open at once: 1 for a single model, unlimited for a person with a queue. */
  readonly concurrency: number;
  /** Resolves for everything that can happen to a single item; rejects only when no item could be reviewed, or on abort. */
  review(subject: ReviewSubject, signal: AbortSignal): Promise<ReviewResult>;
}

/** The prompt of a model as it is kept in a record. */
export const promptText = ({ system, user }: { system: string; user: string }): string => `${system}\n\n${user}`;
