import { appendFileSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** What was done so far, one JSON object a line, in a file that outlives interruptions. Lines added together are there together. */
export class JsonLines<Line> {
  readonly lines: Line[];
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path)) appendFileSync(path, '');
    const text = readFileSync(path, 'utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    // A last line without its end was cut off while it was written.
    if (whole.length < text.length) truncateSync(path, Buffer.byteLength(whole));
    this.lines = whole.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Line);
  }

  add(added: readonly Line[]): void {
    if (added.length === 0) return;
    const file = openSync(this.#path, 'a');
    try {
      writeSync(file, added.map((line) => `${JSON.stringify(line)}\n`).join(''));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    this.lines.push(...added);
  }
}
