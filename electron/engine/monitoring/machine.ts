import { readFileSync, statfsSync } from 'node:fs';
import { cpus, freemem, totalmem } from 'node:os';
import type { ProcessUsage, ResourceSample } from '../../contract/index.ts';
import { readProcesses, residentBytes, subtree } from './process-usage.ts';

/** A process of the lab, as its usage is reported. */
export type NamedProcess = { name: ProcessUsage['name']; runId: string | null; pid: number };
/** Counters at one moment; usage is the difference of two. */
export type Reading = {
  atMs: number;
  busyMs: number;
  allMs: number;
  cpuSeconds: ReadonlyMap<number, number>;
};
type Measured = Omit<ResourceSample, 'at' | 'gpus'>;

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
  return {
    measured: {
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

/** Memory that programs could still get; what the system merely caches counts as free. */
function availableMemory(): number {
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
