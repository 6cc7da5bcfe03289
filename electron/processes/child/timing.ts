/** Where a room that waits gets its time from; tests hand in one they can turn by hand. */
export type Clock = {
  /** Monotonic milliseconds; the zero point means nothing. */
  now(): number;
  /** Calls `action` once after `milliseconds`; the returned function cancels it. */
  after(milliseconds: number, action: () => void): () => void;
};

/** Monotonic time of this machine: unlike the wall clock it neither jumps nor counts a suspended laptop as silence. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after: (milliseconds, action) => {
    const timer = setTimeout(action, milliseconds);
    return () => clearTimeout(timer);
  },
};

const CHECK_EVERY_MS = 1000;

export type SilenceLimits = {
  /** A process that says nothing for so long is stuck; heartbeats are 2 s apart. */
  limitMs: number;
  /** The same while a slow request (loading a model) is open: imports hold Python's lock for long. */
  slowLimitMs: number;
  /** Programs without heartbeats are only watched while a request is open. */
  heartbeats: boolean;
};

/** 30 s of silence, 120 s while loading. */
export const DEFAULT_SILENCE: SilenceLimits = { limitMs: 30_000, slowLimitMs: 120_000, heartbeats: true };

/** Notices that a process stopped talking. */
export class SilenceMonitor {
  readonly #limits: SilenceLimits;
  readonly #clock: Clock;
  readonly #onSilence: (silentMs: number) => void;
  #lastActivity: number;
  #open = 0;
  #slow = 0;
  #suspected = false;
  #cancel: (() => void) | null = null;

  constructor(limits: SilenceLimits, clock: Clock, onSilence: (silentMs: number) => void) {
    this.#limits = limits;
    this.#clock = clock;
    this.#onSilence = onSilence;
    this.#lastActivity = clock.now();
  }

  start(): void {
    this.noteActivity();
    this.#next();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  noteActivity(): void {
    this.#lastActivity = this.#clock.now();
    this.#suspected = false;
  }

  /** A request is open until the returned function is called. */
  expect(slow: boolean): () => void {
    // Without heartbeats silence counts from the moment something was asked.
    if (!this.#limits.heartbeats && this.#open === 0) this.noteActivity();
    this.#open += 1;
    if (slow) this.#slow += 1;
    return () => {
      this.#open -= 1;
      if (slow) this.#slow -= 1;
    };
  }

  #next(): void {
    this.#cancel = this.#clock.after(CHECK_EVERY_MS, () => this.#check());
  }

  #check(): void {
    const silentMs = this.#clock.now() - this.#lastActivity;
    const limit = this.#slow > 0 ? this.#limits.slowLimitMs : this.#limits.limitMs;
    const watched = this.#limits.heartbeats || this.#open > 0;
    if (!watched || silentMs <= limit) {
      this.#suspected = false;
      return this.#next();
    }
    // The first sight of silence may be our own: after a long block of this event loop the timer runs before the pipes
    // are read. One more round lets what has arrived be read.
    if (!this.#suspected) {
      this.#suspected = true;
      return this.#next();
    }
    this.#cancel = null;
    this.#onSilence(silentMs);
  }
}
