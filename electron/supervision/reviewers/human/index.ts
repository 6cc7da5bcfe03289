import {
  Failure,
  type PersonDraft,
  type PersonOutcome,
  type PhaseItem,
  type ReviewAnswer,
  type ShownField,
  type Phase,
  type PersonConfig,
} from '../../../contract/index.ts';
import { drawPerson } from '../../../core/index.ts';
import type { PromptPack } from '../../../library/index.ts';
import { systemClock } from '../../../processes/index.ts';
import { itemKey } from '../../phase-items.ts';
import { issuesOf, isIssue, ISSUES, MAX_ISSUES, MAX_FEEDBACK } from '../answers.ts';
import { reviewMaterial, reviewPrompt } from '../review-prompt.ts';
import {
  promptText,
  NO_SETTINGS,
  unstartable,
  type Reviewer,
  type ReviewResult,
  type PersonInLoop,
  type ReviewerMaker,
} from '../reviewer.ts';

export type PendingReview = {
  id: string;
  item: PhaseItem;
  prompt: string;
  /** The same material as in the prompt, piece by piece, and the facts computed of it. */
  fields: ShownField[];
  facts: string;
  /** Issues a person may tick for this phase. */
  issues: string[];
  askedAt: Date;
  /** Null when the reviewer waits without end. */ deadline: Date | null;
  draft: PersonDraft | null;
};

/** A person as supervisor: items wait in a queue until they are answered, passed on or run out of time, in whatever order the person likes. */
export type HumanReviewer = Reviewer & {
  /** Open items, oldest first. */
  pending(): PendingReview[];
  /** @throws Failure `noSuchReview` or `badReview` with what to correct; the item then stays open. */
  answer(id: string, answer: ReviewAnswer): void;
  /** Keeps what the person has so far; null forgets it. */
  keepDraft(id: string, draft: PersonDraft | null): void;
  /** The person does not know: whoever comes next in the run decides. */
  handOver(id: string): void;
  /** The item is recorded as skipped; nobody reviews it. */
  skip(id: string): void;
  /** Ends the person's turn: whatever is open is recorded as skipped. */
  skipAll(): void;
  /** Calls `listener` whenever the queue changes; returns how to stop. */
  onChange(listener: () => void): () => void;
};

type HumanReviewerOptions = {
  /** Seconds an item waits; null or absent waits without end. */
  timeoutSeconds?: number | null;
  /** Calls back after milliseconds; returns the function that cancels it. */
  after?: (milliseconds: number, action: () => void) => () => void;
  /** Each question as it ends. */
  onEnd?: (question: PendingReview, outcome: PersonOutcome, answer: ReviewAnswer | null) => void;
};

type Open = PendingReview & { settle: (outcome: PersonOutcome, answer: ReviewAnswer | null) => void };

/** The wall clock tells when an item was asked, the monotonic one how long its answer took. */
type QueueClock = { now(): Date; monotonicMs(): number };

const seconds = (timeout: number): string => `${timeout} second${timeout === 1 ? '' : 's'}`;

export function humanReviewer(
  pack: PromptPack,
  clock: QueueClock,
  { timeoutSeconds = null, after = systemClock.after, onEnd }: HumanReviewerOptions = {},
): HumanReviewer {
  const queue = new Map<string, Open>();
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const take = (id: string): Open => {
    const open = queue.get(id);
    if (!open)
      throw new Failure(
        'noSuchReview',
        `No review "${id}" is waiting; it was answered, skipped or never asked. Reload the queue.`,
      );
    return open;
  };
  const close = (open: Open, outcome: PersonOutcome, answer: ReviewAnswer | null = null): void => {
    queue.delete(open.id);
    open.settle(outcome, answer);
    onEnd?.(shown(open), outcome, answer);
    changed();
  };
  const problems: Record<PersonOutcome, string | null> = {
    answered: null,
    skipped: 'Skipped by the reviewer.',
    'handed-over': 'Handed over by the reviewer.',
    withdrawn: null,
    'timed-out': `Nobody answered within ${seconds(timeoutSeconds ?? 0)}.`,
  };

  return {
    kind: 'human',
    model: null,
    concurrency: Infinity,
    review({ id, item, seed, parsed }, signal) {
      signal.throwIfAborted();
      const prompt = promptText(reviewPrompt(pack, item, seed, parsed));
      const start = clock.monotonicMs();
      const askedAt = clock.now();
      const deadline = timeoutSeconds === null ? null : new Date(askedAt.getTime() + timeoutSeconds * 1000);
      return new Promise<ReviewResult>((resolve, reject) => {
        const cancel =
          timeoutSeconds === null
            ? () => {}
            : after(timeoutSeconds * 1000, () => {
                const open = queue.get(id);
                if (open !== undefined) close(open, 'timed-out');
              });
        const abort = (): void => {
          const open = queue.get(id);
          if (open !== undefined) close(open, 'withdrawn');
        };
        const settle = (outcome: PersonOutcome, answer: ReviewAnswer | null): void => {
          cancel();
          signal.removeEventListener('abort', abort);
          if (outcome === 'withdrawn') return reject(signal.reason as Error);
          resolve({
            answer,
            problem: problems[outcome],
            skipped: answer === null,
            handedOver: outcome === 'handed-over' || outcome === 'timed-out',
            prompt,
            tokensIn: 0,
            tokensOut: 0,
            milliseconds: clock.monotonicMs() - start,
            attempts: 1,
          });
        };
        signal.addEventListener('abort', abort, { once: true });
        queue.set(id, {
          id,
          item,
          prompt,
          ...reviewMaterial(pack, item, parsed),
          issues: issuesOf(item.phase),
          askedAt,
          deadline,
          draft: null,
          settle,
        });
        changed();
      });
    },
    pending: () => [...queue.values()].map(shown),
    answer(id, answer) {
      const open = take(id);
      close(open, 'answered', checkedAnswer(open.item.phase, answer));
    },
    keepDraft(id, draft) {
      take(id).draft = draft;
      changed();
    },
    handOver: (id) => close(take(id), 'handed-over'),
    skip: (id) => close(take(id), 'skipped'),
    skipAll() {
      for (const open of Array.from(queue.values())) close(open, 'skipped');
    },
    onChange(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

const shown = ({ settle: _, ...pending }: Open): PendingReview => pending;

/**
 * A person may word the feedback freely, but only within what every review may be.
 * @throws Failure `badReview` with what to correct.
 */
function checkedAnswer(phase: Phase, answer: ReviewAnswer): ReviewAnswer {
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

/** A person who takes a share of a run's gated items. `queue` must have been made with the time-out of `config`. */
export function personInLoop(config: PersonConfig, seed: number, queue: HumanReviewer): PersonInLoop {
  return {
    kind: queue.kind,
    model: queue.model,
    takes: (item) => drawPerson(seed, item.step, itemKey(item), item.phase, config.share),
    async ask(subject, signal) {
      const result = await queue.review(subject, signal);
      return result.handedOver === true && config.fallback === 'model' ? null : result;
    },
  };
}

/** A person answers at a window, which hands the reviewer over itself; `supervision.human` gives a person a share of a run's reviews. */
export const human: ReviewerMaker = {
  kind: 'human',
  startable: false,
  isPerson: true,
  settings: NO_SETTINGS,
  make: unstartable('human'),
};
