import type { EvaluationPlanRecord } from '../../contract/index.ts';
import type { PromptPack } from '../../library/index.ts';
import type { Sampler } from '../../models/index.ts';
import type { Lab, StoredItem } from '../../store/index.ts';
import type { AnyGradedSuite, GradingTools, ItemPlace, SuiteProtocol } from '../running/graded-suite.ts';
import type { TimeShare } from './concurrency.ts';

/** Everything one evaluation needs to be carried out or gone on with. */
export type EvalRun = {
  store: Lab;
  id: string;
  plan: EvaluationPlanRecord;
  suite: AnyGradedSuite;
  protocol: SuiteProtocol;
  place: ItemPlace;
  pack: PromptPack;
  /** Text of the supervision context; empty for the weights alone. */ context: string;
  sampler: Sampler;
  tools: GradingTools;
  signal: AbortSignal;
  time: TimeShare;
  /** Spent before, in milliseconds. */
  spentBefore: number;
  onGraded: () => void;
};

/** An item with its place in the suite, from 0. */
export type Entry = { index: number; item: { id: string } };

/**
 * Stores answers and verdicts as they are made: those of one turn of the event loop together, so that each is on the disk within
 * moments without a transaction of its own.
 */
export class ItemWriter {
  readonly #store: Lab;
  readonly #id: string;
  #waiting: StoredItem[] = [];
  #written: Promise<void> = Promise.resolve();

  constructor(store: Lab, id: string) {
    this.#store = store;
    this.#id = id;
  }

  /** Resolves when it is stored. */
  put(item: StoredItem): Promise<void> {
    this.#waiting.push(item);
    if (this.#waiting.length === 1)
      this.#written = new Promise((resolve, reject) => {
        setImmediate(() => this.#flush(resolve, reject));
      });
    return this.#written;
  }

  #flush(resolve: () => void, reject: (error: unknown) => void): void {
    try {
      const items = this.#waiting;
      this.#waiting = [];
      this.#store.putEvaluationItems(this.#id, items);
      resolve();
    } catch (error) {
      reject(error);
    }
  }
}
