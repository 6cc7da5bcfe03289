const SECOND_MS = 1000;
/** Losses older than this no longer count: a process that lived ten minutes is healthy. */
const WINDOW_MS = 10 * 60 * SECOND_MS;
const MAX_RESTARTS = 5;

/** Milliseconds to wait before restart number `restart` (1, 2, …) within the window. */
export type Backoff = (restart: number) => number;

/** 1, 2, 4, 8, 16 s. */
export const exponentialBackoff: Backoff = (restart) => 2 ** (restart - 1) * SECOND_MS;

export type RestartVerdict = { restart: true; afterMs: number } | { restart: false; losses: number };

/** Decides whether a lost process is started again, and when. Pure but for its own memory of past losses. */
export class RestartPolicy {
  readonly #backoff: Backoff;
  #losses: number[] = [];

  constructor(backoff: Backoff = exponentialBackoff) {
    this.#backoff = backoff;
  }

  /** Call at each loss with the monotonic time in milliseconds. Gives up at the sixth loss within ten minutes. */
  afterLoss(nowMs: number): RestartVerdict {
    this.#losses = this.#losses.filter((at) => nowMs - at < WINDOW_MS);
    this.#losses.push(nowMs);
    const losses = this.#losses.length;
    if (losses > MAX_RESTARTS) return { restart: false, losses };
    return { restart: true, afterMs: this.#backoff(losses) };
  }
}
