import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';

/** Where simulations keep their labs: in memory where the system has such a place. */
const ROOT = existsSync('/dev/shm') ? '/dev/shm' : realpathSync('/tmp');
const NAME = /^anchor-sim-(\d+)$/;

/** A folder that is this process's alone; those of processes that were killed go. */
export function scratchFolder(): string {
  for (const name of readdirSync(ROOT)) {
    const pid = NAME.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(join(ROOT, name), { recursive: true, force: true });
  }
  return join(ROOT, `anchor-sim-${process.pid}`);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A signal ends the process and leaves nothing behind. */
export function clearScratchOnSignals(scratch: string): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      rmSync(scratch, { recursive: true, force: true });
      process.exit(128 + constants.signals[signal]);
    });
}
