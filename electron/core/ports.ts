import type { Job, JobUnit } from '../contract/index.ts';

/** Wall clock for records and a monotonic one for durations; both come from outside. */
export type Clock = { now(): Date; monotonicMs(): number };

/** The job as the work sees it. Work reads `signal` often and leaves nothing half-written when it aborts. */
export type JobHandle = {
  readonly id: string;
  readonly signal: AbortSignal;
  /** Sets how much there is to do, in the job's unit. */
  total(amount: number): void;
  advance(by: number): void;
  /** Units of which the first half is done; their second half is for `advance`. */
  generated(by: number): void;
  /** Units done of which a model decided; `advance` counts them too. */
  judged(by: number): void;
  /** Sets how much is done, for work that counts by itself. */
  at(done: number): void;
  /** Units that an earlier attempt has done: shown like the rest, and no part of what this one's rate goes by. */
  found(units: FoundUnits): void;
};

/** What was done before, counted as `advance`, `generated` and `judged` count; without `generated` the units have no halves. */
export type FoundUnits = { done: number; generated?: number; judged?: number };

export type JobRequest = {
  kind: string;
  title: string;
  unit: JobUnit;
  total?: number;
  /** Begun by the engine itself: it takes no place of those that a person may ask for. */
  isOwn?: boolean;
  /** What a person is told after cancelling, where the work keeps what it has done. */
  keeps?: string;
};

/** Work in the background that a person asked for; the engine provides it. */
export type JobRunner = {
  /** Starts work and returns at once. @throws Failure `tooManyJobs` (exit code 2). */
  start<T>(request: JobRequest, work: (job: JobHandle) => Promise<T>): Job;
  list(): Job[];
  /** What a finished job came to; null while it runs, after it failed, or when it is long gone. */
  resultOf<T>(id: string): T | null;
};
