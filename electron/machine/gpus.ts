import { execFile } from 'node:child_process';
import type { GpuProblem, GpuSample } from '../contract/index.ts';

/** What nvidia-smi said: cards, or why there are none. */
export type GpuReading = { cards: GpuCard[]; problem: GpuProblem | null };
/** A card without what the processes on it take. */
export type GpuCard = Omit<GpuSample, 'memoryOurs' | 'memoryOthers'> & { uuid: string };
/** A process that computes on a card. `bytes` is null where the driver does not tell, as on Windows. */
export type GpuProcess = { uuid: string; pid: number; bytes: number | null };

const MIB = 1024 * 1024;
const ANSWER_WITHIN_MS = 5_000; // a driver that is waking up takes a second or two

const KNOWN = ['index', 'uuid', 'name', 'utilization.gpu', 'memory.used', 'memory.total'];
const WARM = ['temperature.gpu', 'power.draw', 'enforced.power.limit', 'mig.mode.current'];
/**
 * One name nvidia-smi does not know refuses the whole question. Drivers from 535 on call the reasons "event", older ones "throttle", and
 * the oldest know neither them nor MIG.
 */
const FORMS: readonly (readonly string[])[] = [
  [...KNOWN, ...WARM, 'clocks_event_reasons.active'],
  [...KNOWN, ...WARM, 'clocks_throttle_reasons.active'],
  KNOWN,
];
const PROCESSES = ['gpu_uuid', 'pid', 'used_memory'];
const CSV = '--format=csv,noheader,nounits';

/**
 * Asks nvidia-smi about every card, in the newest form it understands. A program that does not answer in time is killed and waited for
 * no longer: where the driver hangs, it may never end.
 */
export async function readGpus(program = 'nvidia-smi', withinMs = ANSWER_WITHIN_MS): Promise<GpuReading> {
  for (const form of FORMS) {
    const said = await ask(program, [`--query-gpu=${form.join(',')}`, CSV], withinMs);
    if (typeof said === 'string') return { cards: parseGpus(said, form), problem: null };
    if (said.problem !== 'refused') return { cards: [], problem: said.problem };
  }
  return { cards: [], problem: 'refused' };
}

/** Who computes on the cards; none where that cannot be told. */
export async function readGpuProcesses(
  program = 'nvidia-smi',
  withinMs = ANSWER_WITHIN_MS,
): Promise<GpuProcess[]> {
  const said = await ask(program, [`--query-compute-apps=${PROCESSES.join(',')}`, CSV], withinMs);
  return typeof said === 'string' ? parseGpuProcesses(said) : [];
}

/** What it wrote, or why that is nothing. */
function ask(
  program: string,
  flags: readonly string[],
  withinMs: number,
): Promise<string | { problem: GpuProblem }> {
  return new Promise((resolve) => {
    const child = execFile(program, flags, { windowsHide: true }, (error, stdout) => {
      clearTimeout(timer);
      if (error === null) resolve(stdout);
      else resolve({ problem: error.code === 'ENOENT' ? 'missing' : 'refused' });
    });
    const timer = setTimeout(() => {
      // Nobody waits for its end: a process inside of a driver that hangs takes no signal.
      resolve({ problem: 'no-answer' });
      child.kill('SIGKILL');
      child.stdout?.destroy();
      child.stderr?.destroy();
      child.unref();
    }, withinMs);
  });
}

/**
 * One line a card. The name may hold commas, so its fields are counted from both ends. What a card does not tell ("[N/A]",
 * "[Not Supported]", "[Unknown Error]") is null; one that tells neither use nor memory is left out.
 * @param form the fields as they were asked for.
 */
export function parseGpus(csv: string, form: readonly string[] = FORMS[0]!): GpuCard[] {
  const after = form.length - form.indexOf('name') - 1;
  return csv.split('\n').flatMap((line): GpuCard[] => {
    const parts = line.split(',').map((part) => part.trim());
    if (parts.length < form.length) return [];
    const [index, uuid] = parts;
    const name = parts.slice(2, parts.length - after).join(', ');
    const told = new Map(form.slice(-after).map((field, at) => [field, parts.at(at - after) ?? '']));
    const number = (field: string): number | null => numberOf(told.get(field));
    const [busy, used, total] = ['utilization.gpu', 'memory.used', 'memory.total'].map(number);
    if (busy == null && used == null) return [];
    return [
      {
        index: numberOf(index) ?? 0,
        uuid: uuid ?? '',
        name,
        busy: busy == null ? null : Math.min(1, Math.max(0, busy / 100)),
        memoryUsed: used == null ? null : used * MIB,
        memoryTotal: total == null ? null : total * MIB,
        celsius: number('temperature.gpu'),
        watts: number('power.draw'),
        wattsLimit: number('enforced.power.limit'),
        isSplit: told.get('mig.mode.current') === 'Enabled',
        slowedBy: slowdownsOf(told.get(form.at(-1) ?? '') ?? ''),
      },
    ];
  });
}

/** One line a process; on a card that is split by MIG a process stands in it once for each instance. */
export function parseGpuProcesses(csv: string): GpuProcess[] {
  return csv.split('\n').flatMap((line) => {
    const [uuid = '', pid = '', used = ''] = line.split(',').map((part) => part.trim());
    const id = numberOf(pid);
    const mib = numberOf(used);
    return id === null ? [] : [{ uuid, pid: id, bytes: mib === null ? null : mib * MIB }];
  });
}

function numberOf(text: string | undefined): number | null {
  const value = text === undefined || text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

/** Bits of NVML's clocks event reasons that slow a card down; idle, clocks set by a person and synchronised boards do not count. */
const SLOWDOWNS = [
  [0x04, 'power'],
  [0x08, 'hardware'],
  [0x20, 'heat'],
  [0x40, 'heat'],
  [0x80, 'power-brake'],
] as const satisfies readonly (readonly [number, GpuSample['slowedBy'][number]])[];

/** @param mask hexadecimal, such as 0x0000000000000004; anything else is no reason. */
function slowdownsOf(mask: string): GpuSample['slowedBy'] {
  if (!/^0x[0-9a-f]{1,16}$/i.test(mask)) return [];
  const low = Number(BigInt(mask) & 0xffn);
  return [...new Set(SLOWDOWNS.flatMap(([bit, reason]) => ((low & bit) === 0 ? [] : [reason])))];
}

/**
 * Each card with its memory by whose it is: `ours` are processes of this lab, others the rest of what is in use. Null where the driver
 * names no process although memory is in use by some, as inside of containers and on Windows.
 */
export function withOwners(
  cards: readonly GpuCard[],
  processes: readonly GpuProcess[],
  ours: ReadonlySet<number>,
): GpuSample[] {
  return cards.map(({ uuid, ...card }) => {
    const own = processes.filter((one) => one.uuid === uuid && ours.has(one.pid));
    const isTold = own.every(({ bytes }) => bytes !== null) && processes.some((one) => one.uuid === uuid);
    const sum = own.reduce((total, { bytes }) => total + (bytes ?? 0), 0);
    const memoryOurs = isTold ? sum : null;
    return {
      ...card,
      memoryOurs,
      memoryOthers:
        memoryOurs === null || card.memoryUsed === null ? null : Math.max(0, card.memoryUsed - memoryOurs),
    };
  });
}
