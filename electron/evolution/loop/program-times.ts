import type { Clock } from '../../core/index.ts';
import type { RunnerClient } from '../../processes/index.ts';

/** What the sandbox is asked for: a validator parses proposals and checks them, a verifier runs answers. */
const PARTS: Readonly<Record<string, 'validate' | 'verify'>> = {
  parse: 'validate',
  check: 'validate',
  distances: 'validate',
  run: 'verify',
};

/**
 * The sandbox of a step, and the seconds in which the validator or the verifier had at least one program at work. Both work while answers
 * are still being written, so these seconds are within those of `gen` and `estimate`.
 */
export class ProgramTimes {
  readonly runner: RunnerClient;
  readonly #clock: Clock;
  readonly #seconds = new Map<string, number>();
  readonly #open = new Map<string, { programs: number; since: number }>();

  constructor(runner: RunnerClient, clock: Clock) {
    this.#clock = clock;
    this.runner = new Proxy(runner, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        const call = value.bind(target) as (...given: unknown[]) => unknown;
        const part = PARTS[String(name)];
        return part === undefined
          ? call
          : (...given: unknown[]) => this.#during(part, () => call(...given) as Promise<unknown>);
      },
    });
  }

  /** By part; a part that had nothing to do is not there. */
  get seconds(): Record<string, number> {
    return Object.fromEntries(this.#seconds);
  }

  async #during<T>(part: string, work: () => Promise<T>): Promise<T> {
    const open = this.#open.get(part) ?? { programs: 0, since: 0 };
    this.#open.set(part, open);
    if (open.programs === 0) open.since = this.#clock.monotonicMs();
    open.programs += 1;
    try {
      return await work();
    } finally {
      open.programs -= 1;
      if (open.programs === 0) {
        const spent = (this.#clock.monotonicMs() - open.since) / 1000;
        this.#seconds.set(part, (this.#seconds.get(part) ?? 0) + spent);
      }
    }
  }
}
