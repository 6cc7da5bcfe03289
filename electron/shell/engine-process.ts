import type { MessagePortMain, UtilityProcess } from 'electron';
import type { EngineState } from '../contract/index.ts';
import type { FromEngine, ToEngine } from '../hosts/index.ts';
import { WORDS } from './words.ts';

export type EngineProcessOptions = {
  fork(): UtilityProcess;
  nowMs(): number;
  onState(state: EngineState): void;
  onMessage(message: FromEngine): void;
  /** The process has ended, asked or not: whatever hung on it is gone. */
  onEnd(): void;
  log(line: string): void;
};

/** A lab in good order closes within seconds; children are given 10 s to end. */
const CLOSE_MS = 25_000;
const ASK_MS = 3000;

/** Keeps the engine running in a process of its own, and starts it again when it dies, with growing pauses and not for ever. */
export class EngineProcess {
  readonly #options: EngineProcessOptions;
  readonly #pace = new RestartPace();
  #process: UtilityProcess | null = null;
  #state: EngineState = { state: 'starting', sentence: null, restarts: 0 };
  #closing = false;
  #timer: NodeJS.Timeout | null = null;
  readonly #answers = new Map<number, (message: FromEngine) => void>();
  #lastQuestion = 0;

  constructor(options: EngineProcessOptions) {
    this.#options = options;
  }

  get state(): EngineState {
    return this.#state;
  }

  start(): void {
    if (this.#process !== null || this.#closing) return;
    const engine = this.#options.fork();
    this.#process = engine;
    let refused: string | null = null;
    engine.on('message', (message: FromEngine) => {
      if (message.kind === 'ready')
        this.#become('ready', this.#state.restarts > 0 ? WORDS.engine.restarted(this.#state.restarts) : null);
      if (message.kind === 'failed') refused = message.sentence;
      if (message.kind === 'work') this.#answers.get(message.id)?.(message);
      this.#options.onMessage(message);
    });
    whenEnded(engine, (code) => {
      this.#process = null;
      this.#options.onEnd();
      this.#options.log(`the engine's process ended with code ${code}`);
      if (this.#closing) return;
      // What the lab itself refuses stays refused until a person does something about it.
      if (refused === null) this.#startAgain();
      else this.#become('failed', refused);
    });
  }

  /** Another try after it was given up. */
  restart(): void {
    if (this.#state.state !== 'failed') return;
    this.#pace.forget();
    this.#become('starting', null);
    this.start();
  }

  post(message: ToEngine, ports: MessagePortMain[] = []): void {
    this.#process?.postMessage(message, ports);
  }

  /** Runs that would lose their step now; null when the engine does not answer in time. */
  async work(): Promise<Extract<FromEngine, { kind: 'work' }>['runs'] | null> {
    if (this.#state.state !== 'ready') return [];
    const id = (this.#lastQuestion += 1);
    const { promise, resolve } = Promise.withResolvers<
      Extract<FromEngine, { kind: 'work' }>['runs'] | null
    >();
    const timer = setTimeout(() => resolve(null), ASK_MS);
    this.#answers.set(id, (message) => {
      if (message.kind === 'work') resolve(message.runs);
    });
    this.post({ kind: 'askWork', id });
    return promise.finally(() => {
      clearTimeout(timer);
      this.#answers.delete(id);
    });
  }

  /** Ends the process for good: asked first, then killed. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const engine = this.#process;
    if (engine === null) return;
    const gone = new Promise<void>((resolve) => {
      whenEnded(engine, () => resolve());
    });
    this.post({ kind: 'close' });
    const timer = setTimeout(() => engine.kill(), CLOSE_MS);
    await gone;
    clearTimeout(timer);
  }

  #startAgain(): void {
    const pause = this.#pace.afterLoss(this.#options.nowMs());
    if (pause === null)
      return this.#become('failed', WORDS.engine.gaveUp(MOST_RESTARTS + 1, WINDOW_MS / 60_000));
    this.#state = { ...this.#state, restarts: this.#state.restarts + 1 };
    this.#become('restarting', WORDS.engine.restarting);
    this.#timer = setTimeout(() => this.start(), pause);
  }

  #become(state: EngineState['state'], sentence: string | null): void {
    this.#state = { ...this.#state, state, sentence };
    this.#options.onState(this.#state);
  }
}

/** Pauses before a restart, growing: something that dies at once gets time to recover. */
const PAUSES_MS = [250, 1000, 2000, 4000, 8000] as const;
/** So many losses within this time are no accidents any more. */
export const MOST_RESTARTS = PAUSES_MS.length;
export const WINDOW_MS = 10 * 60_000;

/** Decides after each loss whether and when to start again. */
export class RestartPace {
  #losses: number[] = [];

  /** @param nowMs monotonic. @returns milliseconds to wait, or null when it is time to give up. */
  afterLoss(nowMs: number): number | null {
    this.#losses = [...this.#losses.filter((at) => nowMs - at < WINDOW_MS), nowMs];
    return PAUSES_MS[this.#losses.length - 1] ?? null;
  }

  /** A person asked for another try. */
  forget(): void {
    this.#losses = [];
  }
}

/**
 * Called at the end of a utility process, one turn later. Electron emits it from inside its own cleaning up, where a message to
 * another process has been seen to end the whole application.
 */
export function whenEnded(utility: UtilityProcess, listener: (code: number) => void): void {
  utility.once('exit', (code) => void setImmediate(() => listener(code)));
}
