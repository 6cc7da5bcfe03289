import { z } from 'zod';
import { sha256Schema, shortNameSchema } from '../names.ts';

export const checkpointRecordSchema = z.strictObject({
  step: z.int().nonnegative(),
  /** The weight set it holds. */
  role: shortNameSchema,
  version: z.int(),
  folder: z.string(),
  weightsSha256: sha256Schema,
  bytes: z.int(),
  files: z.array(z.strictObject({ path: z.string(), bytes: z.int(), sha256: sha256Schema })),
});
export type CheckpointRecord = z.infer<typeof checkpointRecordSchema>;

const MOMENTS_FILE = 'optimizer.safetensors';

/** Whether a checkpoint has the optimizer's moments; the first of a run was never updated and has them, or needs none. */
export const hasMoments = ({ step: at, files }: Pick<CheckpointRecord, 'step' | 'files'>): boolean =>
  at === 0 || files.some(({ path }) => path.endsWith(MOMENTS_FILE));

/**
 * The checkpoint whose moments training goes on from at `of`: itself, or the last before it that has them, from which the updates that
 * `of` holds are repeated. It has to stay as long as `of` does.
 * @param all the kept ones of the run, oldest first
 */
export const momentsOf = <Kept extends Pick<CheckpointRecord, 'step' | 'role' | 'files'>>(
  all: readonly Kept[],
  of: Kept,
): Kept | undefined => all.findLast((one) => one.role === of.role && one.step <= of.step && hasMoments(one));

/** A step as far as it says which weights it trained, and in which stage. */
export type TrainedStep = { step: number; stage: string; iteration: number; role: string };

/**
 * The checkpoint that the stage of `of` began from, which its KL term may be measured against: where the same weights stood before the first
 * step of that stage in that round of the schedule. It has to stay as long as `of` does.
 * @param all the kept ones of the run @param steps those that trained, oldest first
 */
export function stageStartOf<Kept extends Pick<CheckpointRecord, 'step' | 'role'>>(
  all: readonly Kept[],
  of: Kept,
  steps: readonly TrainedStep[],
): Kept | undefined {
  const own = steps.filter(({ role, step: at }) => role === of.role && at <= of.step);
  const last = own.at(-1);
  const before = own.findLast((one) => one.stage !== last?.stage || one.iteration !== last.iteration);
  return all.find(({ role, step: at }) => role === of.role && at === (before?.step ?? 0));
}

/** Checkpoints with all others that they need: those with their moments, and those their stages began from. @param steps see `stageStartOf`; none where no KL term is measured against the start of a stage. */
export function withNeeded<Kept extends Pick<CheckpointRecord, 'step' | 'role' | 'files'>>(
  all: readonly Kept[],
  staying: readonly Kept[],
  steps: readonly TrainedStep[],
): ReadonlySet<Kept> {
  const needed = staying.flatMap((one) => [
    one,
    momentsOf(all, one),
    steps.length === 0 ? undefined : stageStartOf(all, one, steps),
  ]);
  return new Set(needed.filter((one) => one !== undefined));
}
