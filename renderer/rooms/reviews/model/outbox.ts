/**
 * Sends changes to the engine one after another, in the order they were made. A person may be three items further by the time the
 * first is stored; nothing is dropped, and a failure concerns the one change that failed.
 */
export class Outbox {
  #last: Promise<unknown> = Promise.resolve();
  readonly #waiting = new Map<string, number>();

  /** Keys with changes that are not stored yet. */
  onTheirWay(): ReadonlySet<string> {
    return new Set(this.#waiting.keys());
  }

  send(key: string, store: () => Promise<unknown>, onFailure: (error: unknown) => void): void {
    this.#waiting.set(key, (this.#waiting.get(key) ?? 0) + 1);
    this.#last = this.#last
      .then(store)
      .catch(onFailure)
      .finally(() => {
        const left = (this.#waiting.get(key) ?? 1) - 1;
        if (left > 0) this.#waiting.set(key, left);
        else this.#waiting.delete(key);
      });
  }
}
