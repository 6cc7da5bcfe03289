import { createHash, type Hash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import type { KeptRow } from '../kinds/kind.ts';

export const ITEMS_FILE = 'items.jsonl';
const WRITTEN_AT_ONCE = 1 << 20;

/** Writes rows as JSON Lines of our own: `{"id": …, "row": …}`, or `"python"` with the row as a text where a strict reader would refuse it. */
export class ItemsWriter {
  readonly #file: FileHandle;
  readonly #hash: Hash = createHash('sha256');
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  bytes = 0;
  rows = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(path: string): Promise<ItemsWriter> {
    return new ItemsWriter(await open(path, 'wx'));
  }

  async add({ id, text, isPython }: KeptRow): Promise<void> {
    const line = Buffer.from(
      isPython
        ? `{"id":${JSON.stringify(id)},"python":${JSON.stringify(text)}}\n`
        : `{"id":${JSON.stringify(id)},"row":${text}}\n`,
      'utf8',
    );
    this.rows += 1;
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    if (this.#waitingBytes >= WRITTEN_AT_ONCE) await this.#write();
  }

  /** Everything is on the disk when this resolves. Returns the SHA-256 of the file. */
  async end(): Promise<string> {
    await this.#write();
    await this.#file.sync();
    return this.#hash.digest('hex');
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #write(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting);
    [this.#waiting, this.#waitingBytes] = [[], 0];
    this.#hash.update(bytes);
    this.bytes += bytes.length;
    for (let at = 0; at < bytes.length;) at += (await this.#file.write(bytes, at)).bytesWritten;
  }
}

/** A line of the file as it was written. Null when it is not of that form. */
export function readItem(line: string): { id: string; text: string; isPython: boolean } | null {
  const quoted = /^\{"id":("(?:[^"\\]|\\.)*"),"(row|python)":/.exec(line);
  if (quoted === null || !line.endsWith('}')) return null;
  const rest = line.slice(quoted[0].length, -1);
  const id = JSON.parse(quoted[1]!) as string;
  return quoted[2] === 'row'
    ? { id, text: rest, isPython: false }
    : { id, text: JSON.parse(rest) as string, isPython: true };
}
