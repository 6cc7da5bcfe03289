import { closeSync, openSync, readFileSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { z } from 'zod';

/** Beside the database while nobody has it open for writing. */
const noteOf = (file: string): string => `${file}.sums`;

/** 256 pages. */
const PIECE_BYTES = 1024 * 1024;
/** A third of a second's reading; a larger database is left to the checks that a person asks for. */
const MOST_BYTES = 512 * 1024 * 1024;

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

/**
 * Whether a closed database is another one than was noted; false where nothing was. Of one that is the same the note is taken away, since it
 * is about to be written to; that of another one stays until it was checked.
 */
export function isChangedSinceNoted(file: string): boolean {
  try {
    const noted = noteSchema.safeParse(JSON.parse(readFileSync(noteOf(file), 'utf8')) as unknown);
    if (noted.success && isSmall(file)) {
      const { bytes, sums } = sumsOf(file);
      if (bytes !== noted.data.bytes || sums.some((sum, at) => sum !== noted.data.sums[at])) return true;
    }
  } catch {
    // There is no note, or half of one.
  }
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
