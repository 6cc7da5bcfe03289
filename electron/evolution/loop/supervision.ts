import {
  PHASES,
  type BatchStatistics,
  type Phase,
  type PhaseItem,
  type ReviewQueue,
  type ReviewRecord,
  type RewardedPrompt,
  type RunConfig,
  type TaskView,
} from '../../contract/index.ts';
import { sampleWithoutReplacement } from '../../core/index.ts';
import {
  itemKey,
  itemsOfRollout,
  superviseStep,
  type QueueOfReviewer,
  type SupervisedItem,
} from '../../supervision/index.ts';
import type { AnyFramework, AnyStage, BatchSize, ScoredRollout } from './framework.ts';
import type { RunState, StepContext } from './run-state.ts';

/** A step's supervision: items are offered as they come into being, reviews go on meanwhile. */
export type Supervision = Disposable & {
  offer(items: readonly SupervisedItem[]): void;
  /** Resolves when everything offered is reviewed; nothing can be offered afterwards. */
  finish(): Promise<ReviewRecord[]>;
};

/** Nobody reviews: the step is exactly an unsupervised one. */
const UNSUPERVISED: Supervision = { offer: () => {}, finish: async () => [], [Symbol.dispose]: () => {} };

export function openSupervision(
  run: RunState,
  env: StepContext,
  stepQueue: StepQueue,
  cap: ReviewCap,
  onReview: (record: ReviewRecord) => void,
): Supervision {
  if (env.reviewer === null) return UNSUPERVISED;
  const queue = new ItemQueue();
  const reviews = superviseStep({
    config: run.config.supervision,
    seed: run.config.seed,
    step: run.step,
    items: queue,
    reviewer: env.reviewer,
    person: env.person ?? null,
    clock: env.clock,
    signal: env.signal,
    onReview,
    onQueue: stepQueue.nextRound(),
  });
  reviews.catch(() => {}); // finish() throws it; until then it must not count as unhandled
  return {
    offer: (items) => queue.push(cap.admitted(items)),
    finish: async () => {
      queue.end();
      return reviews;
    },
    // A step that fails midway must not leave its reviewers waiting for more items.
    [Symbol.dispose]: () => queue.end(),
  };
}

/**
 * At most so many items of a phase may come up in a step, whatever there is to review; the coin is tossed for these alone. Which ones is
 * drawn from the places of the step's batches before anything is generated, so that neither order nor time has a say.
 */
export class ReviewCap {
  readonly #most: number | null;
  readonly #drawn = new Map<Phase, ReadonlySet<string>>();
  readonly #counts = new Map<Phase, { eligible: number; admitted: number }>();

  constructor({ config, step }: RunState, stage: AnyStage, rewardedPrompts: readonly RewardedPrompt[]) {
    const { maxReviewsPerPhase = null } = config.supervision;
    this.#most = maxReviewsPerPhase;
    if (maxReviewsPerPhase === null) return;
    const sizes = stage.batchSizes(config, step, rewardedPrompts);
    const places = sizes.flatMap(({ batch, size }) =>
      Array.from({ length: size }, (_, index) => `${batch}/${index}`),
    );
    for (const phase of PHASES) {
      const all = phase === 'exec' ? sizes.map(({ batch }) => `${batch}/exec`) : places;
      const drawn = sampleWithoutReplacement(all, maxReviewsPerPhase, config.seed, 'review-cap', step, phase);
      this.#drawn.set(phase, new Set(drawn));
      this.#counts.set(phase, { eligible: 0, admitted: 0 });
    }
  }

  /** Those of the items that may be reviewed. */
  admitted(items: readonly SupervisedItem[]): readonly SupervisedItem[] {
    if (this.#most === null) return items;
    return items.filter(({ item }) => {
      const counts = this.#counts.get(item.phase);
      const isDrawn = this.#drawn.get(item.phase)?.has(itemKey(item)) === true;
      if (counts !== undefined) {
        counts.eligible += 1;
        counts.admitted += Number(isDrawn);
      }
      return isDrawn;
    });
  }

  /** How many came up and how many of them the coin was tossed for; none without a limit. */
  metrics(): Record<string, number> {
    return Object.fromEntries(
      [...this.#counts].flatMap(([phase, { eligible, admitted }]) => [
        [`supervision/${phase}/eligible`, eligible],
        [`supervision/${phase}/admitted`, admitted],
      ]),
    );
  }
}

const NO_REVIEWS: QueueOfReviewer = {
  waiting: 0,
  answering: 0,
  answered: 0,
  failed: 0,
  skipped: 0,
  answerSeconds: 0,
  budgetLeftSeconds: null,
};

/** The queue of a step over its rounds of reviewing, with what the step waits for it; told whenever that changes. */
export class StepQueue {
  readonly #env: Pick<StepContext, 'clock' | 'onQueue' | 'reviewer'>;
  /** Of rounds that are over, and of the present one. */
  #before = NO_REVIEWS;
  #present: QueueOfReviewer;
  #waitedSeconds = 0;
  #waitsSince: string | null = null;

  constructor(env: Pick<StepContext, 'clock' | 'onQueue' | 'reviewer'>, budgetSeconds: number | null) {
    this.#env = env;
    this.#present = { ...NO_REVIEWS, budgetLeftSeconds: budgetSeconds };
    this.#emitQueue();
  }

