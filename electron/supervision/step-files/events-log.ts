import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { extendExport, writeExport } from '../../library/index.ts';

/** Bytes read from the end of the log to find its last line; lines hold one agent text and stay far below. */
const TAIL_BYTES = 4 * 1024 * 1024;

/**
 * Adds the lines of one step to events.jsonl. Doing it again changes nothing: a step that is there already, or one whose
 * writing was cut off, is replaced together with everything after it.
 */
export function appendStepEvents(path: string, step: number, events: readonly { step: number }[]): void {
  const lines = events.map((event) => `${JSON.stringify(event)}\n`);
  if (!existsSync(path)) return writeExport(path, lines);
  const last = lastStep(path);
  if (last !== null && last < step) return extendExport(path, lines.join(''));
  writeExport(path, [...linesBefore(path, step), ...lines]);
}

/** Step of the last line; 0 for an empty file, null when the end is no complete line or does not fit the tail. */
function lastStep(path: string): number | null {
  const file = openSync(path, 'r');
  try {
    const size = fstatSync(file).size;
    if (size === 0) return 0;
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
    readSync(file, tail, 0, tail.length, size - tail.length);
    if (tail.at(-1) !== 0x0a) return null;
    const start = tail.lastIndexOf(0x0a, tail.length - 2) + 1;
    if (start === 0 && tail.length < size) return null;
    return stepOf(tail.subarray(start).toString('utf8'));
  } finally {
    closeSync(file);
  }
}

function stepOf(line: string): number | null {
  try {
    const { step } = JSON.parse(line) as { step?: unknown };
    return typeof step === 'number' ? step : null;
  } catch {
    return null;
  }
}

/** Complete lines of earlier steps. */
function linesBefore(path: string, step: number): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && (stepOf(line) ?? Infinity) < step)
    .map((line) => `${line}\n`);
}
