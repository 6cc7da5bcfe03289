import type { LiveEvent, MachineLoad, ResourceSample } from '../contract/index.ts';
import { readGpuProcesses, readGpus, withOwners } from './gpus.ts';
import { measureMachine, pidsOf, type NamedProcess, type Reading } from './measure.ts';

const SAMPLE_EVERY_MS = 5_000; // a point of a curve whose steps take seconds to minutes, for a thousandth of a core
/** Shares over less than this are noise; the sample before is as good. */
const SHORTEST_MS = 400;
/** A driver that hung hangs again: asking every few seconds would only pile up processes that cannot be ended. */
const HUNG_REST_MS = 60_000;
/** A sample over a longer time than this does not say how the machine is now. */
const RECENT_MS = 10_000;
/** Kept for a window that opens later: an hour. */
const KEPT_SAMPLES = 720;

type MeterTools = {
  labRoot: string;
  /** Child processes of the lab that live now. */ living: () => readonly NamedProcess[];
  emit: (event: LiveEvent) => void;
  now: () => Date;
  nowMs: () => number;
  /** In place of nvidia-smi. */ gpuProgram?: string;
};

/** Measures CPU, memory, disk and GPU of the machine and of the lab's processes while a run is at work, and on demand. */
export class ResourceMeter {
  readonly #tools: MeterTools;
  readonly #kept: ResourceSample[] = [];
  /** Samples since the last step of each run at work. */
  readonly #ofStep = new Map<string, ResourceSample[]>();
  #before: Reading | null = null;
  #cards: Pick<ResourceSample, 'gpus' | 'gpuProblem'> = { gpus: [], gpuProblem: 'not-asked' };
  #askCardsFromMs = -Infinity;
  #timer: NodeJS.Timeout | null = null;

  constructor(tools: MeterTools) {
    this.#tools = tools;
  }

  /** A run began its work; the meter goes as long as one does. */
  begin(runId: string): void {
    this.#ofStep.set(runId, []);
    this.#timer ??= setInterval(() => void this.#tick(), SAMPLE_EVERY_MS).unref();
    void this.#tick();
  }

