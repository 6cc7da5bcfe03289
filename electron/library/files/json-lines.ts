import { createHash } from 'node:crypto';
import { readFileSync, existsSync, truncateSync } from 'node:fs';
import type { z } from 'zod';
import { makeFolders, streamFile } from '../../core/index.ts';
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
 * Reads a whole JSON Lines file that ships with the application or was imported.
 * @throws Failure `badFile` naming file and line when a line is not JSON or not of the expected shape.
 */
export function readJsonLines<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  limit = Infinity,
): z.infer<Schema>[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Failure(
      'missingFile',
      `The file ${path} could not be read; check the path and its permissions.`,
      1,
      { cause },
    );
  }
  const rows: z.infer<Schema>[] = [];
  const lines = text.split('\n');
  for (let number = 1; number <= lines.length && rows.length < limit; number += 1) {
    const line = lines[number - 1] ?? '';
    if (line === '') continue;
    try {
      rows.push(schema.parse(JSON.parse(line)));
    } catch (cause) {
      throw new Failure(
        'badFile',
        `Line ${number} of ${path} is not a valid record; repair or re-export the file.`,
        1,
        { cause },
      );
    }
  }
  return rows;
}
