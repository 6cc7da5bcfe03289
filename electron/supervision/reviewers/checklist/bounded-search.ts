import { createContext, Script } from 'node:vm';
import { Failure } from '../../../contract/index.ts';

/** A sound pattern takes far less than a millisecond, so the limit decides nothing but that a run fails instead of hanging. */
const LIMIT_MS = 5000;

const SEARCH = new Script('pattern.test(text)');
const world = createContext({ pattern: /x/, text: '' });

/**
 * Whether a pattern of the user's matches somewhere in a text. Some patterns take longer than anybody waits, `(a+)+$` or
 * `.*.*.*=` on a few hundred characters, and nothing else of this process runs meanwhile; only the virtual machine can end one.
 * @throws Failure `badChecklist` (exit code 2) when it does not come to an end.
 */
export function found(pattern: RegExp, text: string): boolean {
  Object.assign(world, { pattern, text });
  try {
    return SEARCH.runInContext(world, { timeout: LIMIT_MS }) as boolean;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw cause;
    throw new Failure(
      'badChecklist',
      `The pattern "${pattern.source}" of the checklist did not come to an end within ${LIMIT_MS / 1000} s on a text of ${text.length} characters; ` +
        'replace repetitions that can match the same characters in several ways, and start a new run.',
      2,
      { cause },
    );
  }
}
