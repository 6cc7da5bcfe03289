import { readdirSync, readFileSync } from 'node:fs';

/** Until a few evaluations were timed: the first ones also read the weights from the disk. */
const FIRST_LIMIT_MS = 120_000;
const LEARNED_FROM = 3;
/** Times the longest evaluation so far; a busy machine slows one down by that much and hardly by more. */
const PATIENCE = 12;
const LEAST_MS = 20_000;
const EXIT_STUCK = 75;
/** Where its threads wait for a core most of the time, the machine is busy and nothing hangs: they get so many limits. */
const MOST_LIMITS = 10;
const STARVED_SHARE = 0.5;

/**
 * Ends the process when native code does not come back, because nothing else ends it. How long it may take follows from how long
 * it took before, so that a hung evaluation of a fast model is found after seconds and a slow model is left its time.
 */
export class Watchdog {
  readonly #end: (silentMs: number) => void;
  readonly #waitedMs: () => number;
  #timer: NodeJS.Timeout | null = null;
  #longestMs = 0;
  #seen = 0;
  #since = 0;

  /** @param waitedMs how long the thread that waited longest for a core has done so in all */
  constructor(end: (silentMs: number) => void = endStuckProcess, waitedMs: () => number = longestWaitMs) {
    this.#end = end;
    this.#waitedMs = waitedMs;
  }

  get limitMs(): number {
    return this.#seen < LEARNED_FROM ? FIRST_LIMIT_MS : Math.max(LEAST_MS, PATIENCE * this.#longestMs);
  }

  /** Watches over `work`, which calls `tick` whenever native code came back. */
  async guard<T>(work: (tick: () => void) => Promise<T>): Promise<T> {
    this.#arm();
    try {
      return await work(() => {
        this.#learn();
        this.#arm();
      });
    } finally {
      this.#disarm();
    }
  }

  #learn(): void {
    this.#seen++;
    this.#longestMs = Math.max(this.#longestMs, performance.now() - this.#since);
  }

  #arm(): void {
    this.#disarm();
    this.#since = performance.now();
    this.#watch(this.limitMs, 1);
  }

  #watch(limit: number, limits: number): void {
    // Waits are read from half of the limit on, so that work that comes back sooner costs nothing but a timer.
    const half = limit / 2;
    this.#timer = setTimeout(() => {
      const before = this.#waitedMs();
      this.#timer = setTimeout(() => {
        const isStarved = this.#waitedMs() - before > STARVED_SHARE * half;
        if (isStarved && limits < MOST_LIMITS) this.#watch(limit, limits + 1);
        else this.#end(limits * limit);
      }, half);
    }, half);
  }

  #disarm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

/** SIGALRM says that time was up. An orderly exit would wait for the very thread that is stuck. */
function endStuckProcess(silentMs: number): void {
  process.stderr.write(`native evaluation did not return within ${Math.round(silentMs / 1000)} s\n`);
  try {
    process.kill(process.pid, 'SIGALRM');
  } catch {
    process.exit(EXIT_STUCK); // systems without that signal
  }
}

/** From /proc/PID/task/TID/schedstat, whose second number is the nanoseconds a thread was ready and had no core; 0 elsewhere. */
export function longestWaitMs(): number {
  try {
    const waits = readdirSync('/proc/self/task').map((thread) => {
      const [, waitedNs] = readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ');
      return Number(waitedNs) / 1e6;
    });
    return Math.max(0, ...waits);
  } catch {
    return 0; // another system, or a thread that ended meanwhile
  }
}

/** Whether a process ended because its watchdog ended it; a utility process tells the signal as its exit code. */
export const endedByWatchdog = ({ code, signal }: { code: number | null; signal: string | null }): boolean =>
  signal === 'SIGALRM' || code === EXIT_STUCK || code === 14 || code === 128 + 14;
