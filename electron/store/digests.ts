import { createHash } from 'node:crypto';
import type {
  CheckpointRecord,
  ContextRecord,
  EvaluationRecord,
  ModelRecord,
  StepCommit,
  TaskRecord,
} from '../contract/index.ts';
import { canonicalJson } from '../core/index.ts';

/** C_1, the seed tasks and the checkpoint of the untouched weights: what a run starts from. */
export type InitialState = { context: ContextRecord; tasks: TaskRecord[]; checkpoint: CheckpointRecord };

/** SHA-256 over records in order, one canonical JSON line each. Equal digest means equal data, whatever the file layout. */
export function recordsSha256(domain: string, records: Iterable<unknown>): string {
  const hash = createHash('sha256').update(`${domain}\n`);
  for (const record of records) hash.update(`${canonicalJson(record)}\n`);
  return hash.digest('hex');
}

/** Attested by the `step.committed` event, so that a changed byte in any record of the step shows (Lab.verifyRecords). */
export function stepCommitSha256(commit: StepCommit): string {
  return recordsSha256('anchor-step-records-v1', [
    commit.step,
    ...commit.tasks,
    ...commit.rollouts,
    ...commit.reviews,
    ...commit.summaries,
    commit.nextContext,
    commit.checkpoint,
  ]);
}

/** Attested by the `run.initialised` event. */
export function initialStateSha256(initial: InitialState): string {
  return recordsSha256('anchor-initial-records-v1', [initial.context, ...initial.tasks, initial.checkpoint]);
}

/** Attested by the `run.created` event. Of the configuration as it was stored: later programs may know more settings than it names. */
export function runConfigSha256(config: unknown): string {
  return recordsSha256('anchor-run-config-v1', [config]);
}

/** Attested by the `evaluation.stored` event. */
export function evaluationSha256(record: EvaluationRecord): string {
  return recordsSha256('anchor-evaluation-v1', [record]);
}

/** Attested by the `model.stored` event. */
export function modelSha256(record: ModelRecord): string {
  return recordsSha256('anchor-model-v1', [record]);
}
