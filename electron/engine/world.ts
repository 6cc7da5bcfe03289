import { Failure, type RunRecord } from '../contract/index.ts';
import type { Clock, PressureItem, SeedRecord } from '../evolution/index.ts';
import type { ResourcePaths } from '../library/index.ts';
import type { Lab } from '../store/index.ts';
import type { Children } from './children.ts';
import type { LabFolder } from './lab-folder.ts';

/** What the engine's verbs work with. */
export type RunWorld = {
  store: Lab; resources: ResourcePaths; lab: LabFolder; children: Children; clock: Clock;
  seeds: () => readonly SeedRecord[]; pressure: () => readonly PressureItem[];
  onProgress: (runId: string, step: number, stage: string, done: number, total: number) => void;
};

/** @throws Failure `unknownRun` (exit code 2). */
export function requireRun(store: Lab, runId: string): RunRecord {
  const run = store.getRun(runId);
  if (run === null) throw new Failure('unknownRun', `There is no run "${runId}" in this lab; "anchor runs" lists them.`, 2);
  return run;
}
