import type { LiveEvent, ProgressStage } from '../../contract/index.ts';
import { recordHead, reviewHead } from '../../live/index.ts';
import type { RecordedEvaluation, RecordedStep, Recording } from './recording.ts';
import type { Clock } from '../../core/index.ts';

/** Something that happened in the recording: emitted, stored, or a run's beginning or end. */
export type ReplayEvent =
  | { kind: 'begin'; runId: string }
  | { kind: 'emit'; live: LiveEvent }
  | { kind: 'commit'; step: RecordedStep }
  | { kind: 'end'; runId: string }
  | { kind: 'evaluation'; evaluation: RecordedEvaluation };

/** `atMs` counts from the beginning of the recording. */
export type Moment = { atMs: number; event: ReplayEvent };

/** Which step of which run a moment belongs to; null for what belongs to none. Moments of stored steps are not played again. */
export const stepOf = ({ event }: Moment): { runId: string; step: number } | null => {
  if (event.kind === 'commit') return { runId: event.step.runId, step: event.step.commit.step.step };
  if (event.kind !== 'emit') return null;
  const { live } = event;
  if (live.kind === 'progress') return { runId: live.runId, step: live.step };
  if (live.kind === 'record') return { runId: live.runId, step: live.record.step };
  return live.kind === 'review' ? { runId: live.runId, step: live.review.step } : null;
};

/** Everything of a recording in the order in which it happened. Ties keep the order of the pieces: a step's events before its commit. */
export function timelineOf(recording: Recording): { beganMs: number; moments: Moment[]; lengthMs: number } {
  const starts = recording.steps.map(({ commit }) => Date.parse(commit.step.startedAt));
  const beganMs = Math.min(...recording.runs.map(({ createdAt }) => Date.parse(createdAt)), ...starts);
  const moments: Moment[] = [];
  for (const { id, createdAt, config } of recording.runs) {
    const own = recording.steps.filter(({ runId }) => runId === id);
    moments.push({ atMs: Date.parse(createdAt) - beganMs, event: { kind: 'begin', runId: id } });
    for (const step of own) moments.push(...momentsOfStep(step, config.steps, beganMs));
    const last = own.at(-1);
    if (last !== undefined)
      moments.push({
        atMs: Date.parse(last.commit.step.finishedAt) - beganMs,
        event: { kind: 'end', runId: id },
      });
  }
  for (const evaluation of recording.evaluations)
    moments.push({
      atMs: Math.max(0, Date.parse(evaluation.finishedAt) - beganMs),
      event: { kind: 'evaluation', evaluation },
    });
  moments.sort((a, b) => a.atMs - b.atMs);
  return { beganMs, moments, lengthMs: moments.at(-1)?.atMs ?? 0 };
}

/**
 * The moments of one step. Reviews carry their time; of records only the step's generation time is stored, so they are spread
 * evenly over it, as a continuous batch hands them out.
 */
function momentsOfStep(recorded: RecordedStep, steps: number, beganMs: number): Moment[] {
  const { runId, commit } = recorded;
  const { step, startedAt, finishedAt, timings } = commit.step;
  const from = Date.parse(startedAt) - beganMs;
  const to = Date.parse(finishedAt) - beganMs;
  const within = (ms: number): number => Math.min(Math.max(ms, from), to);
  const generating = 1000 * ((timings['prompts'] ?? 0) + (timings['gen'] ?? 0));
  const estimating = 1000 * (timings['estimate'] ?? 0);
  const progress = (atMs: number, stage: ProgressStage, done: number, total: number): Moment => ({
    atMs: within(atMs),
    event: {
      kind: 'emit',
      live: {
        kind: 'progress',
        runId,
        step,
        steps,
        stage,
        done,
        total,
        unit: 'step',
        ratePerSecond: null,
        etaSeconds: null,
      },
    },
  });
  const trained = commit.rollouts.filter(({ purpose }) => purpose !== 'estimate');
  const records = trained.flatMap((rollout, index): Moment[] => {
    const atMs = within(from + (generating * (index + 1)) / trained.length);
    return [
      { atMs, event: { kind: 'emit', live: { kind: 'record', runId, record: recordHead(rollout) } } },
      progress(atMs, 'generate', index + 1, trained.length),
    ];
  });
  const reviews = commit.reviews.map((review): Moment => ({
    atMs: within(Date.parse(review.createdAt) - beganMs),
    event: { kind: 'emit', live: { kind: 'review', runId, review: reviewHead(review) } },
  }));
  return [
    progress(from, 'generate', 0, trained.length),
    ...records,
    ...reviews,
    progress(from + generating, 'estimate', 0, 1),
    progress(from + generating + estimating, 'update', 0, 1),
    { atMs: to, event: { kind: 'commit', step: recorded } },
  ];
}

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

type Tools = { clock: Clock; apply: (event: ReplayEvent) => void; onChange: () => void };

/** Plays moments at a multiple of the time they took. It holds no data: what was performed is in the lab that `apply` writes to. */
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
  #isClosed = false;

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

  /** For good, also on its way to the end: what is performed after it goes into another database. */
  close(): void {
    this.#halt();
    this.#isClosed = true;
  }

  /** Stores everything that is left without telling it one by one. Resolves when it is done or closed; the engine answers meanwhile. */
  async toEnd(): Promise<void> {
    this.#halt();
    for (let moment = this.#moments[this.#next]; moment !== undefined; moment = this.#moments[this.#next]) {
      this.#next += 1;
      this.#atMs = moment.atMs;
      if (moment.event.kind === 'emit') continue;
      this.#tools.apply(moment.event);
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      }); // a commit takes milliseconds; others wait no longer than that
      if (this.#isClosed) return;
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
        this.#tools.apply(moment.event);
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
