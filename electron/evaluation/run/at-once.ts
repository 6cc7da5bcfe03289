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

/**
 * Does `work` on each of `source`, at most `most` at once and reading no further than there is room. The first failure ends the reading
 * and is thrown when all that began have ended.
 */
export async function eachAtOnce<T>(
  source: AsyncIterable<T> | Iterable<T>,
  most: number,
  work: (one: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  let failure: { error: unknown } | null = null;
  const hasFailed = (): boolean => failure !== null;
  const begin = (one: T): void => {
    const ended: Promise<void> = work(one)
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => running.delete(ended));
    running.add(ended);
  };
  try {
    for await (const one of source) {
      if (!hasFailed()) begin(one);
      while (running.size >= most && !hasFailed()) await Promise.race(running);
      if (hasFailed()) break;
    }
  } finally {
    await Promise.all(running);
  }
  if (failure !== null) throw (failure as { error: unknown }).error;
}
