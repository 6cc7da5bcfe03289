/** How far back the rate looks, in seconds: long enough to be steady, short enough to follow a disk that slows down. */
const WINDOW_SECONDS = 8;
/** Where a unit takes minutes, the rate is over the last few of them instead. */
const LEAST_MARKS = 8;

/** How fast a job goes and what it means for its end; null where it is not known. */
type Measured = { ratePerSecond: number | null; etaSeconds: number | null };

/**
 * What was measured, after so many seconds in which nothing advanced. Once they are more than was said to be left, all that is known is
 * how long it has stood still: as long again is left, at no rate.
 */
export const standing = (measured: Measured, seconds: number): Measured =>
  measured.etaSeconds !== null && seconds > measured.etaSeconds
    ? { ratePerSecond: null, etaSeconds: seconds }
    : measured;

/** The rate of one job over its last seconds and what it means for its end. */
export class Pace {
  #marks: { seconds: number; done: number }[] = [];

  /** So many of the units that the next `at` counts took no time. As long as none took any, its measure begins with the next one. */
  found(units: number): void {
    const hasMoved = this.#marks.some(({ done }) => done > (this.#marks[0]?.done ?? 0));
    this.#marks = hasMoved ? this.#marks.map(({ seconds, done }) => ({ seconds, done: done + units })) : [];
  }

  /** @param seconds monotonic time. Both are null until there is a second to measure; the end also while the total is unknown. */
  at(seconds: number, done: number, total: number): Measured {
    // Work of several parts counts each from its beginning.
    if (done < (this.#marks.at(-1)?.done ?? 0)) this.#marks = [];
    const last = this.#marks.at(-1);
    // A mark a tenth of a second is enough; a job may advance thousands of times in between.
    if (last === undefined || (seconds - last.seconds >= 0.1 && done > last.done))
      this.#marks.push({ seconds, done });
    while (this.#marks.length > LEAST_MARKS && seconds - (this.#marks[0]?.seconds ?? 0) > WINDOW_SECONDS)
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

/** A half that did nothing for so many times the time it takes for a unit is not at work. */
const IDLE_UNITS = 4;

/** One half of a job's work, which pauses while the other is at work alone. */
class Half {
  #pace = new Pace();
  #done = 0;
  #movedAt: number | null = null;
  #rateAsMoved: number | null = null;
  /** Units a second at present; null until there is a second to measure. */
  rate: number | null = null;

  found(units: number): void {
    this.#done += units;
    this.#pace.found(units);
  }

  observe(seconds: number, done: number): void {
    const hasMoved = done > this.#done;
    // A pause is no part of the time that its units take.
    if (hasMoved && this.#movedAt !== null && !this.isAtWork(seconds)) this.#pace = new Pace();
    this.#done = done;
    const { ratePerSecond } = this.#pace.at(seconds, done, 0);
    this.rate = ratePerSecond;
    if (!hasMoved) return;
    this.#movedAt = seconds;
    this.#rateAsMoved = ratePerSecond;
  }

  isAtWork(seconds: number): boolean {
    if (this.#movedAt === null) return false;
    if (this.#rateAsMoved === null) return true;
    return seconds - this.#movedAt <= Math.max(WINDOW_SECONDS, IDLE_UNITS / this.#rateAsMoved);
  }

  /** Seconds that so many more units take. */
  secondsFor(units: number): number | null {
    if (units === 0) return 0;
    return this.rate !== null && this.rate > 0 ? units / this.rate : null;
  }
}

/**
 * The rate of a job whose units are done in two halves: answers are generated, and each then gets its verdict. The halves go on side by
 * side or one after the other, at speeds that have nothing to do with each other, so the rate is that of the half that is at work.
 */
export class PaceOfHalves {
  readonly #answers = new Half();
  readonly #verdicts = new Half();

  /** As Pace.found, for what of both halves was done before. */
  found({ generated, done }: { generated: number; done: number }): void {
    this.#answers.found(generated);
    this.#verdicts.found(done);
  }

  /** @param seconds monotonic time. @returns as Pace.at; the end counts both halves as far as their speeds are known. */
  at(
    seconds: number,
    { generated, done, total }: { generated: number; done: number; total: number },
  ): Measured {
    const [answers, verdicts] = [this.#answers, this.#verdicts];
    answers.observe(seconds, generated);
    verdicts.observe(seconds, done);
    const isGradingAlone =
      generated > done && (generated >= total || (verdicts.isAtWork(seconds) && !answers.isAtWork(seconds)));
    const toAnswer = answers.secondsFor(Math.max(0, total - generated));
    const toGrade = verdicts.secondsFor(isGradingAlone ? generated - done : total - done);
    let etaSeconds: number | null = null;
    if (total > 0 && toAnswer !== null) {
      if (!isGradingAlone) etaSeconds = Math.max(toAnswer, verdicts.isAtWork(seconds) ? (toGrade ?? 0) : 0);
      else if (toGrade !== null) etaSeconds = toAnswer + toGrade;
    }
    return { ratePerSecond: (isGradingAlone ? verdicts : answers).rate, etaSeconds };
  }
}
