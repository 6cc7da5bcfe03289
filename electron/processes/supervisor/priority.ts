import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** Whoever computes at the usual priority gets about nine tenths of a core that both want. */
export const REVIEWING_PRIORITY = 10;

/**
 * Lets other processes of this machine go first: generation, update and verification decide when a step ends, and reviews are only
 * needed by then. Threads that start later inherit it. Where the kernel shares cores among sessions first (autogroup(7)), a
 * priority counts inside its session only, so the one that this process leads yields too; a session that it shares with others
 * (a desktop's) is left alone.
 */
export function yieldToOthers(): void {
  try {
    const priority = Math.max(getPriority(), REVIEWING_PRIORITY);
    setPriority(priority);
    if (process.platform !== 'linux') return;
    // Linux keeps a priority per thread, and Node's pool, which calls the native code, is there already.
    for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), priority);
    if (sessionOf(readFileSync('/proc/self/stat', 'utf8')) === process.pid)
      writeFileSync('/proc/self/autogroup', String(priority), { flag: 'r+' });
  } catch {
    // A kernel without autogroups, or a container without /proc: reviews are the same, a step only takes a little longer.
  }
}

/** The session in a line of /proc/PID/stat (proc(5)); a program's name, in parentheses, may hold anything. */
export function sessionOf(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]);
}
