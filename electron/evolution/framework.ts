import type { z } from 'zod';
import type { CodeTaskType, FrameworkName, OwnSettings, RunConfig, TaskRecord } from '../contract/index.ts';
import type { PromptPack } from '../library/index.ts';
import type { RunnerClient } from '../processes/index.ts';
import type { SeedRecord } from './azr/index.ts';
import type { RunInProgress } from './in-progress.ts';
import type { PlannedRollout } from './stages/planned-rollout.ts';

export type Beginning = {
  /** Rows of the seed file that comes with the application; read when asked for. */
  seeds: () => readonly SeedRecord[];
  runner: RunnerClient;
  signal: AbortSignal;
  /** Told while many tasks are run before the first step. */
  onChecked: (done: number, total: number) => void;
};

/** A batch of a step before anything is drawn for it. */
export type BatchSize = { purpose: 'propose' | 'solve'; taskType: CodeTaskType; size: number };

/** Which draw of a prompt this is, 1 being the first repetition; with `lastResort` the prompt should become as short as it can. */
export type Redraw = { number: number; lastResort: boolean };

/**
 * A framework of self-evolution: which tasks a run begins with and which prompts a step trains on. Everything after the prompts
 * is the same for all (see step.ts): what is proposed is validated and estimated, what is solved verified, everything reviewed,
 * rewarded and trained on.
 */
export interface Framework {
  readonly name: FrameworkName;
  /** Reads `frameworkSettings`; paths come out absolute. */
  readonly settings: z.ZodType<OwnSettings>;
  /** Tasks of step 0. @throws Failure (exit code 2) when what the settings name cannot be used, and the signal's reason on abort. */
  begin(config: RunConfig, beginning: Beginning): Promise<TaskRecord[]>;
  /** The batches of every step and how many prompts each has; rated ones apart. `draw` gives just these. */
  batches(config: RunConfig): BatchSize[];
  /** The prompts of a step; rated ones apart, which the pipeline adds. A function of the run's state alone. */
  draw(run: RunInProgress, pack: PromptPack): PlannedRollout[];
  /** Another prompt for the place of one that was too long. */
  drawAgain(run: RunInProgress, pack: PromptPack, entry: PlannedRollout, redraw: Redraw): PlannedRollout;
}
