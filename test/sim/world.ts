import { createHash } from 'node:crypto';
import { rolloutSeed, uniform } from '../../electron/core/index.ts';

/** A stream of numbers that a seed and a path name; equal names give equal streams, and streams do not disturb each other. */
export class Draws {
  readonly #seed: number;
  #drawn = 0;

  constructor(seed: number, ...path: (string | number)[]) {
    this.#seed = rolloutSeed(seed, 'simulation', ...path);
  }

  /** In [0, 1). */
  next(): number {
    return uniform(this.#seed, (this.#drawn += 1));
  }

  below(size: number): number {
    return Math.floor(this.next() * size);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** Between both, most often near the smaller one: waits differ by orders of magnitude. */
  spread(least: number, most: number): number {
    return least * (most / least) ** this.next();
  }
}

type Event = {
  at: number;
  order: number;
  owner: Owner;
  what: string;
  action: () => void;
  cancelled: boolean;
};

/** Whose event it is: those of the engine and its children are gone when it is killed. */
export type Owner = 'engine' | 'outside';

/** The first moment of every simulation. */
const BEGIN = Date.UTC(2030, 0, 1);

/** Events by which nothing happens but that time goes by. */
const IS_TIMER = /^(?:timer|interval|turn)$|: heartbeat$/;

/** Turns of the real loop without anything left to read or write before the simulated time may move. */
const QUIET_TURNS = 2;
const turn = setImmediate;

/** Requests of Node's own threads, by which files are read, hashed and closed. They have to end at the moment they were asked for. */
const isAtWork = (resource: string): boolean => /^(?:FSReq|CloseReq)/.test(resource);

/**
 * Time and order of a simulation. One event happens at a time, and the next not before everything that it set off has come to rest;
 * so what happens is a function of the seed, whatever the machine is doing beside it.
 */
export class World {
  readonly #queue = new Queue();
  readonly #trace = createHash('sha256');
  #nowMs = 0;
  #order = 0;
  /** Threads of the engine that are just at their work, during which no time goes by. */
  threads = 0;
  steps = 0;
  /** How many of the steps were timers and heartbeats. */
  timers = 0;
  /** What was traced last, for whoever looks for the cause of a failure. */
  readonly recent: string[] = [];
  /** Told of every line that is traced. */
  onTrace: (line: string) => void = () => {};

  get nowMs(): number {
    return this.#nowMs;
  }

  date(): Date {
    return new Date(BEGIN + Math.floor(this.#nowMs));
  }

  after(milliseconds: number, what: string, action: () => void, owner: Owner = 'engine'): () => void {
    const event: Event = {
      at: this.#nowMs + Math.max(0, milliseconds),
      order: (this.#order += 1),
      owner,
      what,
      action,
      cancelled: false,
    };
    this.#queue.put(event);
    return () => {
      event.cancelled = true;
    };
  }

  /** Everything that the engine and its children still wanted to do is gone. */
  forgetEngine(): void {
    this.#queue.keep(({ owner }) => owner === 'outside');
  }

  trace(line: string): void {
    const whole = `${this.#nowMs.toFixed(3)} ${line}`;
    this.#trace.update(`${whole}\n`);
    this.recent.push(whole);
    if (this.recent.length > 400) this.recent.splice(0, 200);
    this.onTrace(whole);
  }

  /** The hash of all that happened until now. */
  traceHash(): string {
    return this.#trace.copy().digest('hex');
  }

  /** Nothing came of the event that is just happening, so it is no step. */
  idle(): void {
    this.steps -= 1;
  }

  /** One event and all that comes of it. False when nothing is left to happen. */
  async step(): Promise<boolean> {
    const event = this.#queue.next();
    if (event === null) return false;
    this.#nowMs = event.at;
    this.steps += 1;
    if (IS_TIMER.test(event.what)) this.timers += 1;
    this.trace(event.what);
    event.action();
    await this.rest();
    return true;
  }

  /** Until nothing of the present moment is under way. */
  async rest(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS;) {
      await new Promise<void>((resolve) => void turn(resolve));
      quiet = this.threads > 0 || process.getActiveResourcesInfo().some(isAtWork) ? 0 : quiet + 1;
    }
  }

  /** Steps until the promise is settled. @throws when nothing is left to happen before that. */
  async until<T>(promise: Promise<T>, mostSteps = 2_000_000): Promise<T> {
    const state = { settled: false };
    const settle = (): void => {
      state.settled = true;
    };
    promise.then(settle, settle);
    await this.rest();
    for (let step = 0; !state.settled; step += 1) {
      if (step === mostSteps) throw new Error(`It has not ended after ${mostSteps} steps.`);
      if (!(await this.step())) throw new Error('Nothing is left to happen, and it has not ended.');
    }
    return promise;
  }
}

/** A heap of events, the earliest first; of those at one moment, the one that was asked for first. */
class Queue {
  #heap: Event[] = [];

  put(event: Event): void {
    const heap = this.#heap;
    heap.push(event);
    for (let at = heap.length - 1; at > 0;) {
      const above = (at - 1) >> 1;
      if (!before(heap[at] as Event, heap[above] as Event)) break;
      [heap[at], heap[above]] = [heap[above] as Event, heap[at] as Event];
      at = above;
    }
  }

  next(): Event | null {
    for (let event = this.#take(); event !== undefined; event = this.#take())
      if (!event.cancelled) return event;
    return null;
  }

  keep(wanted: (event: Event) => boolean): void {
    const kept = this.#heap.filter((event) => !event.cancelled && wanted(event));
    this.#heap = [];
    for (const event of kept) this.put(event);
  }

  #take(): Event | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    heap[0] = last;
    for (let at = 0; ;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < heap.length && before(heap[child] as Event, heap[least] as Event)) least = child;
      if (least === at) return first;
      [heap[at], heap[least]] = [heap[least] as Event, heap[at] as Event];
      at = least;
    }
  }
}

const before = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);
