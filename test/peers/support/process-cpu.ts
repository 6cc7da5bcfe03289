import { readFileSync, readdirSync } from 'node:fs';

export type Role = 'engine' | 'trainer' | 'supervisor' | 'runner';
export const ROLES: readonly Role[] = ['engine', 'trainer', 'supervisor', 'runner'];
export type CpuSeconds = Record<Role, number>;

/** Jiffies per second of /proc; 100 on every Linux that Node runs on. */
const TICKS = 100;

/**
 * CPU seconds (utime + stime) of an engine and of each of its children, read from /proc. A child answers for all that is below
 * it, the living and those waited for, so that a runner's time holds that of its sandboxed programs. Time is seen when
 * `sample` is called: what a child does between the last sample and its end is missed.
 */
export class ProcessCpu {
  readonly #engine: number;
  readonly #seen = new Map<number, { role: Role; seconds: number }>();

  constructor(engine: number) {
    this.#engine = engine;
  }

  /** Reads all processes; returns the totals since the start. */
  sample(): CpuSeconds {
    this.#note(this.#engine, 'engine');
    for (const child of childrenOf(this.#engine)) {
      const role = this.#seen.get(child)?.role ?? roleOf(child);
      if (role !== null) this.#note(child, role);
    }
    const totals: CpuSeconds = { engine: 0, trainer: 0, supervisor: 0, runner: 0 };
    for (const { role, seconds } of this.#seen.values()) totals[role] += seconds;
    return totals;
  }

  #note(pid: number, role: Role): void {
    const seconds = role === 'engine' ? cpuSeconds(pid, false) : familySeconds(pid);
    const before = this.#seen.get(pid)?.seconds ?? 0;
    // A process that ends between being listed and being read is missing once, until its parent has waited for it.
    if (seconds !== null) this.#seen.set(pid, { role, seconds: Math.max(seconds, before) });
  }
}

/** Direct children of all threads of a process; none when it has ended. */
function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

function roleOf(pid: number): Role | null {
  const line = read(`/proc/${pid}/cmdline`) ?? '';
  if (line.includes('anchor_trainer')) return 'trainer';
  if (line.includes('supervisor/worker')) return 'supervisor';
  return line.includes('broker.py') || line.includes('bwrap') ? 'runner' : null;
}

/** Own time, that of children waited for, and the same of everything alive below. */
function familySeconds(pid: number): number | null {
  const own = cpuSeconds(pid, true);
  return own === null ? null : childrenOf(pid).reduce((sum, child) => sum + (familySeconds(child) ?? 0), own);
}

function cpuSeconds(pid: number, withChildren: boolean): number | null {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The name in parentheses may hold blanks; fields are counted after it: utime is the 14th of all, stime 15th, then those of children.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, withChildren ? 15 : 13)
    .map(Number);
  return fields.reduce((sum, ticks) => sum + ticks, 0) / TICKS;
}

/** A process may end at any moment; its files are then gone. */
function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
