import { closeSync, openSync, readFileSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open as openBeside } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { z } from 'zod';

/** Beside the database while nobody has it open for writing. */
const noteOf = (file: string): string => `${file}.sums`;

/** 256 pages. */
const PIECE_BYTES = 1024 * 1024;
/** A second and a half's reading when it is closed; a larger database is left to the checks that a person asks for. */
const MOST_BYTES = 2 * 1024 * 1024 * 1024;

const noteSchema = z.strictObject({ bytes: z.int(), sums: z.array(z.int()) });

/** CRC-32 of each piece: most of a database are texts and numbers, in which SQLite reads a flipped bit without a word. */
function sumsOf(file: string): z.infer<typeof noteSchema> {
  const { size } = statSync(file);
  const sums: number[] = [];
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  const open = openSync(file, 'r');
  try {
    for (let at = 0; at < size; at += PIECE_BYTES)
      sums.push(crc32(piece.subarray(0, readSync(open, piece, 0, PIECE_BYTES, at))));
  } finally {
    closeSync(open);
  }
  return { bytes: size, sums };
}

const isSmall = (file: string): boolean =>
  (statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= MOST_BYTES;

/** Notes what a database holds that was closed with nothing left in its log. Where that cannot be written the next opening knows nothing. */
export function noteSums(file: string): void {
  try {
    const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
    if (!hasLog && isSmall(file)) writeFileSync(noteOf(file), JSON.stringify(sumsOf(file)));
  } catch {
    forgetSums(file);
  }
}

/** What was noted of a database, or null: there is no note, half of one, or the file is too large to have one. */
function noted(file: string): z.infer<typeof noteSchema> | null {
  try {
    const note = noteSchema.safeParse(JSON.parse(readFileSync(noteOf(file), 'utf8')) as unknown);
    return note.success && isSmall(file) ? note.data : null;
  } catch {
    return null;
  }
}

export const isNoted = (file: string): boolean => noted(file) !== null;

/**
 * Whether a closed database is another one than was noted; false where nothing was. Of one that is the same the note is taken away, since it
 * is about to be written to; that of another one stays until it was checked.
 */
export function isChangedSinceNoted(file: string): boolean {
  try {
    const note = noted(file);
    if (note !== null) {
      const { bytes, sums } = sumsOf(file);
      if (bytes !== note.bytes || sums.some((sum, at) => sum !== note.sums[at])) return true;
    }
  } catch {
    // What cannot be read is told by whoever needs it.
  }
  forgetSums(file);
  return false;
}

/** The same, piece by piece beside other work; null once `isStopped` says so. Until it is through nothing may be written to the file. */
export async function isChangedBeside(file: string, isStopped: () => boolean): Promise<boolean | null> {
  try {
    const note = noted(file);
    if (note !== null && statSync(file).size !== note.bytes) return true;
    const handle = await openBeside(file);
    try {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      for (const [at, sum] of (note?.sums ?? []).entries()) {
        const { bytesRead } = await handle.read(piece, 0, PIECE_BYTES, at * PIECE_BYTES);
        if (isStopped()) return null;
        if (crc32(piece.subarray(0, bytesRead)) !== sum) return true;
      }
    } finally {
      await handle.close();
    }
  } catch {
    // see above
  }
  if (isStopped()) return null;
  forgetSums(file);
  return false;
}

/** A note that cannot be taken away costs one check more, no answer. */
export function forgetSums(file: string): void {
  try {
    rmSync(noteOf(file), { force: true });
  } catch {
    // see above
  }
}
