import { readFileSync } from 'node:fs';

/** Field 22 of /proc/PID/stat: clock ticks after boot at which the process started. With the pid it names one process. */
const START_TIME_FIELD = 22;

/** Null where there is no such process or no /proc. */
export function processStartTicks(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses and may itself hold blanks and parentheses.
    const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_TIME_FIELD - 3]);
    return Number.isSafeInteger(ticks) ? ticks : null;
  } catch {
    return null;
  }
}
