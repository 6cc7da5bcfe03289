import type { KeptChild } from './kept-child.ts';
import type { ManagedChild } from './managed-child.ts';
import { isProcessLost, ProcessFailure } from './process-failure.ts';

/** A request that kills every process it is given to must not do so for ever. */
const MAX_RESENDS = 3;

/**
 * Does a repeatable piece of work on a process, on a fresh one when the process is lost meanwhile. Only for work whose
 * answer depends on nothing but the request. Throws `requestKillsProcess` after the fourth loss.
 */
export async function withResend<T>(
  keeper: KeptChild,
  name: string,
  what: string,
  work: (child: ManagedChild) => Promise<T>,
): Promise<T> {
  for (let resends = 0; ; resends++) {
    const child = await keeper.ensureRunning();
    try {
      return await work(child);
    } catch (error) {
      if (!isProcessLost(error)) throw error;
      if (resends === MAX_RESENDS) {
        throw new ProcessFailure(
          name,
          {
            kind: 'requestKillsProcess',
            message: `The ${name} was lost ${resends + 1} times during the same ${what}. ${error.message}`,
          },
          { cause: error },
        );
      }
    }
  }
}
