import { Failure, type LiveEvent, type RunRecord, type RunState } from '../contract/index.ts';
import type { Clock, PressureItem, SeedRecord } from '../evolution/index.ts';
import type { ResourcePaths } from '../library/index.ts';
import type { Lab } from '../store/index.ts';
import type { Children } from './children.ts';
import type { LabFolder } from './lab-folder.ts';
import type { PersonDesk } from './reviewing/person-desk.ts';
import type { ResourceMeter } from './watching/resource-meter.ts';

/** What the engine's verbs work with. */
export type RunWorld = {
  store: Lab;
  resources: ResourcePaths;
  lab: LabFolder;
  children: Children;
  clock: Clock;
  /** Where runs put questions to a person. */
  people: PersonDesk;
  seeds: () => readonly SeedRecord[];
  pressure: () => readonly PressureItem[];
  onProgress: (runId: string, step: number, stage: string, done: number, total: number) => void;
  /** Measures what the machine gives while runs are at work. */
  meter: ResourceMeter;
  /** Tells whoever watches. */
  tell: (event: LiveEvent) => void;
};

/** @throws Failure `unknownRun` (exit code 2). */
export function requireRun(store: Lab, runId: string): RunRecord {
  const run = store.getRun(runId);
  if (run === null)
    throw new Failure('unknownRun', `There is no run "${runId}" in this lab; "anchor runs" lists them.`, 2);
  return run;
}

/** Stores a run's new state and tells whoever watches. */
export function setRunState(
  { store, tell }: Pick<RunWorld, 'store' | 'tell'>,
  runId: string,
  state: RunState,
  reason: string | null,
): RunRecord {
  const run = store.setRunState(runId, state, reason);
  tell({ kind: 'run', runId, state, reason, committedSteps: run.committedSteps });
  return run;
}
