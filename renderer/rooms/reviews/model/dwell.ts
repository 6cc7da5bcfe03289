/** How long each item was in front of the person, all visits of one page together. Times are seconds of any steady clock. */
export class Dwell {
  readonly #spent = new Map<string, number>();
  #key: string | null = null;
  #since = 0;

  /** Another item is looked at from now on, or none. */
  look(key: string | null, now: number): void {
    if (this.#key !== null) this.#spent.set(this.#key, this.of(this.#key, now));
    this.#key = key;
    this.#since = now;
  }

  of(key: string, now: number): number {
    return (this.#spent.get(key) ?? 0) + (key === this.#key ? now - this.#since : 0);
  }
}
