import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';

/** What stays in memory for error sentences. */
const TAIL_BYTES = 8 * 1024;
/** A process that prints in a loop must not fill the disk. */
const FILE_LIMIT_BYTES = 16 * 1024 * 1024;

/** Output of a child process that is no protocol: appended to a file, its last part kept in memory. */
export class ChildLog {
  readonly #file: WriteStream;
  #tail = Buffer.alloc(0);
  #written = 0;

  /** Creates the folder of `path` when needed. A log that cannot be written is dropped: it must never stop the process. */
  constructor(path: string) {
    try {
      mkdirSync(dirname(path), { recursive: true });
    } catch {
      // The stream below fails as well and says so to nobody: see above.
    }
    this.#file = createWriteStream(path, { flags: 'a' });
    this.#file.on('error', () => {});
  }

  /** Takes everything the stream says until it ends. */
  listen(stream: Readable): void {
    stream.on('data', (chunk: Buffer) => this.#add(chunk));
    stream.on('error', () => {});
  }

  /** A line of our own, for instance that the process started. */
  note(text: string): void {
    this.#write(Buffer.from(`--- ${text}\n`));
  }

  /** Last non-empty line, decoded leniently: a crashing process may cut a character in two. */
  lastLine(): string {
    const lines = this.#tail.toString('utf8').split('\n');
    return lines.findLast((line) => line.trim() !== '')?.trim() ?? '';
  }

  /** Everything still in memory, at most 8 KiB. */
  tail(): string {
    return this.#tail.toString('utf8');
  }

  close(): void {
    this.#file.end();
  }

  #add(chunk: Buffer): void {
    this.#tail = Buffer.concat([this.#tail, chunk]).subarray(-TAIL_BYTES);
    this.#write(chunk);
  }

  #write(chunk: Buffer): void {
    if (this.#written > FILE_LIMIT_BYTES) return;
    this.#written += chunk.length;
    this.#file.write(chunk);
    if (this.#written > FILE_LIMIT_BYTES) this.#file.write('\n--- further output is not kept\n');
  }
}
