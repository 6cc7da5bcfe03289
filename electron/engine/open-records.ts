import { Failure } from '../contract/index.ts';
import { openLab, type Lab } from '../store/index.ts';
import { useLabFolder } from '../library/lab-folder.ts';

/**
 * The records of a lab without the engine around them, for a command that only reads: it starts in a fraction of the time.
 * The lab is held, migrated and checked exactly as the engine does it; while another program has it open, it is read beside that one.
 */
export async function openRecords(labFolder: string, clock: { now(): Date }): Promise<Lab> {
  const { root } = useLabFolder(labFolder);
  const now = (): Date => clock.now();
  try {
    return await openLab(root, { now });
  } catch (error) {
    if (error instanceof Failure && error.kind === 'labLocked') return openLab(root, { now, readonly: true });
    throw error;
  }
}
