import { Failure, type Job, type LiveEvent } from '../contract/index.ts';
import { asDiskFailure } from '../library/index.ts';
import type { Clock, JobHandle, JobRequest, JobRunner } from '../core/index.ts';
import { Pace, PaceOfHalves, standing } from './pace.ts';

/** What a person asks for may take minutes; more than this at once would only make each slower. */
const MOST_AT_ONCE = 4;
/** Ended jobs whose result can still be asked for. */
const KEPT_ENDED = 40;
/** A window repaints at most ten times a second; a job of millions of small advances must not flood it. */
const EMIT_EVERY_MS = 250;
/** A job that does not advance is looked at this often, so that what it was said to take does not stay on the screen. */
const LOOK_EVERY_MS = 1000;

type Entry = { job: Job; isOwn: boolean; stop: AbortController; result: unknown; ended: Promise<void> };

/**
 * Work that takes longer than a moment: emitted live, listed, cancelled by id. Jobs live as long as the engine; whatever lasts is
 * written by the work itself when it is complete.
 */
export class Jobs implements JobRunner {
  readonly #entries = new Map<string, Entry>();
  readonly #emit: (event: LiveEvent) => void;
  readonly #clock: Clock;
  #next = 1;

  constructor(emit: (event: LiveEvent) => void, clock: Clock) {
    this.#emit = emit;
    this.#clock = clock;
  }

  start<T>(
    {
      kind,
      title,
      unit,
      total = 0,
      isOwn = false,
      keeps = 'It was cancelled; nothing was kept of it.',
    }: JobRequest,
    work: (handle: JobHandle) => Promise<T>,
  ): Job {
    const asked = this.#running().filter((entry) => !entry.isOwn);
    if (!isOwn && asked.length >= MOST_AT_ONCE) {
      throw new Failure(
        'tooManyJobs',
        `${MOST_AT_ONCE} jobs are running already (${asked
          .map(({ job }) => job.title)
          .join('; ')}); wait for one to end, or cancel it.`,
        2,
      );
    }
    const job: Job = {
      id: `job-${this.#next++}`,
      kind,
      title,
      unit,
      state: 'running',
      done: 0,
      total,
      ratePerSecond: null,
      etaSeconds: null,
      problem: null,
    };
    const stop = new AbortController();
    const entry: Entry = { job, isOwn, stop, result: undefined, ended: Promise.resolve() };
    this.#entries.set(job.id, entry);
    this.#emit({ kind: 'job', job: { ...job } });
    entry.ended = this.#drive(entry, work, keeps);
    return { ...job };
  }

  /** Whether work goes on that a person or a program asked for. */
  isAsked(): boolean {
    return this.#running().some(({ isOwn }) => !isOwn);
  }

