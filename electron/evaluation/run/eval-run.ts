import {
  type EvaluationPlanRecord,
  Failure,
  type FailureKind,
  type ItemGrade,
} from '../../contract/index.ts';
import type { PromptPack } from '../../library/index.ts';
import type { Sampler } from '../../models/index.ts';
import type { Lab, StoredItem } from '../../store/index.ts';
import type { AnyGradedSuite, GradingTools, ItemPlace, SuiteProtocol } from '../suites/graded-suite.ts';

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
  onGenerated: () => void;
  onGraded: (grade: ItemGrade) => void;
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

/** Divides the time that passes among the evaluations at work, so that what each took adds up to what all took. */
export class TimeShare {
  readonly #nowMs: () => number;
  readonly #spent = new Map<string, number>();
  readonly #active = new Set<string>();
  #since: number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#since = nowMs();
  }

  enter(id: string): void {
    this.#settle();
    this.#active.add(id);
  }

  leave(id: string): void {
    this.#settle();
    this.#active.delete(id);
  }

  /** Milliseconds. */
  of(id: string): number {
    this.#settle();
    return this.#spent.get(id) ?? 0;
  }

  #settle(): void {
    const now = this.#nowMs();
    const part = this.#active.size === 0 ? 0 : (now - this.#since) / this.#active.size;
    for (const id of this.#active) this.#spent.set(id, (this.#spent.get(id) ?? 0) + part);
    this.#since = now;
  }
}

/** What a grade holds beside its outcome where nothing was judged. */
export const NOTHING_JUDGED = { score: null, method: 'none', flags: [], judge: null, details: {} };

/** What is said of an answer that did not come to its end: it met its limit, or repeated itself until it was ended. */
export const UNFINISHED: Readonly<Record<string, string>> = { length: 'cut-off', loop: 'loop' };

/** Faults of one item's own material, and of one answer. */
const ITEM_FAULTS: ReadonlySet<FailureKind> = new Set([
  'badReference',
  'badPickle',
  'badFile',
  'requestKillsProcess',
  'tooLarge',
]);

/**
 * The grade of an item that has no verdict because of this error of grading it, with the reason.
 * @throws the error where it is the fault of no single item.
 */
export function unjudgedFor(error: unknown): ItemGrade {
  // Whatever is no Failure is a fault of the grader that this answer brought out.
  if (error instanceof Failure && !ITEM_FAULTS.has(error.kind)) throw error;
  const reason = error instanceof Failure ? error.kind : 'internal';
  return { outcome: 'unjudged', reason, ...NOTHING_JUDGED, details: { why: (error as Error).message } };
}
