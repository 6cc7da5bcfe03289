import type {
  PhaseItem,
  ReviewAnswer,
  ReviewQueue,
  ReviewRecord,
  SupervisionConfig,
} from '../contract/index.ts';
import { drawGate, rolloutSeed, uniform } from '../core/index.ts';
import { systemClock } from '../processes/index.ts';
import { comparesNothing } from './facts/facts-line.ts';
import { itemFacts } from './facts/item-facts.ts';
import type { ParsedProgram } from './facts/program-reader.ts';
import { findLeaks, type Gold } from './leaks/leak-guard.ts';
import { unseenCode } from './leaks/programs.ts';
import { compareItems, itemKey, reviewId } from './phase-items.ts';
import { NOTHING_TO_COMPARE } from './reviewers/answers.ts';
import type { PersonInLoop, Reviewer, ReviewResult } from './reviewers/reviewer.ts';

/** An item on its way to review. The golds go to the leak guard only; the reviewer gets `item` and `parsed`. */
export type SupervisedItem = { item: PhaseItem; parsed?: ParsedProgram | null; golds?: readonly Gold[] };

/** Wall clock for records, monotonic milliseconds for durations. */
export type ReviewClock = { now(): Date; monotonicMs(): number };

export type SuperviseStep = {
  config: Pick<SupervisionConfig, 'phases' | 'budgetSeconds' | 'placing' | 'nothingToCompare'>;
  seed: number;
  step: number;
  /** May arrive while reviewing goes on; taking them never waits for a review, so a generator is not held up. */
  items: Iterable<SupervisedItem> | AsyncIterable<SupervisedItem>;
  reviewer: Reviewer;
  clock: ReviewClock;
  signal: AbortSignal;
  /** A person who is asked for some of the items first. Waiting for them costs nothing of the budget, which is the reviewer's. */
  person?: PersonInLoop | null;
  /** Each record as soon as it exists, in the order of completion. */
  onReview?: (record: ReviewRecord, item: PhaseItem) => void;
  /** How far the reviewer has come, at every change. */
  onQueue?: (queue: QueueOfReviewer) => void;
  /** Calls back after milliseconds; returns the function that cancels it. Only a budget over a queue of open reviews needs it. */
  after?: (milliseconds: number, action: () => void) => () => void;
};

/** What of a step's queue the reviewer's work alone decides. */
export type QueueOfReviewer = Omit<ReviewQueue, 'waitedSeconds' | 'waitsSince'>;

const OVER_BUDGET = 'The reviewing time of this step was used up.';

/**
 * Reviews the gated items of one step (ANCHOR Eq. 4 and 5) and returns their records in the order of `compareItems`,
 * whatever order the reviews came in. Items whose coin falls on the other side leave no record. After `budgetSeconds` of
 * reviewing the remaining ones become `skipped-by-budget`.
 * @throws what the reviewer throws when no review is possible at all, and the signal's reason on abort; open reviews are then aborted.
 */
export async function superviseStep(options: SuperviseStep): Promise<ReviewRecord[]> {
  const { config, seed, step, reviewer, signal } = options;
  const stop = new AbortController();
  const budget = new ReviewBudget(config.budgetSeconds, options.clock, reviewer);
  const isShuffled = config.placing === 'shuffled';
  const done: Reviewed[] = [];
  const running = new Set<Promise<void>>();
  const waiting: (() => void)[] = [];
  let active = 0;
  const ended = { answered: 0, failed: 0, skipped: 0, answerSeconds: 0 };
  const emitQueue = (): void =>
    options.onQueue?.({
      waiting: waiting.length,
      answering: active,
      ...ended,
      budgetLeftSeconds: budget.leftSeconds(),
    });

  const slot = async (): Promise<void> => {
    if (active >= reviewer.concurrency)
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    else active++;
  };
  const release = (): void => {
    const next = waiting.shift();
    if (next) next();
    else active--;
  };
  const finish = (
    item: PhaseItem,
    result: ReviewResult | Unasked,
    golds: readonly Gold[],
    by: Pick<Reviewer, 'kind' | 'model'> = reviewer,
  ): void => {
    const record = recordOf(options, item, result, golds, by);
    if (by === reviewer && !('unasked' in result)) count(ended, result);
    done.push({ item, record, golds });
    // Where a review is going to stand for another item, nobody is told before it does.
    if (!isShuffled) options.onReview?.(record, item);
  };

  async function reviewOne({ item, parsed = null, golds = [] }: SupervisedItem): Promise<void> {
    const subject = {
      id: reviewId(item),
      item,
      parsed,
      seed: rolloutSeed(seed, 'review', step, itemKey(item), item.phase),
    };
    if (
      config.nothingToCompare === 'say' &&
      item.phase === 'plan' &&
      comparesNothing(itemFacts(item, parsed))
    )
      return finish(item, nothingToCompare(), golds);
    if (options.person?.takes(item) === true) {
      const result = await options.person.ask(subject, AbortSignal.any([signal, stop.signal]));
      if (result !== null) return finish(item, result, golds, options.person);
    }
    const seat = slot();
    emitQueue();
    await seat;
    try {
      AbortSignal.any([signal, stop.signal]).throwIfAborted();
      if (budget.exhausted()) return finish(item, skippedResult(), golds);
      finish(
        item,
        await budget.during(
          (deadline) =>
            reviewer.review(subject, AbortSignal.any([signal, stop.signal, deadline]), (milliseconds) => {
              budget.spend(milliseconds);
              emitQueue();
            }),
          options.after,
        ),
        golds,
      );
    } finally {
      release();
      emitQueue();
    }
  }

  try {
    for await (const supervised of options.items) {
      signal.throwIfAborted();
      const { item } = supervised;
      if (!drawGate(reviewer.gateSeed ?? seed, step, itemKey(item), item.phase, config.phases[item.phase]))
        continue;
      const task = reviewOne(supervised);
      running.add(task);
      // `Promise.all` below throws the failure. Until then it must not count as unhandled, and the open reviews end with the same reason.
      task.catch((error: unknown) => stop.abort(error));
    }
    await Promise.all(running);
  } catch (error) {
    stop.abort();
    await Promise.allSettled(running);
    throw error;
  }
  const ordered = done.sort((a, b) => compareItems(a.item, b.item));
  if (!isShuffled) return ordered.map(({ record }) => record);
  const placed = shuffledReviews(ordered, options);
  placed.forEach((record, index) => options.onReview?.(record, (ordered[index] as Reviewed).item));
  return placed;
}

