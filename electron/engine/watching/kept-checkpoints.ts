import { Failure, type CheckpointRecord } from '../../contract/index.ts';
import type { Lab } from '../../store/index.ts';

const KEPT = 'checkpoint.kept';

/** Steps whose checkpoints a person asked to keep. The chain of events holds the wish, so that it outlives the program. */
export function keptSteps(store: Lab, runId: string): ReadonlySet<number> {
  return new Set(store.eventsOfKind(runId, KEPT).map(({ body }) => (body as { step: number }).step));
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
