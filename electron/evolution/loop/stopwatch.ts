import type { Clock } from '../../core/index.ts';

/** Seconds by name; overlapping parts are measured each for itself, so their sum may exceed the whole. */
export class Stopwatch {
  readonly seconds: Record<string, number> = {};
  readonly #clock: Clock;
  readonly #start: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#start = clock.monotonicMs();
  }

  async time<T>(name: string, work: () => Promise<T>): Promise<T> {
    const begin = this.#clock.monotonicMs();
    try {
      return await work();
    } finally {
      this.seconds[name] = (this.seconds[name] ?? 0) + (this.#clock.monotonicMs() - begin) / 1000;
    }
  }

  /** Seconds since the step began, entered under `name`. */
  lap(name: string): void {
    this.seconds[name] = (this.#clock.monotonicMs() - this.#start) / 1000;
  }
}
