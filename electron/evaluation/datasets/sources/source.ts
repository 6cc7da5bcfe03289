import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Failure } from '../../../contract/index.ts';
import { sniff, type Content } from '../../../library/index.ts';

/** A file that rows may be read from: on the disk, or in a zip archive. */
export type SourceFile = {
  /** Below the folder or archive that was chosen, with forward slashes; the file's own name when it was chosen itself. */
  name: string;
  /** As it lies there, in bytes. */
  bytes: number;
  /** Where it lies on the disk; null in an archive. */
  path: string | null;
  /** Its bytes as they lie there (an archive's entry inflated), from the beginning. */
  open: () => Promise<Readable>;
};

export type IgnoredFile = { name: string; why: string };

/** What was found at a path that a person chose. */
export type OpenedPath = { path: string; files: SourceFile[]; ignored: IgnoredFile[]; close: () => void };

export const baseName = (name: string): string => name.slice(name.lastIndexOf('/') + 1);
export const folderName = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf('/')));

/** `onPacked` is called with bytes as they lie in the file, `onBytes` with every unpacked piece. */
export type Watch = {
  signal?: AbortSignal;
  onPacked?: (bytes: number) => void;
  onBytes?: (bytes: Buffer) => void;
};

const PIECE_BYTES = 256 * 1024;
const HEAD_BYTES = 64 * 1024;
/** A file may unpack to this at once; beyond it, to a hundred times its packed size at most. */
const HARMLESS_BYTES = 16 << 20;
const MOST_TIMES = 100;
/** The largest published set has less than a third of it. */
const MOST_BYTES = 16 * 2 ** 30;

/** Why an archive that grows from `packed` to `unpacked` bytes is a bomb; null when it may be read on. */
export function bombIn(packed: number, unpacked: number): string | null {
  if (unpacked > MOST_BYTES) return 'it unpacks to more than 16 GiB';
  return unpacked > HARMLESS_BYTES && unpacked > MOST_TIMES * packed
    ? 'it unpacks to more than a hundred times its size'
    : null;
}

/**
 * The unpacked bytes of a file: as they are, or inflated when it is gzip by its first bytes, whatever it is called.
 * @throws Failure `refused` for a damaged archive or one that unpacks to too much; `missingFile` when it cannot be read.
 */
export async function* unpack(
  file: SourceFile,
  { signal, onPacked = () => {}, onBytes = () => {} }: Watch = {},
): AsyncGenerator<Buffer> {
  const isGzip = await beginsWithGzip(file);
  const raw = await file.open();
  let [packed, unpacked] = [0, 0];
  async function* counted(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      packed += piece.length;
      onPacked(piece.length);
      yield piece;
    }
  }
  const gunzip = isGzip ? createGunzip({ chunkSize: PIECE_BYTES }) : null;
  if (gunzip !== null) pipeline(raw, counted, gunzip).catch(() => {}); // the loop below gets the same error
  try {
    for await (const piece of gunzip === null ? counted(raw) : (gunzip as AsyncIterable<Buffer>)) {
      signal?.throwIfAborted();
      unpacked += piece.length;
      const bomb = isGzip ? bombIn(packed, unpacked) : null;
      if (bomb !== null)
        throw new Failure(
          'refused',
          `${file.name} is refused: ${bomb}. No official file does; take it as it was published.`,
          2,
        );
      onBytes(piece);
      yield piece;
    }
  } catch (error) {
    throw asReadingFailure(error, file, isGzip);
  } finally {
    raw.destroy();
    gunzip?.destroy();
  }
}

function asReadingFailure(error: unknown, { name }: SourceFile, isGzip: boolean): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof Failure || !(error instanceof Error) || error.name === 'AbortError') return error;
  if (isGzip && typeof code === 'string' && (code.startsWith('Z_') || code === 'ERR_BUFFER_TOO_LARGE'))
    return new Failure('refused', `${name} is a damaged or cut-off gzip file; copy it again.`, 2, {
      cause: error,
    });
  return typeof code === 'string'
    ? new Failure(
        'missingFile',
        `${name} could not be read to its end (${code}); check the drive and copy the file again.`,
        2,
        { cause: error },
      )
    : error;
}

async function beginsWithGzip(file: SourceFile): Promise<boolean> {
  const head = await firstBytes(await file.open(), 2);
  return head[0] === 0x1f && head[1] === 0x8b;
}

/** At most `count` first bytes of a stream, which is then closed. */
async function firstBytes(stream: Readable, count: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      parts.push(piece);
      length += piece.length;
      if (length >= count) break;
    }
  } finally {
    stream.destroy();
  }
  return Buffer.concat(parts).subarray(0, count);
}

/** The first 64 KiB unpacked, and what kind of content they are. @throws see unpack. */
export async function headOf(
  file: SourceFile,
): Promise<{ head: Buffer; content: Content; isWhole: boolean }> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const piece of unpack(file)) {
    parts.push(piece);
    length += piece.length;
    if (length > HEAD_BYTES) break;
  }
  const all = Buffer.concat(parts);
  const head = all.subarray(0, HEAD_BYTES);
  return { head, content: sniff(head.subarray(0, 4096)), isWhole: all.length <= HEAD_BYTES };
}

/** All unpacked bytes. @throws Failure `refused` beyond `limit` bytes, which is told before they are in memory. */
export async function wholeOf(file: SourceFile, limit: number, watch: Watch = {}): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const piece of unpack(file, watch)) {
    length += piece.length;
    if (length > limit)
      throw new Failure(
        'refused',
        `${file.name} is larger than ${limit >> 20} MiB, more than a file of this form has; take it as it was published.`,
        2,
      );
    parts.push(piece);
  }
  return Buffer.concat(parts);
}
