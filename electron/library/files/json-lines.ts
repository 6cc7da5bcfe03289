import { createHash } from 'node:crypto';
import { readFileSync, existsSync, truncateSync } from 'node:fs';
import type { z } from 'zod';
import { makeFolders, openablePath, readText, shownPath, streamFile } from '../../core/index.ts';
import { Failure } from '../../contract/index.ts';
import { type ByteWatch, appendSynced } from './whole-file.ts';
import { dirname } from 'node:path';

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
    makeFolders(dirname(this.#path));
    appendSynced(this.#path, added.map((line) => `${JSON.stringify(line)}\n`).join(''));
    this.lines.push(...added);
  }
}

const LINE_LIMIT = 4 * 1024 * 1024; // bytes; a longer line is no record and would fill the memory
const PIECE_BYTES = 1024 * 1024;

type LineFault = { line: number; why: string };
type LineScan = {
  sha256: string;
  bytes: number;
  rows: number;
  faults: number;
  firstFault: LineFault | null;
};

/**
 * Reads a JSON Lines file once: its hash, its rows, and the lines that `judge` objects to (null: fine). Empty lines count as
 * nothing. A line over 4 MiB is a fault and is passed over without being kept. @throws the signal's reason when it is aborted.
 */
export async function scanJsonLines(
  path: string,
  judge: (row: unknown) => string | null,
  { onBytes, signal }: ByteWatch = {},
): Promise<LineScan> {
  const hash = createHash('sha256');
  const scan: LineScan = { sha256: '', bytes: 0, rows: 0, faults: 0, firstFault: null };
  let line = 0;
  const fault = (why: string): void => {
    scan.faults += 1;
    scan.firstFault ??= { line, why };
  };
  const take = (bytes: Buffer, isTooLong: boolean): void => {
    line += 1;
    if (isTooLong) return fault('it is longer than 4 MiB');
    const text = bytes
      .toString('utf8')
      .replace(/^\ufeff/, '')
      .trim();
    if (text === '') return;
    scan.rows += 1;
    let row: unknown;
    try {
      row = JSON.parse(text);
    } catch {
      return fault('it is not JSON');
    }
    const objection = judge(row);
    if (objection !== null) fault(objection);
  };
  let rest: Buffer[] = [];
  let restBytes = 0;
  const keep = (bytes: Buffer): void => {
    restBytes += bytes.length;
    if (restBytes <= LINE_LIMIT) rest.push(bytes);
    else rest = [];
  };
  const end = (): void => {
    take(Buffer.concat(rest), restBytes > LINE_LIMIT);
    rest = [];
    restBytes = 0;
  };
  for await (const piece of streamFile(path, PIECE_BYTES)) {
    signal?.throwIfAborted();
    const bytes = piece as Buffer;
    hash.update(bytes);
    scan.bytes += bytes.length;
    let from = 0;
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
      keep(bytes.subarray(from, at));
      end();
      from = at + 1;
    }
    keep(bytes.subarray(from));
    onBytes?.(bytes.length);
  }
  if (restBytes > 0) end();
  scan.sha256 = hash.digest('hex');
  return scan;
}

/**
 * The whole path of a JSON Lines file that a person names; an empty one passes.
 * @throws Failure (exit code 2) where it cannot be opened or its first record is not of the expected shape.
 */
export function recordsPath(path: string, schema: z.ZodType): string {
  const whole = openablePath(path);
  readJsonLines(whole, schema, 1);
  return whole;
}

const MOST_BYTES = 256 * 1024 * 1024;

/**
 * Reads a JSON Lines file that ships with the application or that a person names, at most 256 MiB; of its records at most `limit`.
 * @throws as `readText`, and Failure `badFile` (exit code 2) naming file and line when a line is not JSON or not of the expected shape.
 */
export function readJsonLines<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  limit = Infinity,
): z.infer<Schema>[] {
  const text = readText(path, MOST_BYTES);
  const rows: z.infer<Schema>[] = [];
  for (let from = 0, number = 1; from < text.length && rows.length < limit; number += 1) {
    const end = text.indexOf('\n', from);
    const line = text.slice(from, end < 0 ? undefined : end);
    from = end < 0 ? text.length : end + 1;
    if (line === '') continue;
    try {
      rows.push(schema.parse(JSON.parse(line)));
    } catch (cause) {
      throw new Failure(
        'badFile',
        `Line ${number} of ${shownPath(path)} is not a valid record; repair or re-export the file.`,
        2,
        { cause },
      );
    }
  }
  return rows;
}
