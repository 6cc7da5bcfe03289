import { createHash } from 'node:crypto';
import { ONLY_STAGE, POLICY_ROLE } from '../../contract/index.ts';
import type {
  CheckpointRecord,
  ContextRecord,
  EvaluationRecord,
  FrameworkName,
  ModelRecord,
  StepCommit,
  StepRecord,
  TaskRecord,
} from '../../contract/index.ts';
import { canonicalJson } from '../../core/index.ts';

/** C_1, the seed tasks and a checkpoint of the untouched weights for each weight set: what a run starts from. */
export type InitialState = { context: ContextRecord; tasks: TaskRecord[]; checkpoints: CheckpointRecord[] };

/** SHA-256 over records in order, one canonical JSON line each. Equal digest means equal data, whatever the file layout. */
export function recordsSha256(domain: string, records: Iterable<unknown>): string {
  const hash = createHash('sha256').update(`${domain}\n`);
  for (const record of records) hash.update(`${canonicalJson(record)}\n`);
  return hash.digest('hex');
}

/** A digest with facts of the row that it does not cover; without such facts the digest itself, as the first events have it. */
export const attestedText = (sha256: string, facts: Record<string, unknown>): string =>
  Object.keys(facts).length === 0 ? sha256 : canonicalJson({ sha256, ...facts });

/** Instead of a digest, where columns that repeat others differ from them: no event names it. */
export const CONTRADICTS = 'it contradicts itself';

/** Stage, iteration and role enter a digest only where they are not what every step had before they were stored. */
function attestedStep({ stage, iteration, role, ...step }: StepRecord, framework: FrameworkName): unknown {
  return {
    ...step,
    ...(stage === ONLY_STAGE[framework] ? {} : { stage }),
    ...(iteration === 1 ? {} : { iteration }),
    ...(role === POLICY_ROLE ? {} : { role }),
  };
}

const attestedCheckpoint = ({ role, ...checkpoint }: CheckpointRecord): unknown =>
  role === POLICY_ROLE ? checkpoint : { ...checkpoint, role };

/** Attested by the `step.committed` event, so that a changed byte in any record of the step shows (Lab.checkIntegrity). */
export function stepCommitSha256(commit: StepCommit, framework: FrameworkName): string {
  return recordsSha256('anchor-step-records-v1', [
    attestedStep(commit.step, framework),
    ...commit.tasks,
    ...commit.rollouts,
    ...commit.reviews,
    ...commit.summaries,
    ...commit.wordings,
    commit.nextContext,
    commit.checkpoint === null ? null : attestedCheckpoint(commit.checkpoint),
    // Steps without such records have the digest they had before there were any; none and an empty list are stored alike.
    ...((commit.generations?.length ?? 0) === 0 ? [] : [commit.generations]),
  ]);
}

/** The order in which the checkpoints of one step are stored and attested. */
export const byRole = (checkpoints: readonly CheckpointRecord[]): CheckpointRecord[] =>
  checkpoints.toSorted((left, right) => (left.role < right.role ? -1 : 1));

/** Attested by the `run.initialised` event. */
export function initialStateSha256(initial: InitialState): string {
  return recordsSha256('anchor-initial-records-v1', [
    initial.context,
    ...initial.tasks,
    ...byRole(initial.checkpoints).map(attestedCheckpoint),
  ]);
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