  /** What is told of the next round is added to the rounds before. */
  nextRound(): (queue: QueueOfReviewer) => void {
    this.#before = this.#sum();
    this.#present = { ...NO_REVIEWS, budgetLeftSeconds: this.#present.budgetLeftSeconds };
    return (queue) => {
      this.#present = queue;
      this.#emitQueue();
    };
  }

  /** Work that the step stands still for. */
  async wait<T>(work: () => Promise<T>): Promise<T> {
    const { clock } = this.#env;
    const begin = clock.monotonicMs();
    this.#waitsSince = clock.now().toISOString();
    this.#emitQueue();
    try {
      return await work();
    } finally {
      this.#waitedSeconds += (clock.monotonicMs() - begin) / 1000;
      this.#waitsSince = null;
      this.#emitQueue();
    }
  }

  #sum(): QueueOfReviewer {
    const [before, present] = [this.#before, this.#present];
    return {
      ...present,
      answered: before.answered + present.answered,
      failed: before.failed + present.failed,
      skipped: before.skipped + present.skipped,
      answerSeconds: before.answerSeconds + present.answerSeconds,
    };
  }

  #emitQueue(): void {
    if (this.#env.reviewer === null) return;
    const queue: ReviewQueue = {
      ...this.#sum(),
      waitedSeconds: this.#waitedSeconds,
      waitsSince: this.#waitsSince,
    };
    this.#env.onQueue?.(queue);
  }
}

/** The items that one rollout brings to review; `beside` is for facts and the leak guard and never shown to the reviewer. */
export function reviewItemsOf(
  { request, response, rollout: { text } }: ScoredRollout,
  task: TaskView | null,
  validity: PhaseItem['validity'],
  beside: Pick<SupervisedItem, 'parsed' | 'golds'>,
): SupervisedItem[] {
  const { id, batch, index, purpose, role, taskType } = request;
  const { plan, thought, answer, formatOk } = response;
  const step = Number(id.split('/')[0]);
  const rollout = { id, step, batch, index, purpose, role, taskType, plan, thought, answer, formatOk, text };
  return itemsOfRollout(rollout, task, validity).map((item) => ({ item, ...beside }));
}

/** Counts of one batch for the exec phase. @param solveRateHistogram of proposals only. */
export function batchStatistics(
  batch: readonly ScoredRollout[],
  solveRateHistogram: number[] = [],
): BatchStatistics {
  const count = (test: (one: ScoredRollout) => boolean): number => batch.filter(test).length;
  return {
    n: batch.length,
    passed: count(({ verdict }) => verdict.outcome === 'passed'),
    invalid: count(({ request, verdict }) => request.purpose === 'propose' && verdict.outcome === 'invalid'),
    formatFailures: count(({ response }) => !response.formatOk),
    timeouts: count(({ verdict }) => verdict.reason === 'timeout'),
    solveRateHistogram,
  };
}

/** An async queue with one reader; pushing never waits. */
class ItemQueue implements AsyncIterable<SupervisedItem> {
  readonly #items: SupervisedItem[] = [];
  #ended = false;
  #wake: (() => void) | null = null;

  push(items: readonly SupervisedItem[]): void {
    this.#items.push(...items);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SupervisedItem> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) yield item;
      else if (this.#ended) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

/** What comes up for review in one step, before any coin is tossed. */
export type ExpectedItems = {
  /** Rollouts trained on, and rollouts that measuring them may take at most (for AZR, if every proposal is valid). */
  trained: number;
  proposals: number;
  mostEstimates: number;
  /** Items per phase, when every response has all the parts it was asked for. A response without a plan or thought brings no such item. */
  items: Record<Phase, number>;
};

/** Batches may be drawn again each step; over so many steps the mean is steady. */
const STEPS_LOOKED_AT = 64;

/**
 * Counts the items of a step without running one, by the same parts that make them: the stages' batches, the phases a rollout
 * brings (ANCHOR Eq. 5 reviews each with its phase's probability), and one exec item per batch.
 * @returns means over the first steps of the run.
 */
export function expectedItems(
  framework: AnyFramework,
  config: RunConfig,
  rewardedPrompts: readonly RewardedPrompt[],
): ExpectedItems {
  const steps = Math.min(config.steps, STEPS_LOOKED_AT);
  const items = Object.fromEntries(PHASES.map((phase) => [phase, 0])) as Record<Phase, number>;
  let [trained, proposals, mostEstimates] = [0, 0, 0];
  for (let step = 1; step <= steps; step += 1) {
    for (const batch of framework.stageAt(config, step).stage.batchSizes(config, step, rewardedPrompts)) {
      // A batch of measurements alone trains nothing.
      if (batch.purpose !== 'estimate') trained += batch.size;
      if (batch.purpose === 'propose') proposals += batch.size;
      mostEstimates += batch.size * batch.measurements;
      for (const phase of phasesOf(batch)) items[phase] += batch.size;
      items.exec += 1;
    }
  }
  for (const phase of PHASES) items[phase] /= steps;
  return {
    trained: trained / steps,
    proposals: proposals / steps,
    mostEstimates: mostEstimates / steps,
    items,
  };
}

/** The phases of a response that has everything it was asked for. */
function phasesOf({ batch, purpose, role, taskType }: BatchSize): Phase[] {
  const identity = { id: '', step: 1, batch, index: 0, purpose, role, taskType };
  const whole = { ...identity, plan: 'written', thought: 'written', answer: 'written', formatOk: true };
  return itemsOfRollout(whole, null, null).map(({ phase }) => phase);
}