  end(runId: string): void {
    this.#ofStep.delete(runId);
    if (this.#ofStep.size === 0) this.close();
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Samples of the last hour, oldest first. */
  kept(): readonly ResourceSample[] {
    return this.#kept;
  }

  /** Measures now, keeps the sample and emits it. Cards are as they were when they were asked last. */
  sample(): ResourceSample {
    const { labRoot, living, now, nowMs, emit } = this.#tools;
    const atMs = nowMs();
    const last = this.#kept.at(-1);
    if (last !== undefined && this.#before !== null && atMs - this.#before.atMs < SHORTEST_MS) return last;
    const { measured, reading } = measureMachine(
      labRoot,
      [{ name: 'engine', runId: null, pid: process.pid }, ...living()],
      atMs,
      this.#before,
    );
    this.#before = reading;
    const sample = { at: now().toISOString(), ...measured, ...this.#cards };
    this.#kept.push(sample);
    if (this.#kept.length > KEPT_SAMPLES) this.#kept.shift();
    for (const samples of this.#ofStep.values()) samples.push(sample);
    emit({ kind: 'resources', sample });
    return sample;
  }

  /** What a step took, as metrics to be stored with it. Measures once more, so that no step is without. */
  endOfStep(runId: string): Record<string, number> {
    const last = this.sample();
    const samples = this.#ofStep.get(runId) ?? [];
    this.#ofStep.set(runId, []);
    return stepUsage(samples.length === 0 ? [last] : samples, runId);
  }

  /** How busy the machine is now with everything but a run that is about to begin; waits half a second where nobody looked lately. */
  async load(): Promise<MachineLoad | null> {
    if (this.#before === null || this.#tools.nowMs() - this.#before.atMs > RECENT_MS) {
      this.sample();
      await new Promise<void>((resolve) => {
        setTimeout(resolve, SHORTEST_MS + 100);
      });
    }
    return loadOf([this.sample()], null);
  }

  /** The same since the run began its work, or its step. */
  loadBeside(runId: string): MachineLoad | null {
    const last = this.sample();
    return loadOf(this.#ofStep.get(runId) ?? [last], runId);
  }

  async #tick(): Promise<void> {
    if (this.#tools.nowMs() >= this.#askCardsFromMs) await this.#askCards();
    if (this.#timer !== null) this.sample();
  }

  async #askCards(): Promise<void> {
    const { living, nowMs, gpuProgram } = this.#tools;
    this.#askCardsFromMs = Infinity; // while they are asked, and for good where there is no program
    const { cards, problem } = await readGpus(gpuProgram);
    const processes = cards.length === 0 ? [] : await readGpuProcesses(gpuProgram);
    const ours = pidsOf([{ name: 'engine', runId: null, pid: process.pid }, ...living()]);
    this.#cards = { gpus: withOwners(cards, processes, ours), gpuProblem: problem };
    if (problem === 'missing') return;
    this.#askCardsFromMs = problem === null ? -Infinity : nowMs() + HUNG_REST_MS;
  }
}

/**
 * Cores that everything but the run kept busy, on average over the samples: programs that are not the lab's, and other runs of it. Null
 * where no sample tells.
 */
function loadOf(samples: readonly ResourceSample[], runId: string | null): MachineLoad | null {
  const known = samples.flatMap(({ others, cores, processes }) =>
    others === null
      ? []
      : [
          {
            cores,
            busy: processes
              .filter((one) => one.runId !== null && one.runId !== runId)
              .reduce((sum, { cpu }) => sum + (cpu ?? 0), others),
          },
        ],
  );
  const [first] = known;
  if (first === undefined) return null;
  return { others: known.reduce((sum, { busy }) => sum + busy, 0) / known.length, cores: first.cores };
}

/** Metrics `resources/…` of one step: shares as means, bytes as peaks, the disk as it stands at the end. Nothing for what was not told. */
export function stepUsage(samples: readonly ResourceSample[], runId: string): Record<string, number> {
  const metrics: Record<string, number> = {};
  const put = (
    name: string,
    values: readonly (number | null)[],
    combine: (known: number[]) => number,
  ): void => {
    const known = values.filter((value) => value !== null);
    if (known.length > 0) metrics[name] = combine(known);
  };
  const mean = (known: number[]): number => known.reduce((sum, value) => sum + value, 0) / known.length;
  const peak = (known: number[]): number => known.reduce((most, value) => Math.max(most, value));
  put(
    'resources/cpu_share',
    samples.map(({ cpu }) => cpu),
    mean,
  );
  const load = loadOf(samples, runId);
  put('resources/others_cores', [load?.others ?? null], mean);
  put('resources/cores', [load?.cores ?? null], mean);
  put(
    'resources/memory_bytes',
    samples.map(({ memory }) => memory.used),
    peak,
  );
  for (const name of ['engine', 'trainer', 'supervisor', 'runner', 'grader'] as const) {
    const own = samples.map(({ processes }) =>
      processes.filter((one) => one.name === name && (one.runId === null || one.runId === runId)),
    );
    put(
      `resources/${name}/cores`,
      own.flatMap((each) => each.map(({ cpu }) => cpu)),
      mean,
    );
    put(
      `resources/${name}/memory_bytes`,
      own.flatMap((each) => each.map(({ memory }) => memory)),
      peak,
    );
  }
  const cards = samples.flatMap(({ gpus }) => gpus);
  put(
    'resources/gpu_share',
    cards.map(({ busy }) => busy),
    mean,
  );
  for (const [name, field] of [
    ['resources/gpu_memory_bytes', 'memoryUsed'],
    ['resources/gpu_memory_ours_bytes', 'memoryOurs'],
  ] as const)
    put(
      name,
      samples.map(({ gpus }) => sumOf(gpus.map((card) => card[field]))),
      peak,
    );
  put(
    'resources/gpu_celsius',
    cards.map(({ celsius }) => celsius),
    peak,
  );
  put(
    'resources/gpu_watts',
    samples.map(({ gpus }) => sumOf(gpus.map(({ watts }) => watts))),
    mean,
  );
  put(
    'resources/gpu_slowed_share',
    cards.map(({ slowedBy }) => Number(slowedBy.length > 0)),
    mean,
  );
  put('resources/disk_free_bytes', [samples.at(-1)?.disk?.free ?? null], peak);
  return metrics;
}

/** Of all cards together; null where there is none, or one does not tell. */
function sumOf(values: readonly (number | null)[]): number | null {
  return values.length === 0 || values.includes(null)
    ? null
    : values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}