  /** Running ones first, then the ended ones, newest first. */
  list(): Job[] {
    const all = [...this.#entries.values()].map(({ job }) => ({ ...job })).toReversed();
    return [
      ...all.filter(({ state }) => state === 'running'),
      ...all.filter(({ state }) => state !== 'running'),
    ];
  }

  resultOf<T>(id: string): T | null {
    const entry = this.#entries.get(id);
    return entry?.job.state === 'done' ? (entry.result as T) : null;
  }

  /** Resolves with the job once it has ended. @throws Failure `unknownJob` (exit code 2). */
  async ended(id: string): Promise<Job> {
    const entry = this.#require(id);
    await entry.ended;
    return { ...entry.job };
  }

  /** Asks a job to stop; one that has ended stays as it is. @throws Failure `unknownJob` (exit code 2). */
  cancel(id: string): void {
    this.#require(id).stop.abort();
  }

  /** Cancels what is running and waits until each has cleaned up. */
  async close(): Promise<void> {
    const running = this.#running();
    for (const { stop } of running) stop.abort();
    await Promise.all(running.map(({ ended }) => ended));
  }

  async #drive<T>(entry: Entry, work: (handle: JobHandle) => Promise<T>, onCancel: string): Promise<void> {
    const { job, stop } = entry;
    const pace = new Pace();
    const halves = new PaceOfHalves();
    let told: Job = { ...job };
    let toldMs = -Infinity;
    let reached = { units: 0, ms: this.#clock.monotonicMs() };
    const measure = (): number => {
      const nowMs = this.#clock.monotonicMs();
      const { generated, done, total } = job;
      const units = done + (generated ?? 0);
      if (units !== reached.units) reached = { units, ms: nowMs };
      const measured =
        generated === undefined
          ? pace.at(nowMs / 1000, done, total)
          : halves.at(nowMs / 1000, { generated, done, total });
      Object.assign(job, standing(measured, (nowMs - reached.ms) / 1000));
      return nowMs - toldMs;
    };
    const tell = (): void => {
      toldMs = this.#clock.monotonicMs();
      told = { ...job };
      this.#emit({ kind: 'job', job: { ...job } });
    };
    const moved = (done: number): void => {
      job.done = job.total > 0 ? Math.min(done, job.total) : done;
      if (measure() >= EMIT_EVERY_MS) tell();
    };
    const looking = setInterval(() => {
      if (measure() >= EMIT_EVERY_MS && isNews(told, job)) tell();
    }, LOOK_EVERY_MS).unref();
    const handle: JobHandle = {
      id: job.id,
      signal: stop.signal,
      total: (amount) => {
        job.total = amount;
        moved(job.done);
      },
      advance: (by) => moved(job.done + by),
      generated: (by) => {
        job.generated = Math.min(job.total, (job.generated ?? 0) + by);
        moved(job.done);
      },
      judged: (by) => {
        job.judged = (job.judged ?? 0) + by;
      },
      at: (done) => moved(done),
      found: ({ done, generated, judged = 0 }) => {
        if (judged > 0) handle.judged(judged);
        if (generated === undefined) pace.found(done);
        else {
          halves.found({ generated, done });
          job.generated = Math.min(job.total, (job.generated ?? 0) + generated);
        }
        moved(job.done + done);
      },
    };
    try {
      entry.result = await work(handle);
      Object.assign(job, { state: 'done', done: Math.max(job.done, job.total) });
    } catch (error) {
      const cancelled = stop.signal.aborted;
      Object.assign(job, {
        state: cancelled ? 'cancelled' : 'failed',
        problem: cancelled ? onCancel : sentenceOf(asDiskFailure(error, `A file of "${job.title}"`)),
      });
    }
    clearInterval(looking);
    Object.assign(job, { ratePerSecond: null, etaSeconds: null });
    this.#forgetOldest();
    this.#emit({ kind: 'job', job: { ...job } });
  }

  #forgetOldest(): void {
    const ended = [...this.#entries.values()].filter(({ job }) => job.state !== 'running');
    for (const { job } of ended.slice(0, Math.max(0, ended.length - KEPT_ENDED)))
      this.#entries.delete(job.id);
  }

  #running(): Entry[] {
    return [...this.#entries.values()].filter(({ job }) => job.state === 'running');
  }

  #require(id: string): Entry {
    const entry = this.#entries.get(id);
    if (entry === undefined)
      throw new Failure(
        'unknownJob',
        `There is no job "${id}" any more; its result may be in the room that started it.`,
        2,
      );
    return entry;
  }
}

/** Whether a job has moved since it was told, or what is said of its pace by a tenth. */
const isNews = (told: Job, now: Job): boolean =>
  told.done !== now.done ||
  told.generated !== now.generated ||
  differ(told.ratePerSecond, now.ratePerSecond) ||
  differ(told.etaSeconds, now.etaSeconds);

const differ = (told: number | null, now: number | null): boolean =>
  told === null || now === null ? told !== now : Math.abs(now - told) > told / 10;

function sentenceOf(error: unknown): string {
  if (error instanceof Failure) return error.message;
  return `It failed unexpectedly: ${error instanceof Error ? error.message : String(error)}`;
}
