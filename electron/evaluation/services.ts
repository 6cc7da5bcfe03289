import type { Job, JobUnit, LiveEvent, SandboxConfig } from '../contract/index.ts';
import type { ResourcePaths } from '../library/index.ts';
import type { Trainer } from '../models/index.ts';
import type { RunnerClient } from '../processes/index.ts';
import type { Lab } from '../store/index.ts';

/** A job in the background as its work sees it. */
export type JobHandle = {
  readonly id: string;
  readonly signal: AbortSignal;
  advance: (by: number) => void;
  at: (done: number) => void;
};

/** What evaluations work with; the engine provides it. */
export type EvaluationServices = {
  store: Lab;
  resources: ResourcePaths;
  lab: { root: string; logs: string; run: (folder: string) => { checkpoint: (step: number) => string } };
  children: {
    runner: (sandbox: SandboxConfig) => Promise<RunnerClient>;
    withTrainer: <T>(purpose: string, threads: number, use: (trainer: Trainer) => Promise<T>) => Promise<T>;
  };
  clock: { now: () => Date; monotonicMs: () => number };
  jobs: {
    start: (
      request: { kind: string; title: string; unit: JobUnit; total?: number; keeps?: string },
      work: (job: JobHandle) => Promise<unknown>,
    ) => Job;
  };
  /** Sends an event to everyone who follows the lab. */
  emit: (event: LiveEvent) => void;
};
