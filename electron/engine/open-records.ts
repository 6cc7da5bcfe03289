import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Failure, type FailureKind } from '../contract/index.ts';
import { DATABASE_FILE, openLab, type Lab } from '../store/index.ts';
import { SAMPLE_FOLDER, useLabFolder } from '../library/lab-folder.ts';

export { labHolder } from '../store/index.ts';

/** Why a lab cannot be opened for writing although it may be read. */
const READ_ALL_THE_SAME: readonly FailureKind[] = ['labLocked', 'diskFull', 'readOnly', 'labFolder'];

/**
 * The records of a lab without the engine around them, for a command that only reads: it starts in a fraction of the time.
 * The lab is held, migrated and checked exactly as the engine does it; while another program has it open, it is read beside that one, and
 * on a full disk or in a folder that cannot be written it is read as it stands. `say` takes what a person should know of its folder.
 */
export async function openRecords(
  labFolder: string,
  clock: { now(): Date },
  say: (sentence: string) => void = () => {},
  isReplay = false,
): Promise<Lab> {
  const now = (): Date => clock.now();
  try {
    const { root, access } = useLabFolder(labFolder);
    if (access.told !== null) say(access.told);
    return await openLab(root, { now, isReplay });
  } catch (error) {
    const root = resolve(labFolder);
    const isReadable =
      error instanceof Failure &&
      READ_ALL_THE_SAME.includes(error.kind) &&
      existsSync(join(root, DATABASE_FILE));
    if (!isReadable) throw error;
    return openLab(root, { now, readonly: true, isReplay });
  }
}

/**
 * Opens a lab for work. On a full disk it is held and read all the same, and every write is refused with what `damage` says, so that a run
 * can be looked at and deleted to make room. @throws what opening refuses.
 */
export async function openStore(root: string, now: () => Date): Promise<Lab> {
  try {
    return await openLab(root, { now });
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'diskFull' || !existsSync(join(root, DATABASE_FILE)))
      throw error;
    const refusal = new Failure(
      'diskFull',
      `The disk that holds ${root} is full, so the lab can be read, and runs deleted, but nothing is stored. Free some space and open it again.`,
      1,
      { cause: error },
    );
    return openLab(root, { now, readonly: true, refusal }).catch((unread: unknown) => {
      throw unread instanceof Failure && unread.kind === 'labLocked' ? unread : error;
    });
  }
}

/** The records of the recorded sample, which have a database of their own; null where nobody opened it in this lab. */
export async function openSampleRecords(labFolder: string, clock: { now(): Date }): Promise<Lab | null> {
  const folder = join(resolve(labFolder), SAMPLE_FOLDER);
  return existsSync(join(folder, DATABASE_FILE)) ? openRecords(folder, clock, undefined, true) : null;
}
