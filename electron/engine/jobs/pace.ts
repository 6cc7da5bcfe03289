/** How far back the rate looks, in seconds: long enough to be steady, short enough to follow a disk that slows down. */
const WINDOW_SECONDS = 8;

/** The rate of one job over its last seconds and what it means for its end. */
export class Pace {
  readonly #marks: { seconds: number; done: number }[] = [];

  /** @param seconds monotonic time. Both are null until there is a second to measure; the end also while the total is unknown. */
  at(
    seconds: number,
    done: number,
    total: number,
  ): { ratePerSecond: number | null; etaSeconds: number | null } {
    const last = this.#marks.at(-1);
    // A mark a tenth of a second is enough; a job may advance thousands of times in between.
    if (last === undefined || seconds - last.seconds >= 0.1) this.#marks.push({ seconds, done });
    while (this.#marks.length > 2 && seconds - (this.#marks[0]?.seconds ?? 0) > WINDOW_SECONDS)
      this.#marks.shift();
    const first = this.#marks[0] ?? { seconds, done };
    const passed = seconds - first.seconds;
    if (passed < 1) return { ratePerSecond: null, etaSeconds: null };
    const ratePerSecond = (done - first.done) / passed;
    return {
      ratePerSecond,
      etaSeconds: total > 0 && ratePerSecond > 0 ? (total - done) / ratePerSecond : null,
    };
  }
}
