import {
  Failure,
  type LiveEvent,
  type PersonDraft,
  type PersonHistoryEntry,
  type PersonOutcome,
  type PersonQuestion,
  type PersonQuestionDetail,
  type ReviewAnswer,
  type RunConfig,
  type RunRecord,
  type WaitingForPerson,
} from '../contract/index.ts';
import type { PromptPack } from '../library/index.ts';
import type { Lab } from '../store/index.ts';
import {
  humanReviewer,
  isSafetyBreach,
  isIssue,
  ISSUES,
  personInLoop,
  type HumanReviewer,
  type PendingReview,
  type PersonInLoop,
} from '../supervision/index.ts';
import type { Clock } from '../core/index.ts';

type Seat = { run: Pick<RunRecord, 'id' | 'config'>; queue: HumanReviewer };

export type HumanReviewQueueTools = {
  clock: Clock;
  /** Something of the queue changed. */
  onChange(runId: string): void;
  /** A question ended; for the log of what people were asked and what became of it. */
  onEnd(runId: string, reviewId: string, outcome: PersonOutcome, seconds: number): void;
};

/** Questions that ended are kept for the tabs of the room; older ones are in the records. */
const KEPT_HISTORY = 500;

/**
 * Where runs at work put their questions to a person, and where a window answers them. Nothing here outlives the program: a step
 * that was interrupted is taken again and asks again.
 */
export class HumanReviewQueue {
  readonly #tools: HumanReviewQueueTools;
  readonly #seats = new Map<string, Seat>();
  #history: PersonHistoryEntry[] = [];

  constructor(tools: HumanReviewQueueTools) {
    this.#tools = tools;
  }

  /** Opens the queue of a run that gives a share to a person; null when it asks nobody. `pack` words the questions. */
  open(run: Pick<RunRecord, 'id' | 'config'>, pack: () => PromptPack): PersonInLoop | null {
    const wanted = run.config.supervision.human;
    if (wanted === undefined || wanted.share === 0) return null;
    const queue = humanReviewer(pack(), this.#tools.clock, {
      timeoutSeconds: wanted.timeoutSeconds,
      onEnd: (pending, outcome, answer) => this.#ended(run, pending, outcome, answer),
    });
    queue.onChange(() => this.#tools.onChange(run.id));
    this.#seats.set(run.id, { run, queue });
    return personInLoop(wanted, run.config.seed, queue);
  }

  /** The run has ended; its open questions were withdrawn with it. */
  close(runId: string): void {
    if (this.#seats.delete(runId)) this.#tools.onChange(runId);
  }

  /** Open questions, the one whose time runs out first at the top. */
  questions(runId: string | null): PersonQuestion[] {
    const seats =
      runId === null
        ? [...this.#seats.values()]
        : [this.#seats.get(runId)].filter((seat) => seat !== undefined);
    return seats
      .flatMap(({ run, queue }) => queue.pending().map((pending) => questionOf(run, pending)))
      .sort((a, b) => compare(a.deadline, b.deadline) || compare(a.runId, b.runId) || compare(a.id, b.id));
  }

  waiting(runId: string | null): WaitingForPerson {
    const questions = this.questions(runId);
    const runs = new Map<string, WaitingForPerson['runs'][number]>();
    for (const question of questions) {
      const known = runs.get(question.runId);
      if (known === undefined)
        runs.set(question.runId, {
          runId: question.runId,
          runName: question.runName,
          count: 1,
          oldestDeadline: question.deadline,
        });
      else known.count += 1;
    }
    return {
      count: questions.length,
      oldestDeadline: questions[0]?.deadline ?? null,
      runs: [...runs.values()],
    };
  }

  /** @throws Failure `noSuchReview` when the question is no longer open. */
  question(runId: string, id: string): PersonQuestionDetail {
    const { run, pending } = this.#pending(runId, id);
    return {
      question: questionOf(run, pending),
      fields: pending.fields,
      facts: pending.facts,
      prompt: pending.prompt,
    };
  }

  /** @throws Failure `noSuchReview` or `badReview`; the question then stays as it is. */
  answer(runId: string, id: string, answer: ReviewAnswer): void {
    this.#pending(runId, id);
    this.#seats.get(runId)?.queue.answer(id, answer);
  }

  keepDraft(runId: string, id: string, draft: PersonDraft | null): void {
    this.#pending(runId, id);
    this.#seats.get(runId)?.queue.keepDraft(id, draft);
  }

  /** Passes questions on at once: to the run's fallback, or past everybody. Those that ended meanwhile are left out of the count. */
  passOn(which: readonly { runId: string; id: string }[], how: 'hand-over' | 'skip'): number {
    let done = 0;
    for (const { runId, id } of which) {
      const queue = this.#seats.get(runId)?.queue;
      if (queue?.pending().some((pending) => pending.id === id) !== true) continue;
      if (how === 'skip') queue.skip(id);
      else queue.handOver(id);
      done += 1;
    }
    return done;
  }

  /** Questions that ended while this program ran, newest first. */
  history(runId: string | null): PersonHistoryEntry[] {
    return this.#history.filter(({ question }) => runId === null || question.runId === runId);
  }

  #pending(runId: string, id: string): { run: Seat['run']; pending: PendingReview } {
    const seat = this.#seats.get(runId);
    const pending = seat?.queue.pending().find((each) => each.id === id);
    if (seat === undefined || pending === undefined) {
      throw new Failure(
        'noSuchReview',
        `The question "${id}" of run "${runId}" is no longer open: it was answered, ran out of time or its run has stopped.`,
        2,
      );
    }
    return { run: seat.run, pending };
  }

  #ended(
    run: Seat['run'],
    pending: PendingReview,
    outcome: PersonOutcome,
    answer: ReviewAnswer | null,
  ): void {
    const endedAt = this.#tools.clock.now();
    this.#history = [
      { question: questionOf(run, pending), outcome, endedAt: endedAt.toISOString(), answer },
      ...this.#history,
    ].slice(0, KEPT_HISTORY);
    this.#tools.onEnd(run.id, pending.id, outcome, (endedAt.getTime() - pending.askedAt.getTime()) / 1000);
  }
}

/** The queue of a lab: windows get every change, and the log keeps what became of each question. */
export function openHumanQueue(
  store: Pick<Lab, 'appendEvent'>,
  clock: Clock,
  emit: (event: LiveEvent) => void,
): HumanReviewQueue {
  return new HumanReviewQueue({
    clock,
    onChange: (runId) => emit({ kind: 'changed', what: 'reviews', runId }),
    onEnd(runId, reviewId, outcome, seconds) {
      if (outcome === 'withdrawn') return; // nobody did anything: the step was cut off
      try {
        store.appendEvent(runId, 'review.person', { reviewId, outcome, seconds });
      } catch (error) {
        // A disk that refuses this refuses the step's commit too, which ends the run with the same sentence; the answer itself stands.
        if (!(error instanceof Failure)) throw error;
      }
    },
  });
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function questionOf(
  run: { id: string; config: RunConfig },
  { id, item, askedAt, deadline, draft, issues }: PendingReview,
): PersonQuestion {
  return {
    runId: run.id,
    runName: run.config.name,
    id,
    step: item.step,
    batch: item.batch,
    phase: item.phase,
    role: item.role,
    taskType: item.taskType,
    askedAt: askedAt.toISOString(),
    deadline: (deadline ?? askedAt).toISOString(),
    fallback: run.config.supervision.human?.fallback ?? 'skip',
    draft,
    issues: issues
      .filter(isIssue)
      .map((name) => ({ name, sentence: ISSUES[name].feedback, safety: isSafetyBreach(name) })),
  };
}
