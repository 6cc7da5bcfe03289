import type { LiveEvent, SandboxConfig } from '../contract/index.ts';
import type { Clock, JobRunner } from '../core/index.ts';
import type { ResourcePaths } from '../library/index.ts';
import type { Trainer } from '../models/index.ts';
import type { RunnerClient } from '../processes/index.ts';
import type { Lab } from '../store/index.ts';

/** What evaluations work with; the engine provides it. */
export type EvaluationServices = {
  store: Lab;
  resources: ResourcePaths;
  lab: { root: string; logs: string; run: (folder: string) => { checkpoint: (step: number) => string } };
  children: {
    runner: (sandbox: SandboxConfig) => Promise<RunnerClient>;
    withTrainer: <T>(purpose: string, threads: number, use: (trainer: Trainer) => Promise<T>) => Promise<T>;
  };
  clock: Clock;
  jobs: Pick<JobRunner, 'start'>;
  /** Sends an event to everyone who follows the lab. */
  emit: (event: LiveEvent) => void;
};
