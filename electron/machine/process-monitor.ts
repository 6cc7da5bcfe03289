import type { ChildState, LiveEvent } from '../contract/index.ts';
import type { ProcessState } from '../processes/index.ts';
import type { NamedProcess } from './measure.ts';

type ChildName = ChildState['child'];

/** Heartbeats are 2 s apart; four missed ones are worth telling. */
const SILENT_AFTER_MS = 8_000;
/** A batch of a small model takes seconds; standing still for a minute is worth telling. */
const STILL_AFTER_MS = 60_000;
const POLL_EVERY_MS = 2_000;

/** After these the processes room gives a child up: silence of its heart (longer while it loads), and half an hour without progress. */
const SILENCE_LIMIT_S = 30;
const STANDSTILL_LIMIT_S = 30 * 60;

type Watched = {
  child: ChildName;
  runId: string | null;
  pid: number | null;
  /** Null for a process that sends no heartbeats. */
  receivedAt: number | null;
  progressAt: { of: number; since: number } | null;
  last: ChildState;
  emittedAt: number;
};

/** What a client of a process reports to. */
export type ChildReports = {
  onState: (state: ProcessState) => void;
  onEvent: (name: string, parameters: unknown) => void;
};

/** Notices when a child process goes silent, stands still, is lost or is back, and emits it as an event. */
export class ProcessMonitor {
  readonly #emit: (event: LiveEvent) => void;
  readonly #nowMs: () => number;
  /** By name: of two processes with one name the later has taken the place of the earlier. */
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | null = null;

  constructor(emit: (event: LiveEvent) => void, nowMs: () => number) {
    this.#emit = emit;
    this.#nowMs = nowMs;
  }

  /** Watches the process `name`; of a run (`runId`) until `forgetRun`, of all runs (null) until `close`. */
  follow(child: ChildName, runId: string | null, name: string): ChildReports {
    const last: ChildState = { child, runId, state: 'ready', seconds: 0, limitSeconds: null, detail: '' };
    const watched: Watched = {
      child,
      runId,
      pid: null,
      receivedAt: null,
      progressAt: null,
      last,
      emittedAt: this.#nowMs(),
    };
    this.#watched.set(name, watched);
    this.#timer ??= setInterval(() => this.poll(), POLL_EVERY_MS).unref();
    return {
      onState: (state) => this.#changed(watched, state),
      onEvent: (event, parameters) => this.#received(watched, event, parameters),
    };
  }

  /** The run's processes are ended on purpose; nothing more is emitted of them. */
  forgetRun(runId: string): void {
    for (const [name, watched] of this.#watched) if (watched.runId === runId) this.#watched.delete(name);
  }

  /** Living processes, for whoever measures them. */
  living(): NamedProcess[] {
    return [...this.#watched.values()].flatMap(({ child, runId, pid }) =>
      pid === null ? [] : [{ name: child, runId, pid }],
    );
  }

  /** States of the processes a run depends on, its own and those shared by all, with the seconds counted to now. */
  statesOf(runId: string): ChildState[] {
    const now = this.#nowMs();
    return [...this.#watched.values()]
      .filter((watched) => watched.runId === null || watched.runId === runId)
      .map(({ last, emittedAt }) =>
        last.state === 'silent' || last.state === 'busy'
          ? { ...last, seconds: last.seconds + Math.round((now - emittedAt) / 1000) }
          : last,
      );
  }

  /** Looks at every process once; called by its own timer. */
  poll(): void {
    const now = this.#nowMs();
    for (const watched of this.#watched.values()) {
      if (watched.pid === null) continue;
      const silentMs = watched.receivedAt === null ? 0 : now - watched.receivedAt;
      const stillMs = watched.progressAt === null ? 0 : now - watched.progressAt.since;
      if (silentMs >= SILENT_AFTER_MS) this.#is(watched, 'silent', silentMs, SILENCE_LIMIT_S);
      else if (stillMs >= STILL_AFTER_MS) this.#is(watched, 'busy', stillMs, STANDSTILL_LIMIT_S);
      else this.#is(watched, 'ready', 0, null);
    }
  }

  close(): void {
    this.#watched.clear();
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #changed(watched: Watched, state: ProcessState): void {
    watched.receivedAt = null;
    watched.progressAt = null;
    watched.pid = state.state === 'running' ? state.pid : null;
    if (state.state === 'running') this.#is(watched, 'ready', 0, null);
    else this.#is(watched, 'lost', state.state === 'restarting' ? state.afterMs : 0, null, state.reason);
  }

  #received(watched: Watched, name: string, parameters: unknown): void {
    const now = this.#nowMs();
    watched.receivedAt = now;
    if (name !== 'heartbeat') return;
    const { activeReqs = 0, lastProgressTs = 0 } = parameters as {
      activeReqs?: number;
      lastProgressTs?: number;
    };
    if (activeReqs === 0) watched.progressAt = null;
    else if (watched.progressAt?.of !== lastProgressTs)
      watched.progressAt = { of: lastProgressTs, since: now };
  }

  /** Emits a state once; whoever shows it counts the seconds on. */
  #is(
    watched: Watched,
    state: ChildState['state'],
    milliseconds: number,
    limitSeconds: number | null,
    detail = '',
  ): void {
    if (watched.last.state === state && watched.last.detail === detail) return;
    const { child, runId } = watched;
    watched.last = { child, runId, state, seconds: Math.round(milliseconds / 1000), limitSeconds, detail };
    watched.emittedAt = this.#nowMs();
    this.#emit({ kind: 'child', ...watched.last });
  }
}
