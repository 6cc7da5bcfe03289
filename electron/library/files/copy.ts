import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolders } from '../../core/index.ts';
import { Failure } from '../../contract/index.ts';
import { appendSynced, syncFolder, writeWholeFile, type ByteWatch } from './whole-file.ts';

/** The licence of a model or data set as its files tell it; `name` is the short form where one is stated. */
export type Licence = { name: string | null; file: string | null; text: string | null };

const TEXT_FILE = /^(licen[cs]e|copying|notice|use_policy)(\.(txt|md))?$/i;
const CARD_FILE = /^readme\.md$/i;
const MOST_TEXT = 200_000; // characters; longer "licences" are something else
const CARD_BYTES = 64 * 1024;

/** Looks for a licence text and for the `license:` line of a model card in a folder. Reads text only; null texts where there is none. */
export function licenceIn(folder: string): Licence {
  const names = readdirSync(folder).sort();
  const file = names.find((name) => TEXT_FILE.test(name)) ?? null;
  const card = names.find((name) => CARD_FILE.test(name));
  return {
    name: card === undefined ? null : statedIn(join(folder, card)),
    file,
    text: file === null ? null : textOf(join(folder, file)),
  };
}

function textOf(path: string): string | null {
  if (statSync(path).size > MOST_TEXT) return null;
  return readFileSync(path, 'utf8');
}

/** The `license:` key in the front matter of a model card. */
function statedIn(card: string): string | null {
  const handle = openSync(card, 'r');
  try {
    const head = Buffer.alloc(CARD_BYTES);
    const text = head.toString('utf8', 0, readSync(handle, head, 0, CARD_BYTES, 0));
    const frontMatter = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? '';
    return /^licen[cs]e(?:_name)?:\s*["']?([\w.+-]+)/m.exec(frontMatter)?.[1] ?? null;
  } finally {
    closeSync(handle);
  }
}

const PIECE_BYTES = 1024 * 1024;

/** A file to be copied: where it is, and its name below the target folder. */
export type CopyEntry = { from: string; name: string };

/**
 * Copies files into a new folder and returns the SHA-256 of each, taken from the bytes that were written. The folder gets its
 * name only once every file is complete and on the disk; a copy that fails or is cancelled leaves nothing.
 * @throws Failure `fileExists` (exit code 2) when the folder is there already; otherwise what the system said, or the signal's reason.
 */
export async function copyInto(
  folder: string,
  files: readonly CopyEntry[],
  watch: ByteWatch = {},
): Promise<Map<string, string>> {
  if (existsSync(folder))
    throw new Failure(
      'fileExists',
      `The folder ${folder} is there already; give the model another name, or remove the other one first.`,
      2,
    );
  const unfinished = `${folder}.tmp`;
  rmSync(unfinished, { recursive: true, force: true });
  const hashes = new Map<string, string>();
  try {
    for (const { from, name } of files) hashes.set(name, await copyOne(from, join(unfinished, name), watch));
    syncFolder(unfinished);
    renameSync(unfinished, folder);
    syncFolder(dirname(folder));
    return hashes;
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
}

async function copyOne(from: string, to: string, { onBytes, signal }: ByteWatch): Promise<string> {
  makeFolders(dirname(to));
  const hash = createHash('sha256');
  const target = await open(to, 'wx');
  try {
    for await (const piece of createReadStream(from, { highWaterMark: PIECE_BYTES })) {
      signal?.throwIfAborted();
      hash.update(piece as Buffer);
      await target.write(piece as Buffer);
      onBytes?.((piece as Buffer).length);
    }
    await target.sync();
  } finally {
    await target.close();
  }
  return hash.digest('hex');
}

/** Writes an export in full or leaves what was there before. @throws Failure `cannotWrite` naming the file. */
export function writeExport(path: string, chunks: Iterable<string>): void {
  orSay(path, 'written', () => writeWholeFile(path, chunks));
}

/** Extends an export; the caller recognises an end that was cut off by its missing last newline. @throws Failure `cannotWrite`. */
export function extendExport(path: string, text: string): void {
  orSay(path, 'extended', () => appendSynced(path, text));
}

function orSay(path: string, done: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    throw new Failure(
      'cannotWrite',
      `The export ${path} could not be ${done}: ${(cause as Error).message}. Free space or correct the permissions, then export again; the database is unaffected.`,
      1,
      { cause },
    );
  }
}
