import type {
  CheckpointRecord,
  LiveEvent,
  ProgressStage,
  RewardedPrompt,
  RunRecord,
  RunState,
} from '../contract/index.ts';
import type { SeedRecord } from '../evolution/index.ts';
import type { ResourcePaths, LabFolder, RunFolder } from '../library/index.ts';
import type { Lab } from '../store/index.ts';
import type { Children } from './children.ts';
import type { Jobs } from './jobs.ts';
import type { HumanReviewQueue } from '../reviewing/index.ts';
import type { ProcessMonitor, ResourceMeter } from '../machine/index.ts';
import type { Clock } from '../core/index.ts';

/** What the verbs of an open lab work with. Whoever needs less takes a Pick. */
export type Services = {
  store: Lab;
  resources: ResourcePaths;
  lab: LabFolder;
  /** Where the records and the files of a run are; those of the recorded sample lie apart from the lab's. */
  storeOf: (runId: string) => Lab;
  filesOf: (runId: string) => RunFolder;
  /** Its checkpoints that were made again with other weights than were recorded. */
  remadeOf: (runId: string) => readonly CheckpointRecord[];
  children: Children;
  clock: Clock;
  /** Work in the background that a person asked for. */
  jobs: Jobs;
  /** How the child processes are doing. */
  monitor: ProcessMonitor;
  /** Measures what the machine gives while runs are at work. */
  meter: ResourceMeter;
  /** Where runs put questions to a person. */
  people: HumanReviewQueue;
  seeds: () => readonly SeedRecord[];
  rewardedPrompts: () => readonly RewardedPrompt[];
  /** Folders that exports and conversions are writing: two into one would clear each other's unfinished files. */
  exportsUnderWay: Set<string>;
  /** Whether the run is at work or waits in the queue. */
  isActive: (runId: string) => boolean;
  reportProgress: (runId: string, step: number, stage: ProgressStage, done: number, total: number) => void;
  /** Sends an event to everyone who follows the lab. */
  emit: (event: LiveEvent) => void;
};

/** Stores a run's new state and emits it. */
export function setRunState(
  { store, emit }: Pick<Services, 'store' | 'emit'>,
  runId: string,
  state: RunState,
  reason: string | null,
): RunRecord {
  const run = store.setRunState(runId, state, reason);
  emit({ kind: 'run', runId, state, reason, committedSteps: run.committedSteps });
  return run;
}
