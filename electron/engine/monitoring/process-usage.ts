import { readFileSync, readdirSync } from 'node:fs';

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
export function residentBytes(pid: number, proc = '/proc'): number | null {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(
    readOrNull(() => readFileSync(`${proc}/${pid}/status`, 'utf8')) ?? '',
  )?.[1];
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
