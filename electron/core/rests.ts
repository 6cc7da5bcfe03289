import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work is done in stretches of this many milliseconds, between which whoever else waits gets a turn. */
const STRETCH_MS = 20;

type RestOptions<Y> = { signal?: AbortSignal | undefined; onRest?: (said: Y) => void };

/**
 * Work that may rest wherever it yields, done so that its thread stays free for others. Gives what it returns.
 * @param onRest what the work said last, before each rest. @throws the signal's reason on abort.
 */
export async function withRests<Y, T>(
  work: Generator<Y, T>,
  { signal, onRest = () => {} }: RestOptions<Y> = {},
): Promise<T> {
  for (;;) {
    signal?.throwIfAborted();
    const began = performance.now();
    let step: IteratorResult<Y, T>;
    do step = work.next();
    while (step.done !== true && performance.now() - began < STRETCH_MS);
    if (step.done === true) return step.value;
    onRest(step.value);
    await nextTurn();
  }
}

/** The same without a rest. */
export function toEnd<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
