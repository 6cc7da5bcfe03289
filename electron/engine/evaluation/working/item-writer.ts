import type { Lab, StoredItem } from '../../../store/index.ts';

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
