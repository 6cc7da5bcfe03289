/** Lets `burst` things happen at once and `perSecond` in the long run. */
export class Allowance {
  readonly #burst: number;
  readonly #perSecond: number;
  readonly #nowMs: () => number;
  #left: number;
  #atMs: number;

  constructor(burst: number, perSecond: number, nowMs: () => number) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#nowMs = nowMs;
    this.#left = burst;
    this.#atMs = nowMs();
  }

  /** Takes one; false when there is none left. */
  take(): boolean {
    const now = this.#nowMs();
    this.#left = Math.min(this.#burst, this.#left + ((now - this.#atMs) / 1000) * this.#perSecond);
    this.#atMs = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}

/** What the loopback host lets a client do. */
export const LIMITS = {
  /** One frame or body; a page of 500 records is well under it. */
  frameBytes: 1024 * 1024,
  /** Windows and programs that may be connected together. */
  sockets: 8,
  /** Requests without a program's token: a page loads a handful of files, then lives on its socket. */
  requests: { burst: 120, perSecond: 30 },
  /** Frames from one socket: a window that reads a whole screen again sends a few dozen at once. */
  frames: { burst: 600, perSecond: 200 },
  /** A page that does not read is cut off before it fills the memory; it comes back with its place. */
  unreadBytes: 64 * 1024 * 1024,
  /** Time to send the head of a request, and all of it. */
  headMs: 10_000,
  requestMs: 30_000,
  /** Time to show the session's key after connecting. */
  keyMs: 10_000,
  connections: 64,
  /** Wrong tokens whose answers are held back together; more are turned away at once. */
  heldAnswers: 8,
} as const;
export type Limits = {
  readonly [K in keyof typeof LIMITS]: (typeof LIMITS)[K] extends number
    ? number
    : { readonly burst: number; readonly perSecond: number };
};
