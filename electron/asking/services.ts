import type { LiveEvent } from '../contract/index.ts';
import type { Clock } from '../core/index.ts';
import type { LabFolder, ResourcePaths } from '../library/index.ts';
import type { Trainer } from '../models/index.ts';
import type { Lab } from '../store/index.ts';

/** What asking a model works with; the engine provides it. */
export type AskingServices = {
  store: Lab;
  resources: ResourcePaths;
  lab: LabFolder;
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
