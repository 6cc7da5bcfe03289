/** Where a room that waits gets its time from; tests hand in one they can turn by hand. */
export type Clock = {
  /** Monotonic milliseconds; the zero point means nothing. */
  now(): number;
  /** Calls `action` once after `milliseconds`; the returned function calls it off. */
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
