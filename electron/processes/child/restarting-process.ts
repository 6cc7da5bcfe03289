import { isProcessLost, ProcessFailure } from './failures.ts';
import type { ManagedChild } from './managed-child.ts';
import type { Clock } from './timing.ts';

const SECOND_MS = 1000;
/** Losses older than this no longer count: a process that lived ten minutes is healthy. */
const WINDOW_MS = 10 * 60 * SECOND_MS;
const MAX_RESTARTS = 5;
/** When more requests than these in a row are to blame for its losses, it is the process. */
const MOST_SET_ASIDE = 8;

/** Milliseconds to wait before restart number `restart` (1, 2, …) within the window. */
export type Backoff = (restart: number) => number;

/** 1, 2, 4, 8, 16 s. */
export const exponentialBackoff: Backoff = (restart) => 2 ** (restart - 1) * SECOND_MS;

export type RestartVerdict = { restart: true; afterMs: number } | { restart: false; losses: number };

/** Decides whether a lost process is started again, and when. Pure but for its own memory of past losses. */
export class RestartPolicy {
  readonly #backoff: Backoff;
  #losses: number[] = [];

  constructor(backoff: Backoff = exponentialBackoff) {
    this.#backoff = backoff;
  }

  /** Call at each loss with the monotonic time in milliseconds. Gives up at the sixth loss within ten minutes. */
  afterLoss(nowMs: number): RestartVerdict {
    this.#losses = this.#losses.filter((at) => nowMs - at < WINDOW_MS);
    this.#losses.push(nowMs);
    const losses = this.#losses.length;
    if (losses > MAX_RESTARTS) return { restart: false, losses };
    return { restart: true, afterMs: this.#backoff(losses) };
  }

  /** The last losses were no fault of the process. */
  forgive(losses: number): void {
    this.#losses.splice(-losses);
  }
}

export type ProcessState =
  | { state: 'running'; pid: number }
  | { state: 'restarting'; afterMs: number; reason: string }
  | { state: 'down'; reason: string };

export type RestartingProcessOptions = {
  name: string;
  clock: Clock;
  backoff?: Backoff;
  /** Starts one life of the process, handshake included. */
  start(): Promise<ManagedChild>;
  onState?(state: ProcessState): void;
};

/** Keeps one process alive across losses, with growing pauses, until it is closed or keeps dying. */
export class RestartingProcess {
  readonly #options: RestartingProcessOptions;
  readonly #policy: RestartPolicy;
  #child: ManagedChild | null = null;
  #starting: Promise<ManagedChild> | null = null;
  #closed = false;
  #endPause: (() => void) | null = null;
  /** Requests in a row that it was lost to. */
  #setAside = 0;
  /** Why the last life ended; empty before the first. */
  #lastLoss = '';

  constructor(options: RestartingProcessOptions) {
    this.#options = options;
    this.#policy = new RestartPolicy(options.backoff);
  }

  /** The living process; throws `processLost` with the reason of the loss when there is none. */
  get child(): ManagedChild {
    if (this.living !== null) return this.living;
    const { name } = this.#options;
    throw new ProcessFailure(name, {
      kind: 'processLost',
      retryable: true,
      message: this.#lastLoss || `The ${name} is not running.`,
    });
  }

  /** The same without a complaint: null while it starts, ends or is down. */
  get living(): ManagedChild | null {
    return this.#child?.usable === true ? this.#child : null;
  }

