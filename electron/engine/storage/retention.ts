import { rmSync } from 'node:fs';
import { Failure, type CheckpointRecord } from '../../contract/index.ts';
import type { Services } from '../services.ts';
import { keptSteps } from '../watching/kept-checkpoints.ts';
import { requireRun } from '../services.ts';

/** Checkpoints that neither the run's continuation nor a person needs: all but the first, the newest, and those asked to be kept. */
export function droppableCheckpoints({ store }: Services, runId: string): CheckpointRecord[] {
  const all = store.listCheckpoints(runId);
  const wished = keptSteps(store, runId);
  const newest = all.at(-1)?.step;
  return all.filter(({ step }) => step !== 0 && step !== newest && !wished.has(step));
}

/**
 * Lets a run's intermediate checkpoints go; records, metrics and evaluations stay. The database is told before files go.
 * @returns how many went. @throws Failure `runAtWork` (exit code 2).
 */
export function dropCheckpoints(services: Services, runId: string): number {
  const run = requireRun(services.store, runId);
  if (services.isActive(runId))
    throw new Failure(
      'runAtWork',
      `Run "${run.config.name}" is at work or queued and needs its checkpoints; stop it first.`,
      2,
    );
  const folder = services.lab.run(run.folder);
  const dropped = droppableCheckpoints(services, runId);
  for (const { step } of dropped) {
    services.store.markCheckpointPruned(runId, step);
    rmSync(folder.checkpoint(step), { recursive: true, force: true });
  }
  for (const what of ['lab', 'runs']) services.emit({ kind: 'changed', what, runId });
  return dropped.length;
}