type Reviewed = { item: PhaseItem; record: ReviewRecord; golds: readonly Gold[] };

const hasAnswer = ({ record: { status } }: Reviewed): boolean =>
  status === 'done' || status === 'quarantined';

/**
 * The shuffled control: within a step and phase, every answer comes to stand for an item drawn at random in place of the one it was
 * written about, so that what is said and how often stays and whom it is said of does not. The item's own golds guard it too;
 * what was asked stays with the answer. The draws are those of (seed, step, item, phase), the lowest first.
 */
function shuffledReviews(ordered: readonly Reviewed[], { seed, step, clock }: SuperviseStep): ReviewRecord[] {
  const placedAt = new Map<Reviewed, ReviewRecord>();
  for (const members of Map.groupBy(ordered.filter(hasAnswer), ({ item }) => item.phase).values()) {
    const drawn = members
      .map((one) => ({ one, draw: uniform(seed, 'shuffle', step, itemKey(one.item), one.item.phase) }))
      .sort((a, b) => a.draw - b.draw);
    members.forEach((place, index) => {
      const { record } = (drawn[index] as (typeof drawn)[number]).one;
      const { item, golds } = place;
      const leaks = [...new Set([...record.leaks, ...findLeaks(record.feedback, golds, visibleTo(item))])];
      placedAt.set(place, {
        ...record,
        id: reviewId(item),
        batch: item.batch,
        rolloutId: item.rolloutId,
        leaks,
        status: leaks.length > 0 ? 'quarantined' : 'done',
        createdAt: clock.now().toISOString(),
      });
    });
  }
  return ordered.map((one) => placedAt.get(one) ?? one.record);
}

function count(
  ended: Pick<ReviewQueue, 'answered' | 'failed' | 'skipped' | 'answerSeconds'>,
  { answer, skipped, milliseconds }: ReviewResult,
): void {
  if (answer === null) return void (skipped === true ? (ended.skipped += 1) : (ended.failed += 1));
  ended.answered += 1;
  ended.answerSeconds += milliseconds / 1000;
}

/**
 * A step's allowance of reviewing. What counts is the time that answers took, where the reviewer reports it: what was lost with a hung
 * or killed process is no work. What it computed for several answers at once counts too. Else it is the time during which at least one
 * review was open.
 */
class ReviewBudget {
  readonly #limitMs: number;
  readonly #clock: ReviewClock;
  #spentMs = 0;
  #open = 0;
  #since = 0;
  readonly #by: Pick<Reviewer, 'concurrency' | 'countsUsefulTime'>;

  constructor(
    seconds: number | null,
    clock: ReviewClock,
    by: Pick<Reviewer, 'concurrency' | 'countsUsefulTime'>,
  ) {
    this.#by = by;
    this.#limitMs = seconds === null ? Infinity : seconds * 1000;
    this.#clock = clock;
  }

