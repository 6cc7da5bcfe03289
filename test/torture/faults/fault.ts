import type { RunConfig } from '../../../electron/contract/index.ts';
import type { Application } from '../engine/application.ts';
import type { Door, Life, What } from '../engine/launch.ts';
import type { ShimSettings } from '../shim/shim.ts';

/** Where one fault takes place. */
export type Stage = {
  /** Lab folder; with `from: 'half'` it holds a run that was paused after step 1 of 2. */
  lab: string;
  application: Application;
  /** Environment that puts the disk shim under a program; `under` is the lab. */
  shim(settings: Omit<ShimSettings, 'under'>): Record<string, string>;
  /** A supervisor that goes wrong in the named way: the program to give as `node`. See supervisor-between.ts. */
  supervisor(behaviour: string): string;
  /** Shell lines for the next trainer, which goes wrong in the named way. See faulty_trainer.py. */
  trainer(behaviour: string): string;
  /** Folder of the run in the lab (`from: 'half'` only). */
  run(): string;
};

/** How the run is driven while the fault is there. */
export type Conduct = {
  environment?: Record<string, string>;
  node?: string;
  door?: Door;
  what?: (what: What) => What;
  /** Acts while the engine works. */
  during?: (life: Life) => Promise<void>;
  /** Undoes what would otherwise last, before the run is continued. */
  repair?: () => void;
};

/**
 * What is promised.
 * - goesOn: the run ends by itself as if nothing had happened.
 * - stops: it ends with this sentence, and continued without the fault it ends as if nothing had happened.
 * - refused: continuing is refused with this sentence for as long as the damage is there; nothing is repaired for show.
 * - reviewsFail: the run ends, and its reviews are recorded as not given, with this reason.
 * - noticed: the check of the lab finds it, with this sentence.
 */
export type Outcome =
  | { kind: 'goesOn' }
  | { kind: 'stops' | 'refused' | 'noticed'; sentence: RegExp }
  | { kind: 'reviewsFail'; status: 'failed' | 'skipped-by-budget'; sentence: RegExp };

export type Fault = {
  name: string;
  /** By which means it is brought about. */
  how: string;
  outcome: Outcome;
  /** Part of `npm run test:full`; those that are not wait for a time limit or are alike, and `npm run torture` has them. */
  full?: boolean;
  from?: 'start' | 'half';
  config?: (config: RunConfig) => RunConfig;
  /** Only the superuser can bring it about. */
  root?: boolean;
  arrange(stage: Stage): Conduct;
};
