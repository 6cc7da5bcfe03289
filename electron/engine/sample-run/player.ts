import type { Clock } from '../../evolution/index.ts';
import { stepOf, type Happening, type Moment } from './timeline.ts';

const TICK_MS = 100; // as often as windows are told of anything
const LONGEST_TICK_MS = 300;

export type Playing = {
  isPlaying: boolean;
  speed: number;
  atMs: number;
  lengthMs: number;
  /** Why the replay stopped by itself before its end, as a sentence. */
  problem: string | null;
};

type Tools = { clock: Clock; perform: (happening: Happening) => void; onChange: () => void };

/** Plays moments at a multiple of the time they took. It holds no data: what was performed is in the lab that `perform` writes to. */
export class Player {
  readonly #moments: readonly Moment[];
  readonly #lengthMs: number;
  readonly #tools: Tools;
  #next = 0;
  #atMs = 0;
  #speed = 1;
  #timer: NodeJS.Timeout | null = null;
  #tickedMs = 0;
  #problem: string | null = null;

  /** @param isStored moments of these steps were performed by an earlier program. */
  constructor(moments: readonly Moment[], isStored: (moment: Moment) => boolean, tools: Tools) {
    this.#moments = moments.filter((moment) => !isStored(moment));
    this.#lengthMs = moments.at(-1)?.atMs ?? 0;
    this.#tools = tools;
    const isBegun = this.#moments.length < moments.length;
    this.#atMs = isBegun ? (this.#moments[0]?.atMs ?? this.#lengthMs) : 0;
  }

  state(): Playing {
    return {
      isPlaying: this.#timer !== null,
      speed: this.#speed,
      atMs: this.#atMs,
      lengthMs: this.#lengthMs,
      problem: this.#problem,
    };
  }

  get isOver(): boolean {
    return this.#next >= this.#moments.length;
  }

  /** @param speed seconds of the recording in one second. */
  play(speed: number): void {
    this.#speed = speed;
    this.#problem = null;
    if (this.#timer !== null || this.isOver) return this.#tools.onChange();
    this.#tickedMs = this.#tools.clock.monotonicMs();
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#timer.unref();
    this.#tools.onChange();
  }

  pause(): void {
    this.#halt();
    this.#tools.onChange();
  }

  /** Stores everything that is left without telling it one by one. Resolves when it is done; the engine answers meanwhile. */
  async toEnd(): Promise<void> {
    this.#halt();
    for (let moment = this.#moments[this.#next]; moment !== undefined; moment = this.#moments[this.#next]) {
      this.#next += 1;
      this.#atMs = moment.atMs;
      if (moment.happening.kind === 'tell') continue;
      this.#tools.perform(moment.happening);
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      }); // a commit takes milliseconds; others wait no longer than that
    }
    this.#atMs = this.#lengthMs;
    this.#tools.onChange();
  }

  #tick(): void {
    const nowMs = this.#tools.clock.monotonicMs();
    // A machine that stood still does not make up for it at once: that would be one long burst.
    this.#atMs = Math.min(
      this.#lengthMs,
      this.#atMs + Math.min(nowMs - this.#tickedMs, LONGEST_TICK_MS) * this.#speed,
    );
    this.#tickedMs = nowMs;
    for (
      let moment = this.#moments[this.#next];
      moment !== undefined && moment.atMs <= this.#atMs;
      moment = this.#moments[this.#next]
    ) {
      try {
        this.#tools.perform(moment.happening);
      } catch (error) {
        // A full disk stops the replay, not the engine; playing on tries the same moment again.
        this.#problem = error instanceof Error ? error.message : String(error);
        this.#halt();
        return this.#tools.onChange();
      }
      this.#next += 1;
    }
    if (!this.isOver) return;
    this.#halt();
    this.#atMs = this.#lengthMs;
    this.#tools.onChange();
  }

  #halt(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

/** Told moments name their step; all others are performed by kind. */
export const belongsTo = (moment: Moment, committed: ReadonlyMap<string, number>): boolean => {
  const place = stepOf(moment);
  return place !== null && place.step <= (committed.get(place.runId) ?? 0);
};