  /** Null without a limit. */
  leftSeconds(): number | null {
    return Number.isFinite(this.#limitMs) ? Math.max(0, this.#left()) / 1000 : null;
  }

  exhausted(): boolean {
    return this.#left() <= 0;
  }

  /** Work beside the answers themselves; it is within the time of open reviews where that is what counts. */
  spend(milliseconds: number): void {
    if (this.#by.countsUsefulTime === true) this.#spentMs += milliseconds;
  }

  #left(): number {
    if (this.#by.countsUsefulTime === true) return this.#limitMs - this.#spentMs;
    return this.#limitMs - this.#spentMs - (this.#open > 0 ? this.#clock.monotonicMs() - this.#since : 0);
  }

  /** Runs one review and ends it as skipped when the allowance runs out under way. */
  async during(
    review: (deadline: AbortSignal) => Promise<ReviewResult>,
    after = systemClock.after,
  ): Promise<ReviewResult> {
    const deadline = new AbortController();
    if (this.#open++ === 0) this.#since = this.#clock.monotonicMs();
    const useful = this.#by.countsUsefulTime === true;
    // Side by side each review takes as long as all of them together.
    const left = this.#left() * (useful ? this.#by.concurrency : 1);
    const cancel = Number.isFinite(left)
      ? after(Math.max(0, left), () => deadline.abort(new Error(OVER_BUDGET)))
      : () => {};
    try {
      const result = await review(deadline.signal);
      this.spend(result.milliseconds);
      return result;
    } catch (error) {
      if (!deadline.signal.aborted) throw error;
      // What was left went into an answer that never came; the next one is not let try the same.
      if (useful) this.#spentMs = this.#limitMs;
      return skippedResult();
    } finally {
      cancel();
      if (--this.#open === 0 && !useful) this.#spentMs += this.#clock.monotonicMs() - this.#since;
    }
  }
}

const skippedResult = (): ReviewResult => ({
  answer: null,
  problem: OVER_BUDGET,
  skipped: true,
  prompt: '',
  tokensIn: 0,
  tokensOut: 0,
  milliseconds: 0,
  attempts: 0,
});

/** What is recorded where nobody was asked: words, and no decision, since nobody approved of anything. */
type Unasked = Omit<ReviewResult, 'answer'> & { answer: Omit<ReviewAnswer, 'decision'>; unasked: true };

const nothingToCompare = (): Unasked => ({
  answer: { issues: [], feedback: NOTHING_TO_COMPARE },
  unasked: true,
  problem: null,
  prompt: '',
  tokensIn: 0,
  tokensOut: 0,
  milliseconds: 0,
  attempts: 0,
});

/**
 * Everything the agent was shown: what a review may repeat without giving anything away. What a proposer wrote does not count,
 * since solvers of the next step, who see the same context, will be asked for just that.
 */
function visibleTo({ task, role }: PhaseItem): string {
  if (!task || role === 'proposer') return '';
  const examples = task.examples.flatMap(({ input, output }) => [input, output]);
  return [
    task.program,
    ...task.inputs,
    task.output,
    ...examples,
    task.message,
    ...task.references,
    task.request,
    task.question ?? null,
  ]
    .filter((text) => text !== null)
    .join('\n');
}

/** What the agent wrote: a review may name it without giving anything away. */
const writtenBy = ({ task, plan, thought, answer, text }: PhaseItem): string =>
  [
    task?.program,
    ...(task?.inputs ?? []),
    ...(task?.references ?? []),
    task?.question,
    plan,
    thought,
    answer,
    text,
  ]
    .filter((part) => typeof part === 'string')
    .join('\n');

function statusOf(
  { answer, skipped }: ReviewResult | Unasked,
  leaks: readonly string[],
): ReviewRecord['status'] {
  if (answer === null) return skipped ? 'skipped-by-budget' : 'failed';
  return leaks.length > 0 ? 'quarantined' : 'done';
}

function recordOf(
  { config, clock, step }: SuperviseStep,
  item: PhaseItem,
  result: ReviewResult | Unasked,
  golds: readonly Gold[],
  by: Pick<Reviewer, 'kind' | 'model'>,
): ReviewRecord {
  const { answer } = result;
  const leaks =
    answer === null
      ? []
      : [
          ...findLeaks(answer.feedback, golds, visibleTo(item)),
          ...unseenCode(answer.feedback, `${visibleTo(item)}\n${writtenBy(item)}`),
        ];
  return {
    id: reviewId(item),
    step,
    batch: item.batch,
    phase: item.phase,
    rolloutId: item.rolloutId,
    status: statusOf(result, leaks),
    gateProbability: config.phases[item.phase],
    decision: answer !== null && 'decision' in answer ? answer.decision : null,
    issues: answer?.issues ?? [],
    // Without an answer the record says why; summaries take up answers only.
    feedback: answer?.feedback ?? result.problem ?? '',
    ...(answer?.quote === undefined ? {} : { quote: answer.quote }),
    reviewer: by.kind,
    model: by.model,
    prompt: result.prompt,
    leaks,
    tokensIn: result.tokensIn,
    tokensOut: result.tokensOut,
    milliseconds: result.milliseconds,
    createdAt: clock.now().toISOString(),
  };
}
