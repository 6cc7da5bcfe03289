import { Failure, type PhaseItem, type ReviewAnswer } from '../../../contract/index.ts';
import type { PromptPack } from '../../../library/index.ts';
import { isIssue, ISSUES, issuesOf, MAX_ISSUES } from '../issues.ts';
import { MAX_FEEDBACK } from '../review-answer.ts';
import { NO_SETTINGS, promptText, unstartable, type Reviewer, type ReviewerMaker, type ReviewResult } from '../reviewer.ts';
import { reviewPrompt } from '../review-prompt.ts';

export type PendingReview = {
  id: string; item: PhaseItem; prompt: string;
  /** Issues a person may tick for this phase. */
  issues: string[];
};

/** A person as supervisor: items wait in a queue until they are answered or skipped, in whatever order the person likes. */
export type HumanReviewer = Reviewer & {
  /** Open items, oldest first. */
  pending(): PendingReview[];
  /** @throws Failure `noSuchReview` or `badReview` with what to correct; the item then stays open. */
  answer(id: string, answer: ReviewAnswer): void;
  skip(id: string): void;
  /** Ends the person's turn: whatever is open is recorded as skipped. */
  skipAll(): void;
  /** Calls `listener` whenever the queue changes; returns how to stop. */
  onChange(listener: () => void): () => void;
};

type Open = PendingReview & { settle: (outcome: ReviewAnswer | null) => void };

/** `clock` (monotonic milliseconds) times how long each answer took. */
export function humanReviewer(pack: PromptPack, clock: { monotonicMs(): number }): HumanReviewer {
  const queue = new Map<string, Open>();
  const listeners = new Set<() => void>();
  const changed = (): void => { for (const listener of listeners) listener(); };
  const take = (id: string): Open => {
    const open = queue.get(id);
    if (!open) throw new Failure('noSuchReview', `No review "${id}" is waiting; it was answered, skipped or never asked. Reload the queue.`);
    return open;
  };
  const close = (open: Open, outcome: ReviewAnswer | null): void => {
    queue.delete(open.id);
    open.settle(outcome);
    changed();
  };
  return {
    kind: 'human', model: null, concurrency: Infinity,
    review({ id, item, seed, parsed }, signal) {
      signal.throwIfAborted();
      const prompt = promptText(reviewPrompt(pack, item, seed, parsed));
      const start = clock.monotonicMs();
      return new Promise<ReviewResult>((resolve, reject) => {
        const abort = (): void => { queue.delete(id); changed(); reject(signal.reason as Error); };
        const settle = (answer: ReviewAnswer | null): void => {
          signal.removeEventListener('abort', abort);
          resolve({
            answer, problem: answer === null ? 'Skipped by the reviewer.' : null, skipped: answer === null,
            prompt, tokensIn: 0, tokensOut: 0, milliseconds: clock.monotonicMs() - start, attempts: 1,
          });
        };
        signal.addEventListener('abort', abort, { once: true });
        queue.set(id, { id, item, prompt, issues: issuesOf(item.phase), settle });
        changed();
      });
    },
    pending: () => [...queue.values()].map(({ id, item, prompt, issues }) => ({ id, item, prompt, issues })),
    answer(id, answer) {
      const open = take(id);
      close(open, checked(open, answer));
    },
    skip: (id) => close(take(id), null),
    skipAll() { for (const open of Array.from(queue.values())) close(open, null); },
    onChange(listener) {
      listeners.add(listener);
      return () => { listeners.delete(listener); };
    },
  };
}

/** A person may word the feedback freely, but only within what every review may be. */
function checked(open: Open, answer: ReviewAnswer): ReviewAnswer {
  const foreign = answer.issues.find((name) => !isIssue(name) || ISSUES[name].phase !== open.item.phase);
  if (foreign !== undefined) {
    throw new Failure('badReview', `"${foreign}" is no issue of the ${open.item.phase} phase; choose among ${open.issues.join(', ')}.`);
  }
  const feedback = answer.feedback.replace(/\s+/g, ' ').trim();
  if (new Set(answer.issues).size !== answer.issues.length || answer.issues.length > MAX_ISSUES) {
    throw new Failure('badReview', `A review names at most ${MAX_ISSUES} different issues; untick some.`);
  }
  if (feedback === '' || feedback.length > MAX_FEEDBACK) {
    throw new Failure('badReview', `The feedback must have between 1 and ${MAX_FEEDBACK} characters; it has ${feedback.length}.`);
  }
  return { decision: answer.decision, issues: [...answer.issues], feedback };
}

/** A person answers at a window, which hands the reviewer over itself. */
export const human: ReviewerMaker = { kind: 'human', startable: false, settings: NO_SETTINGS, make: unstartable('human') };
