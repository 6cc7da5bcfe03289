import type { CheckpointRecord, LiveEvent } from '../contract/index.ts';
import type { Clock } from '../core/index.ts';
import type { LabFolder, ResourcePaths, RunFolder } from '../library/index.ts';
import type { Trainer } from '../models/index.ts';
import type { Lab } from '../store/index.ts';

/** What asking a model works with; the engine provides it. */
export type AskingServices = {
  store: Lab;
  resources: ResourcePaths;
  lab: LabFolder;
  /** Where the records and the files of a run are; those of the recorded sample lie apart from the lab's. */
  storeOf: (runId: string) => Lab;
  filesOf: (runId: string) => RunFolder;
  /** Its checkpoints that were made again with other weights than were recorded. */
  remadeOf: (runId: string) => readonly CheckpointRecord[];
  children: {
    withTrainer: <T>(
      purpose: string,
      threads: number,
      use: (trainer: Trainer) => Promise<T>,
      attempts?: number,
    ) => Promise<T>;
  };
  clock: Clock;
  /** Sends an event to everyone who follows the lab. */
  emit: (event: LiveEvent) => void;
  /** Runs at work and waiting. */
  activity: () => { atWork: string[] };
};
