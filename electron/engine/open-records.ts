import { openLab, type Lab } from '../store/index.ts';
import { useLabFolder } from '../library/lab-folder.ts';

/**
 * The records of a lab without the engine around them, for a command that only reads: it starts in a fraction of the time.
 * The lab is held, migrated and checked exactly as the engine does it, so one program at a time may have it open.
 */
export async function openRecords(labFolder: string, clock: { now(): Date }): Promise<Lab> {
  return openLab(useLabFolder(labFolder).root, { now: () => clock.now() });
}
