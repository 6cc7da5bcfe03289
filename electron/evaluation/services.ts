import type { CheckpointRecord, LiveEvent, SandboxConfig } from '../contract/index.ts';
import type { Clock, JobRunner } from '../core/index.ts';
import type { ResourcePaths, RunFolder } from '../library/index.ts';
import type { Trainer } from '../models/index.ts';
import type { RunnerClient } from '../processes/index.ts';
import type { Lab } from '../store/index.ts';

/** What evaluations work with; the engine provides it. */
export type EvaluationServices = {
  store: Lab;
  resources: ResourcePaths;
  lab: { root: string; logs: string };
  /** Where the records and the files of a run are; those of the recorded sample lie apart from the lab's. */
  storeOf: (runId: string) => Lab;
  filesOf: (runId: string) => RunFolder;
  /** Its checkpoints that were made again with other weights than were recorded. */
  remadeOf: (runId: string) => readonly CheckpointRecord[];
  children: {
    runner: (sandbox: SandboxConfig) => Promise<RunnerClient>;
    withTrainer: <T>(purpose: string, threads: number, use: (trainer: Trainer) => Promise<T>) => Promise<T>;
  };
  clock: Clock;
  jobs: Pick<JobRunner, 'start'>;
  /** Sends an event to everyone who follows the lab. */
  emit: (event: LiveEvent) => void;
};
