import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Failure, withNeeded, type CheckpointRecord, type LiveEvent } from '../contract/index.ts';
import { asFileFailure, type LabFolder, type RunFolder } from '../library/index.ts';
import { BACKUP_FOLDER, type Lab } from '../store/index.ts';

export type StorageServices = {
  store: Lab;
  lab: LabFolder;
  /** Whether the run is at work or waits in the queue. */
  isActive: (runId: string) => boolean;
  emit: (event: LiveEvent) => void;
};

/**
 * Checkpoints that neither the run's continuation nor a person needs: all but the first, the newest of each weight set, those asked to be
 * kept, and those that one of these goes on from.
 */
export function droppableCheckpoints(
  { store }: Pick<StorageServices, 'store'>,
  runId: string,
): CheckpointRecord[] {
  const all = store.listCheckpoints(runId);
  const wished = keptSteps(store, runId);
  const newest = new Set([...Map.groupBy(all, ({ role }) => role).values()].map((own) => own.at(-1)));
  const staying = all.filter((one) => one.step === 0 || newest.has(one) || wished.has(one.step));
  const needed = withNeeded(all, staying, store.listStagedSteps(runId));
  return all.filter((one) => !needed.has(one));
}

/**
 * Lets a run's intermediate checkpoints go; records, metrics and evaluations stay. The database is told before files go.
 * @returns how many went. @throws Failure `runAtWork` (exit code 2).
 */
export function dropCheckpoints(services: StorageServices, runId: string): number {
  const run = services.store.requireRun(runId);
  if (services.isActive(runId))
    throw new Failure(
      'runAtWork',
      `Run "${run.config.name}" is at work or queued and needs its checkpoints; stop it first.`,
      2,
    );
  services.store.requireAllSteps(runId);
  const folder = services.lab.run(run.folder);
  const dropped = droppableCheckpoints(services, runId);
  try {
    for (const { step, role } of dropped) {
      services.store.markCheckpointPruned(runId, step, role);
      rmSync(folder.checkpoint(step), { recursive: true, force: true });
    }
    removeStrays(services.store, runId, folder);
  } catch (error) {
    throw asFileFailure(error, `The checkpoints of run "${run.config.name}"`);
  }
  for (const what of ['lab', 'runs']) services.emit({ kind: 'changed', what, runId });
  return dropped.length;
}

/** What a deletion that was cut off after the database was told left of checkpoints goes. @throws what the system says. */
export function removeStrays(store: Lab, runId: string, { checkpoints, checkpoint }: RunFolder): void {
  if (!existsSync(checkpoints)) return;
  const known = new Set(store.listCheckpoints(runId).map(({ step }) => basename(checkpoint(step))));
  for (const name of readdirSync(checkpoints)) {
    if (!known.has(name)) rmSync(join(checkpoints, name), { recursive: true, force: true });
  }
}

const KEPT = 'checkpoint.kept';

/**
 * Steps whose checkpoints a person asked to keep, or an earlier version's backup needs that is still in the lab's folder. The chain of
 * events holds the wish, so that it outlives the program.
 */
export function keptSteps(store: Lab, runId: string): ReadonlySet<number> {
  return new Set(
    store
      .eventsOfKind(runId, KEPT)
      .map(({ body }) => body as { step: number; backup?: string })
      .filter(({ backup }) => backup === undefined || existsSync(join(store.folder, BACKUP_FOLDER, backup)))
      .map(({ step }) => step),
  );
}

/**
 * Keeps the checkpoint of a run's newest committed step for good: it is never pruned. A step saves its weights at its end, so in
 * the middle of one there is nothing newer to keep.
 * @throws Failure `noCheckpoint` when no step is stored yet.
 */
export function keepNewest(store: Lab, runId: string): CheckpointRecord {
  const newest = store.listCheckpoints(runId).at(-1);
  if (newest === undefined || newest.step === 0) {
    throw new Failure(
      'noCheckpoint',
      `Run "${runId}" has no step stored yet, so there is no checkpoint to keep; its first one comes with the end of step 1.`,
      2,
    );
  }
  if (!keptSteps(store, runId).has(newest.step)) store.appendEvent(runId, KEPT, { step: newest.step });
  return newest;
}
