import { existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { appendSynced } from './whole-file.ts';

/** What was done so far, one JSON object a line, in a file that only grows and outlives interruptions. Lines added together are there together. */
export class JsonLines<Line> {
  readonly lines: Line[];
  readonly #path: string;

  /** Reads what is there; a last line without its end was cut off while it was written, and is removed. @throws what `read` throws. */
  constructor(
    path: string,
    read: (text: string, number: number) => Line = (text) => JSON.parse(text) as Line,
  ) {
    this.#path = path;
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole.length < text.length) truncateSync(path, Buffer.byteLength(whole));
    this.lines = whole.split('\n').flatMap((line, index) => (line === '' ? [] : [read(line, index + 1)]));
  }

  /** The lines are on the disk when this returns. */
  add(added: readonly Line[]): void {
    if (added.length === 0) return;
    mkdirSync(dirname(this.#path), { recursive: true });
    appendSynced(this.#path, added.map((line) => `${JSON.stringify(line)}\n`).join(''));
    this.lines.push(...added);
  }
}
