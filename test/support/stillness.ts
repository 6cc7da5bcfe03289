/** How often the thread is asked whether it answers, in milliseconds. */
const EVERY_MS = 20;

/** The longest time in milliseconds for which this thread answered nothing while `work` went on, and what it came to. */
export async function longestSilence<T>(work: () => Promise<T>): Promise<{ silentMs: number; result: T }> {
  let last = performance.now();
  let silentMs = 0;
  const look = (): void => {
    const now = performance.now();
    silentMs = Math.max(silentMs, now - last - EVERY_MS);
    last = now;
  };
  const timer = setInterval(look, EVERY_MS);
  try {
    const result = await work();
    look();
    return { silentMs, result };
  } finally {
    clearInterval(timer);
  }
}
