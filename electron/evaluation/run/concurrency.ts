/** At most so many at once; the first failure is thrown when all that began have ended. */
export class Bounded {
  readonly #most: number;
  readonly #queue: (() => Promise<void>)[] = [];
  #running = 0;
  #failure: { error: unknown } | null = null;
  #idle = Promise.withResolvers<void>();

  constructor(most: number) {
    this.#most = most;
  }

  add(work: () => Promise<void>): void {
    if (this.#running === 0 && this.#queue.length === 0) this.#idle = Promise.withResolvers();
    this.#queue.push(work);
    this.#next();
  }

  async settled(): Promise<void> {
    if (this.#running > 0 || this.#queue.length > 0) await this.#idle.promise;
    if (this.#failure !== null) throw this.#failure.error;
  }

  #next(): void {
    while (this.#running < this.#most && this.#queue.length > 0) {
      const work = this.#queue.shift() as () => Promise<void>;
      this.#running += 1;
      work()
        .catch((error: unknown) => {
          this.#failure ??= { error };
          this.#queue.length = 0;
        })
        .finally(() => {
          this.#running -= 1;
          if (this.#running === 0 && this.#queue.length === 0) this.#idle.resolve();
          else this.#next();
        });
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
