import { mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { Failure, type CheckpointRecord } from '../../contract/index.ts';
import { sha256Hex } from '../../core/index.ts';
import { policySettings } from '../../evolution/index.ts';
import { UPDATES_FILE, writeWholeFile, type RunFolder } from '../../library/index.ts';
import type { SavedWeights, Trainer } from '../../models/index.ts';
import type { Recording } from './recording.ts';

/** Of one run, packed, beside the recording. */
export const updatesFileOf = (runId: string): string => `${runId}.updates.br`;

const LARGEST_UPDATES = 256 * 1024 * 1024;

/** @throws Failure `badRecording` when these are not the updates that the run's last checkpoint was stored with. */
function unpackUpdates(packed: Buffer, last: CheckpointRecord): Buffer {
  const { sha256 } = requireUpdates(last);
  try {
    const updates = brotliDecompressSync(packed, { maxOutputLength: LARGEST_UPDATES });
    if (sha256Hex(updates) === sha256) return updates;
  } catch {
    // Told below, like bytes that unpack to something else.
  }
  throw new Failure(
    'badRecording',
    'The updates of the recorded sample are damaged: their SHA-256 is not the one that its run stored. Reinstall the application.',
  );
}

function requireUpdates({ files, step }: CheckpointRecord): CheckpointRecord['files'][number] {
  const found = files.find(({ path }) => basename(path) === UPDATES_FILE);
  if (found === undefined)
    throw new Failure('badRecording', `The checkpoint of step ${step} was recorded without its updates.`);
  return found;
}

/** A run as it was recorded, with what its checkpoints were. */
export type RecordedRun = {
  run: Recording['runs'][number];
  checkpoints: ReadonlyMap<number, CheckpointRecord>;
};

export function recordedRun({ runs, steps }: Recording, runId: string): RecordedRun {
  const run = runs.find(({ id }) => id === runId);
  if (run === undefined) throw new RangeError(`The recording has no run "${runId}".`);
  const own = steps.flatMap(({ runId: of, commit: { checkpoint } }) =>
    of === runId && checkpoint !== null ? [checkpoint] : [],
  );
  return {
    run,
    checkpoints: new Map([...run.initial.checkpoints, ...own].map((one) => [one.step, one])),
  };
}

/** Steps whose checkpoints are made: the first, the last, and those that the run was told to keep. */
export function stepsToMake({ run: { config }, checkpoints }: RecordedRun): number[] {
  const last = Math.max(...checkpoints.keys());
  const { keepEvery } = config.checkpoints;
  return [...checkpoints.keys()]
    .filter((step) => step === 0 || step === last || (keepEvery > 0 && step % keepEvery === 0))
    .sort((a, b) => a - b);
}

type Making = {
  trainer: Trainer;
  /** Folder of the model that the run started from. */ model: string;
  /** Takes the checkpoints; whatever is in it goes. */ folder: RunFolder;
  /** The run's updates, packed. */ packed: Buffer;
  signal: AbortSignal;
  /** An update was repeated, or the first checkpoint is there. */ onStep: () => void;
};

/** Checkpoints that were made again, oldest first, with hashes and sizes of the files that came out here. */
export type MadeCheckpoints = { made: CheckpointRecord[]; areRecorded: boolean };

/**
 * Makes the checkpoints of a recorded run: its updates are applied to the model it started from, once more and in their order, and each
 * step that was kept is saved. On the family of processors it was recorded on, every file has the SHA-256 that the run stored of it;
 * another family rounds otherwise and comes to weights of its own. The folder is the caller's, who deletes it when this fails.
 * @throws Failure `badRecording` where the updates are damaged, `checkpointChanged` where the run started from another model.
 */
export async function makeWeights(recorded: RecordedRun, making: Making): Promise<MadeCheckpoints> {
  const { run, checkpoints } = recorded;
  const { trainer, model, folder, signal, onStep } = making;
  const wanted = new Set(stepsToMake(recorded));
  const last = checkpoints.get(Math.max(...wanted)) as CheckpointRecord;
  const updates = join(folder.root, 'updates');
  rmSync(folder.root, { recursive: true, force: true });
  try {
    mkdirSync(updates, { recursive: true });
    writeWholeFile(join(updates, UPDATES_FILE), unpackUpdates(making.packed, last));
    const first = folder.checkpoint(0);
    const settings = policySettings(run.config, model);
    const start = trainer.weights(settings, { kind: 'model', folder: model, version: 0 }, () => {}, run.id);
    await start.load();
    const recordedFirst = checkpoints.get(0) as CheckpointRecord;
    const made = [asMade(recordedFirst, await start.save(first))];
    requireStart(made[0]!, recordedFirst);
    onStep();
    const point = { kind: 'checkpoint', folder: first, version: 0, moments: first } as const;
    const weights = trainer.weights(policySettings(run.config, first), point, () => {}, run.id);
    await weights.load();
    for (const one of checkpoints.values()) {
      if (one.step === 0) continue;
      signal.throwIfAborted();
      await weights.repeatUpdates(updates, one.version);
      if (wanted.has(one.step))
        made.push(asMade(one, await weights.save(folder.checkpoint(one.step), false)));
      onStep();
    }
    rmSync(updates, { recursive: true, force: true });
    return { made, areRecorded: made.every((one) => isSame(one, checkpoints.get(one.step))) };
  } finally {
    await trainer.unload(run.id).catch(() => {}); // a lost process holds nothing
  }
}

const asMade = (
  recorded: CheckpointRecord,
  { weightsSha256, bytes, files }: SavedWeights,
): CheckpointRecord => ({
  ...recorded,
  weightsSha256,
  bytes,
  files: files.map((file) => ({ ...file, path: basename(file.path) })),
});

function isSame(made: CheckpointRecord, recorded: CheckpointRecord | undefined): boolean {
  const known = new Map(recorded?.files.map(({ path, sha256 }) => [basename(path), sha256]));
  return (
    made.files.length === known.size && made.files.every(({ path, sha256 }) => known.get(path) === sha256)
  );
}

/** Nothing is computed for the first checkpoint, so its weights are the same everywhere. */
function requireStart(made: CheckpointRecord, recorded: CheckpointRecord): void {
  if (made.weightsSha256 === recorded.weightsSha256) return;
  throw new Failure(
    'checkpointChanged',
    'The checkpoints of the sample cannot be made: the embedded policy is not the one it was recorded with. Reinstall the application.',
  );
}