  /** First start: fails at once, because a program that never ran is a matter of set-up and not of patience. */
  async start(): Promise<ManagedChild> {
    this.#starting ??= this.#begin().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  /** Resolves with a living process, restarting it as often as the policy allows; else throws `crashLoop` or `processUnavailable`. */
  async ensureRunning(): Promise<ManagedChild> {
    if (this.#child?.usable) return this.#child;
    this.#refuseWhenClosed();
    this.#starting ??= this.#restart().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  /** Ends the present life, if any, and starts another without counting that as a loss. */
  async restart(): Promise<ManagedChild> {
    // Claimed at once: requests that the stop rejects come back through ensureRunning and must find this start.
    this.#starting ??= this.#replace().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  /** Ends the process for good; see ManagedChild.stop for `ask`. */
  async close(ask?: { method: string; params: object }): Promise<void> {
    this.#closed = true;
    this.#endPause?.();
    await this.#starting?.catch(() => {});
    await this.#child?.stop(ask);
    this.#child = null;
  }

  /** The process did what was asked of it. */
  noteSuccess(): void {
    this.#setAside = 0;
  }

  /** Losses that one request is to blame for count no more, unless request after request has met that fate. */
  forgive(losses: number): void {
    this.#setAside += 1;
    if (this.#setAside <= MOST_SET_ASIDE) this.#policy.forgive(losses);
  }

  async #replace(): Promise<ManagedChild> {
    await this.#child?.stop();
    return this.#begin();
  }

  async #restart(): Promise<ManagedChild> {
    const { name, clock, onState } = this.#options;
    for (;;) {
      // A life that is on its way out still holds files and ports; the next one starts when it is gone.
      const report = await this.#child?.ended;
      this.#child = null;
      if (report) this.#lastLoss = report.sentence;
      const verdict = this.#policy.afterLoss(clock.now());
      if (!verdict.restart) {
        onState?.({ state: 'down', reason: this.#lastLoss });
        throw new ProcessFailure(name, {
          kind: 'crashLoop',
          message: `The ${name} was lost ${verdict.losses} times within ten minutes and is not started again. ${this.#lastLoss}`,
        });
      }
      onState?.({ state: 'restarting', afterMs: verdict.afterMs, reason: this.#lastLoss });
      await this.#pause(verdict.afterMs);
      try {
        return await this.#begin();
      } catch (error) {
        // A missing program or a wrong version does not heal with time.
        if (this.#closed || !(error instanceof ProcessFailure && error.retryable)) throw error;
        this.#lastLoss = error.message;
      }
    }
  }

  /** Ends early when the process is closed meanwhile. */
  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(milliseconds, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }

  async #begin(): Promise<ManagedChild> {
    const { onState, start } = this.#options;
    this.#refuseWhenClosed();
    const child = await start();
    this.#child = child;
    onState?.({ state: 'running', pid: child.pid ?? 0 });
    void this.#noteEnd(child);
    return child;
  }

  #refuseWhenClosed(): void {
    const { name } = this.#options;
    if (this.#closed)
      throw new ProcessFailure(name, {
        kind: 'closed',
        message: `The ${name} was closed and takes no more requests.`,
      });
  }

  async #noteEnd(child: ManagedChild): Promise<void> {
    const { sentence } = await child.ended;
    this.#lastLoss = sentence;
    if (!this.#closed && this.#child === child) this.#options.onState?.({ state: 'down', reason: sentence });
  }
}

/** A request that kills every process it is given to must not do so for ever. */
const MAX_RETRIES = 3;
/** So often a request may lose the process while nothing else is asked of it. */
const MOST_LOSSES_ALONE = 2;

/**
 * Who may ask a process: all at once, until it is lost; then each that was there, alone and one after the other, so that the loss is
 * laid at the right door. Whoever comes meanwhile waits.
 */
export class Turns {
  #together = 0;
  #isAlone = false;
  readonly #suspects: (() => void)[] = [];
  readonly #others: (() => void)[] = [];

  /** Resolves when it is the caller's turn, with what ends it. */
  enter(alone: boolean): Promise<() => void> {
    return new Promise((resolve) => {
      const begin = alone
        ? (): void => {
            this.#isAlone = true;
            resolve(() => this.#leave(() => (this.#isAlone = false)));
          }
        : (): void => {
            this.#together += 1;
            resolve(() => this.#leave(() => (this.#together -= 1)));
          };
      (alone ? this.#suspects : this.#others).push(begin);
      this.#next();
    });
  }

  #leave(end: () => void): void {
    end();
    this.#next();
  }

  #next(): void {
    if (this.#isAlone) return;
    if (this.#suspects.length === 0) return void this.#others.splice(0).forEach((begin) => begin());
    if (this.#together === 0) this.#suspects.shift()!();
  }
}

/**
 * Does a repeatable piece of work on a process, on a fresh one when the process is lost meanwhile. Only for work whose
 * answer depends on nothing but the request. Throws `requestKillsProcess` after the fourth loss; with `turns`, after the second that it
 * met alone, and then its losses are forgiven the process, which began anew and passed its own checks after each of them.
 */
export async function retryOnLoss<T>(
  process: RestartingProcess,
  name: string,
  what: string,
  work: (child: ManagedChild) => Promise<T>,
  turns: Turns | null = null,
): Promise<T> {
  for (let losses = 0; ;) {
    const leave = await turns?.enter(losses > 0);
    try {
      const done = await work(await process.ensureRunning());
      process.noteSuccess();
      return done;
    } catch (error) {
      if (!isProcessLost(error)) throw error;
      losses += 1;
      if (losses <= (turns === null ? MAX_RETRIES : MOST_LOSSES_ALONE)) continue;
      if (turns !== null) process.forgive(losses);
      throw new ProcessFailure(
        name,
        {
          kind: 'requestKillsProcess',
          message: `The ${name} was lost ${losses} times during the same ${what}${turns === null ? '' : `, ${MOST_LOSSES_ALONE} times with nothing else to do`}. ${error.message}`,
        },
        { cause: error },
      );
    } finally {
      leave?.();
    }
  }
}
