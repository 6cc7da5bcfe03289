/** How often the thread is asked whether it answers, in milliseconds. */
const EVERY_MS = 20;

/** Milliseconds of processor time that this thread has used. */
function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * The longest time in milliseconds for which this thread answered nothing while `work` went on, and what it came to. `busyMs` counts
 * processor time of this thread alone, which other programs of the machine do not lengthen; `silentMs` is what a person waits.
 */
export async function longestSilence<T>(
  work: () => Promise<T>,
): Promise<{ busyMs: number; silentMs: number; result: T }> {
  let last = { wall: performance.now(), used: usedMs() };
  let [busyMs, silentMs] = [0, 0];
  const look = (): void => {
    const now = { wall: performance.now(), used: usedMs() };
    busyMs = Math.max(busyMs, now.used - last.used);
    silentMs = Math.max(silentMs, now.wall - last.wall - EVERY_MS);
    last = now;
  };
  const timer = setInterval(look, EVERY_MS);
  try {
    const result = await work();
    look();
    return { busyMs, silentMs, result };
  } finally {
    clearInterval(timer);
  }
}
