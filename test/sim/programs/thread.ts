import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import workerThreads from 'node:worker_threads';
import type { Draws, World } from '../world.ts';

/** A module is evaluated once under each name, and every thread evaluates its own. */
let threads = 0;
/** What a module sees of its thread is one for the whole process, so one is evaluated after the other. */
let last: Promise<void> = Promise.resolve();

/**
 * A thread of the engine: its module does its work in this process, at one moment of simulated time. One that listens stays, and does what it
 * is told at a moment each.
 */
export class SimulatedThread extends EventEmitter {
  #ended = false;
  #listener: ((message: unknown) => void) | null = null;
  readonly #world: World;

  constructor(module: URL, data: unknown, { world, draws }: { world: World; draws: Draws }) {
    super();
    this.#world = world;
    world.after(draws.spread(1, 2000), 'thread at work', () => {
      if (!this.#ended) last = this.#work(last, module, data, world);
    });
  }

  async #work(before: Promise<void>, module: URL, data: unknown, world: World): Promise<void> {
    world.threads += 1;
    await before;
    try {
      await this.#evaluate(module, data);
    } catch (error) {
      this.emit('error', error);
    }
    world.threads -= 1;
    if (this.#listener === null) this.#end();
  }

  postMessage(message: unknown): void {
    this.#world.after(1, 'thread is told', () => {
      if (!this.#ended) this.#hear(message);
    });
  }

  #hear(message: unknown): void {
    try {
      this.#listener?.(message);
    } catch (error) {
      this.emit('error', error);
      this.#end();
    }
  }

  async terminate(): Promise<number> {
    this.#end();
    return 1;
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.emit('exit', 0);
  }

  async #evaluate(module: URL, data: unknown): Promise<void> {
    const postMessage = (news: unknown): void => void (this.#ended || this.emit('message', news));
    const on = (_: 'message', listener: (message: unknown) => void): void => {
      this.#listener = listener;
    };
    Object.assign(workerThreads, { workerData: data, parentPort: { postMessage, on } });
    syncBuiltinESMExports();
    threads += 1;
    await import(`${module.href}?thread=${threads}`);
  }
}
