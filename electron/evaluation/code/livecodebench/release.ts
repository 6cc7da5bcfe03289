import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { createGunzip } from 'node:zlib';
import { Failure } from '../../../contract/index.ts';
import { readProblem, type LiveCodeBenchProblem } from './problem.ts';

const PIECE_BYTES = 1 << 20;
const LONGEST_LINE = 512 << 20; // bytes; the largest published problem has some tens of millions

export type ReleaseOptions = { signal?: AbortSignal; onBytes?: (bytes: number) => void };

/**
 * The problems of release files (test.jsonl, test2.jsonl, …; also gzipped), one after the other, so that a release of several
 * gigabytes needs the memory of its largest line. Which release it is follows from the files given: v5 is the first five.
 * @throws Failure `missingFile`, or `badFile` with file and line: broken UTF-8, a row of another form, a problem that came
 *   before. The signal's reason when it is aborted.
 */
export async function* readReleases(
  paths: readonly string[],
  { signal, onBytes = () => {} }: ReleaseOptions = {},
): AsyncGenerator<LiveCodeBenchProblem, void, undefined> {
  const seen = new Map<string, string>();
  for (const path of paths) {
    let number = 0;
    for await (const line of linesOf(path, onBytes)) {
      signal?.throwIfAborted();
      number += 1;
      const where = `Line ${number} of ${basename(path)}`;
      const text = decode(line, where);
      if (text.trim() === '') continue;
      const problem = readProblem(text, where);
      const before = seen.get(problem.id);
      if (before !== undefined)
        throw new Failure(
          'badFile',
          `${where} repeats problem ${problem.id} (${before}); give every release file once.`,
        );
      seen.set(problem.id, where);
      yield problem;
    }
  }
}

async function* linesOf(path: string, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of bytesOf(path, onBytes)) {
      let from = 0;
      for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, from)) {
        yield parts.length === 0
          ? piece.subarray(from, at)
          : Buffer.concat([...parts, piece.subarray(from, at)]);
        [parts, length, from] = [[], 0, at + 1];
      }
      // A copy, since a slice would keep its whole piece: a rest is either short or part of a long line.
      parts.push(Buffer.from(piece.subarray(from)));
      length += piece.length - from;
      if (length > LONGEST_LINE)
        throw new Failure(
          'badFile',
          `A line of ${path} is longer than 512 MiB; it is no release file of LiveCodeBench.`,
        );
    }
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure(
      'missingFile',
      `The file ${path} could not be read (${(cause as Error).message}); check the path and the file.`,
      1,
      { cause },
    );
  }
  if (length > 0) yield Buffer.concat(parts);
}

function bytesOf(path: string, onBytes: (bytes: number) => void): AsyncIterable<Buffer> {
  const file = createReadStream(path, { highWaterMark: PIECE_BYTES });
  file.on('data', (piece) => onBytes(piece.length));
  if (!path.endsWith('.gz')) return file;
  const unpacked = createGunzip({ chunkSize: PIECE_BYTES });
  file.on('error', (error) => unpacked.destroy(error));
  return file.pipe(unpacked);
}

function decode(line: Buffer, where: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(line);
  } catch (cause) {
    throw new Failure('badFile', `${where} is not UTF-8; the file is damaged.`, 1, { cause });
  }
}
