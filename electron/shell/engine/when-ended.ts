import type { UtilityProcess } from 'electron';

/**
 * Hears of the end of a utility process, one turn later. Electron tells of it from inside its own cleaning up, where a message to
 * another process has been seen to end the whole application.
 */
export function whenEnded(utility: UtilityProcess, hear: (code: number) => void): void {
  utility.once('exit', (code) => void setImmediate(() => hear(code)));
}
