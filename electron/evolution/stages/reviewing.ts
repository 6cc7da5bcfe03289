import {
  isRated,
  type BatchStatistics,
  type ReviewRecord,
  type TaskRecord,
  type TaskView,
} from '../../contract/index.ts';
import {
  execItem,
  itemsOfRollout,
  superviseStep,
  type Gold,
  type SupervisedItem,
} from '../../supervision/index.ts';
import { definitionOf, proposerView, solverView } from '../azr/index.ts';
import type { RunInProgress, StepTools } from '../in-progress.ts';
import type { PlannedRollout } from './planned-rollout.ts';
import type { SettledRollout } from './settle.ts';

/** A step's supervision: items are offered as they come into being, reviews go on meanwhile. */
export type Supervision = Disposable & {
  offer(items: readonly SupervisedItem[]): void;
  /** Resolves when everything offered is reviewed; nothing can be offered afterwards. */
  finish(): Promise<ReviewRecord[]>;
};

/** Nobody reviews: the step is exactly an unsupervised one. */
const UNSUPERVISED: Supervision = { offer: () => {}, finish: async () => [], [Symbol.dispose]: () => {} };

export function openSupervision(
  run: RunInProgress,
  tools: StepTools,
  onReview: (record: ReviewRecord) => void,
): Supervision {
  if (tools.reviewer === null) return UNSUPERVISED;
  const queue = new ItemQueue();
  const reviews = superviseStep({
    config: run.config.supervision,
    seed: run.config.seed,
    step: run.step,
    items: queue,
    reviewer: tools.reviewer,
    person: tools.person ?? null,
    clock: tools.clock,
    signal: tools.signal,
    onReview,
    onQueue: tools.onQueue,
  });
  reviews.catch(() => {}); // met at finish(); until then it must not count as unhandled
  return {
    offer: (items) => queue.push(items),
    finish: async () => {
      queue.end();
      return reviews;
    },
    // A step that fails midway must not leave its reviewers waiting for more items.
    [Symbol.dispose]: () => queue.end(),
  };
}

/** Items of one settled rollout with the golds the leak guard needs; the reviewer never sees those. */
export function supervisedItems(settled: SettledRollout): SupervisedItem[] {
  const { planned, response, verdict, facts } = settled;
  const rollout = {
    ...planned,
    step: Number(planned.id.split('/')[0]),
    plan: response.plan,
    thought: response.thought,
    answer: response.answer,
    formatOk: response.formatOk,
  };
  const validity =
    planned.purpose === 'propose' ? { valid: verdict.outcome === 'passed', reason: verdict.reason } : null;
  const parsed =
    facts === null
      ? null
      : facts.ok
        ? { ok: true, errorLine: null, imports: facts.imports }
        : { ok: false, errorLine: facts.error.line ?? null, imports: [] };
  return itemsOfRollout(rollout, taskView(settled), validity).map((item) => ({
    item,
    parsed,
    golds: goldsOf(settled),
  }));
}

/** The exec item of a batch: verifier outcomes as counts. */
export function supervisedStatistics(
  run: RunInProgress,
  planned: PlannedRollout,
  statistics: BatchStatistics,
): SupervisedItem {
  return { item: execItem(run.step, planned.batch, planned.role, planned.taskType, statistics) };
}

/** What the agent itself saw or proposed, and nothing more. */
function taskView({ planned, proposal }: SettledRollout): TaskView | null {
  const { task, given, references, purpose } = planned;
  if (purpose === 'propose')
    return proposerView(
      proposal ?? { program: given?.program ?? null, inputs: [], message: null },
      references,
    );
  return task === null ? null : solverView(task);
}

/** What must not reach the context: the answer to a task, and for proposals the answer others will be asked for. */
function goldsOf({ planned, newTask }: SettledRollout): Gold[] {
  const task = planned.task ?? newTask;
  return task === null ? [] : goldsOfTask({ ...task, taskType: planned.taskType });
}

/** What a review of work on this task must not give away; nothing for rated prompts, which have no answer. */
export function goldsOfTask(task: TaskRecord): Gold[] {
  return isRated(task.taskType) ? [] : definitionOf(task.taskType).goldsOf(task);
}

/** Counts of one batch for the exec phase; solve rates are binned to 0, 1/n, …, 1. */
export function batchStatistics(
  settled: readonly SettledRollout[],
  rateOf: ReadonlyMap<string, number>,
  estimateSamples: number,
): BatchStatistics {
  const histogram = new Array<number>(estimateSamples + 1).fill(0);
  let estimated = false;
  for (const { newTask } of settled) {
    const rate = newTask === null ? undefined : rateOf.get(newTask.id);
    if (rate === undefined) continue;
    estimated = true;
    const bin = Math.round(rate * estimateSamples);
    histogram[bin] = (histogram[bin] ?? 0) + 1;
  }
  const count = (test: (one: SettledRollout) => boolean): number => settled.filter(test).length;
  return {
    n: settled.length,
    passed: count(({ verdict }) => verdict.outcome === 'passed'),
    invalid: count(({ planned, verdict }) => planned.purpose === 'propose' && verdict.outcome === 'invalid'),
    formatFailures: count(({ response }) => !response.formatOk),
    timeouts: count(({ verdict }) => verdict.reason === 'timeout'),
    solveRateHistogram: estimated ? histogram : [],
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
