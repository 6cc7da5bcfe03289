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
