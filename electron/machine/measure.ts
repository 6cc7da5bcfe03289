import { readFileSync, statfsSync, readdirSync } from 'node:fs';
import { cpus, freemem, totalmem } from 'node:os';
import type { ProcessUsage, ResourceSample } from '../contract/index.ts';

/** A process of the lab, as its usage is reported. */
export type NamedProcess = { name: ProcessUsage['name']; runId: string | null; pid: number };
/** Counters at one moment; usage is the difference of two. */
export type Reading = {
  atMs: number;
  busyMs: number;
  allMs: number;
  cpuSeconds: ReadonlyMap<number, number>;
};
type Measured = Omit<ResourceSample, 'at' | 'gpus' | 'gpuProblem'>;

/** Process ids of the given processes and of everything they started; only theirs where there is no /proc to read. */
export function pidsOf(named: readonly NamedProcess[]): Set<number> {
  const everything = readProcesses() ?? [];
  return new Set(
    named.flatMap(({ pid }) => [pid, ...subtree(everything, pid, new Set()).map((one) => one.pid)]),
  );
}

/** The machine and the given processes now. `before` is the reading the shares are counted from. */
export function measureMachine(
  labRoot: string,
  named: readonly NamedProcess[],
  atMs: number,
  before: Reading | null,
): { measured: Measured; reading: Reading } {
  const cores = cpus();
  const times = cores.map(({ times: { user, nice, sys, idle, irq } }) => ({
    busy: user + nice + sys + irq,
    idle,
  }));
  const busyMs = times.reduce((sum, { busy }) => sum + busy, 0);
  const allMs = times.reduce((sum, { busy, idle }) => sum + busy + idle, 0);
  const cpuSeconds = new Map<number, number>();
  const everything = readProcesses();
  const processes = named.map(({ name, runId, pid }): ProcessUsage => {
    const others = new Set(named.map((other) => other.pid).filter((other) => other !== pid));
    const members = everything === null ? [] : subtree(everything, pid, others);
    if (members.length === 0) return { name, runId, cpu: null, memory: null };
    const seconds = members.reduce((sum, member) => sum + member.cpuSeconds, 0);
    cpuSeconds.set(pid, seconds);
    return {
      name,
      runId,
      cpu: coresSince(before, pid, seconds, atMs),
      memory: members.reduce((sum, member) => sum + (residentBytes(member.pid) ?? 0), 0),
    };
  });
  const share =
    before === null || allMs <= before.allMs ? null : (busyMs - before.busyMs) / (allMs - before.allMs);
  const busy = share === null ? null : share * Math.max(1, cores.length);
  return {
    measured: {
      others:
        busy === null || before === null || everything === null
          ? null
          : Math.max(0, busy - busyCores(before, cpuSeconds, atMs)),
      cpu: share === null ? null : Math.min(1, Math.max(0, share)),
      cores: Math.max(1, cores.length),
      memory: { used: totalmem() - availableMemory(), total: totalmem() },
      disk: diskOf(labRoot),
      processes,
    },
    reading: { atMs, busyMs, allMs, cpuSeconds },
  };
}

/** Busy cores since the reading before. A worker that ended took its seconds along, so the sum may fall; that is no negative work. */
function coresSince(before: Reading | null, pid: number, cpuSeconds: number, atMs: number): number | null {
  const earlier = before?.cpuSeconds.get(pid);
  if (before === null || earlier === undefined || atMs <= before.atMs) return null;
  return Math.max(0, ((cpuSeconds - earlier) * 1000) / (atMs - before.atMs));
}

/** Busy cores of all given processes since the reading before, those included that have begun since. */
function busyCores(before: Reading, cpuSeconds: ReadonlyMap<number, number>, atMs: number): number {
  const spent = [...cpuSeconds].reduce(
    (sum, [pid, seconds]) => sum + Math.max(0, seconds - (before.cpuSeconds.get(pid) ?? 0)),
    0,
  );
  return (spent * 1000) / Math.max(1, atMs - before.atMs);
}

/** Memory that programs could still get; what the system merely caches counts as free. */
export function availableMemory(): number {
  try {
    const kilobytes = /^MemAvailable:\s+(\d+) kB/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1];
    return kilobytes === undefined ? freemem() : Number(kilobytes) * 1024;
  } catch {
    return freemem();
  }
}

function diskOf(folder: string): ResourceSample['disk'] {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder);
    return { free: bavail * bsize, total: blocks * bsize };
  } catch {
    return null;
  }
}

/** What the system says of one process: CPU seconds since it started, those of its ended children not counted. */
export type ProcessFacts = { pid: number; parent: number; cpuSeconds: number };

/** Clock ticks per second in /proc; Linux fixes the number that user programs see. */
const TICKS_PER_SECOND = 100;

/** Every process of the machine; null where there is no /proc to read. */
export function readProcesses(proc = '/proc'): ProcessFacts[] | null {
  const names = readOrNull(() => readdirSync(proc));
  const facts = (names ?? []).flatMap((name) => {
    const pid = Number(name);
    const line = Number.isInteger(pid) ? readOrNull(() => readFileSync(`${proc}/${pid}/stat`, 'utf8')) : null;
    const one = line === null ? null : parseStat(pid, line);
    return one === null ? [] : [one];
  });
  return facts.length === 0 ? null : facts;
}

/** One line of /proc/<pid>/stat. The name in parentheses may hold anything, so fields are counted from its end. */
export function parseStat(pid: number, line: string): ProcessFacts | null {
  const fields = line
    .slice(line.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent, user, system] = [fields[1], fields[11], fields[12]];
  if (parent === undefined || user === undefined || system === undefined) return null;
  return { pid, parent, cpuSeconds: (user + system) / TICKS_PER_SECOND };
}

/** A process with all its descendants, except what is at or below a pid of `others`, which are counted by themselves. */
export function subtree(
  processes: readonly ProcessFacts[],
  root: number,
  others: ReadonlySet<number>,
): ProcessFacts[] {
  const children = Map.groupBy(processes, ({ parent }) => parent);
  const found: ProcessFacts[] = [];
  const open = processes.filter(({ pid }) => pid === root);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    found.push(next);
    open.push(...(children.get(next.pid) ?? []).filter(({ pid }) => !others.has(pid)));
  }
  return found;
}

/** Bytes of a process that are in memory now; null when it has ended. Pages it shares with others count for each. */
export const residentBytes = (pid: number, proc = '/proc'): number | null => statusBytes(pid, 'VmRSS', proc);

/** Most bytes that a living process ever had in memory; null where the system does not tell. */
export const peakBytes = (pid: number | undefined): number | null =>
  pid === undefined ? null : statusBytes(pid, 'VmHWM', '/proc');

function statusBytes(pid: number, field: string, proc: string): number | null {
  const status = readOrNull(() => readFileSync(`${proc}/${pid}/status`, 'utf8')) ?? '';
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

/** A process may end between the listing and the reading. */
function readOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
