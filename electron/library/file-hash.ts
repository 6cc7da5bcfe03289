import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** Hears of every piece that was read, and may stop the reading. */
export type ByteWatch = { onBytes?: (bytes: number) => void; signal?: AbortSignal };

const PIECE_BYTES = 1024 * 1024; // hashing one takes about a millisecond, so that nothing else waits long

/** SHA-256 of a file's bytes, read as a stream so that size does not matter. @throws the signal's reason when it is aborted. */
export async function hashFile(path: string, { onBytes, signal }: ByteWatch = {}): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
    signal?.throwIfAborted();
    hash.update(piece as Buffer);
    onBytes?.((piece as Buffer).length);
  }
  return hash.digest('hex');
}
