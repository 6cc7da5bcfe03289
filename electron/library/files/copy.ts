import { createHash } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  lookOf,
  makeFolders,
  namesIn,
  placeWithin,
  readBeginning,
  readText,
  shownPath,
  streamFile,
} from '../../core/index.ts';
import { Failure } from '../../contract/index.ts';
import { removeInTurn } from './removals.ts';
import { unfinishedFolder } from './unfinished.ts';
import { appendSynced, syncFolder, writeWholeFile, type ByteWatch } from './whole-file.ts';

/** The licence of a model or data set as its files tell it; `name` is the short form where one is stated. */
export type Licence = { name: string | null; file: string | null; text: string | null };

const TEXT_FILE = /^(licen[cs]e|copying|notice|use_policy)(\.(txt|md))?$/i;
const CARD_FILE = /^readme\.md$/i;
const MOST_TEXT = 200_000; // bytes; longer "licences" are something else
const CARD_BYTES = 64 * 1024;

/**
 * Looks for a licence text and for the `license:` line of a model card in a folder. Reads text only; null texts where there is none, or
 * where what bears the name is no file of the folder.
 */
export function licenceIn(folder: string): Licence {
  const names = namesIn(folder).sort();
  const file = names.find((name) => TEXT_FILE.test(name)) ?? null;
  const card = names.find((name) => CARD_FILE.test(name));
  return {
    name: card === undefined ? null : ownText(folder, card, statedIn),
    file,
    text: file === null ? null : ownText(folder, file, textOf),
  };
}

function ownText(folder: string, name: string, read: (path: string) => string | null): string | null {
  try {
    const path = placeWithin(folder, name);
    return path === null || !lookOf(path).isFile() ? null : read(path);
  } catch {
    return null; // the folder's model is refused for it, with a sentence
  }
}

const textOf = (path: string): string => readText(path, MOST_TEXT);

/** The `license:` key in the front matter of a model card. */
function statedIn(card: string): string | null {
  const text = readBeginning(card, CARD_BYTES).toString('utf8');
  const frontMatter = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? '';
  return /^licen[cs]e(?:_name)?:\s*["']?([\w.+-]+)/m.exec(frontMatter)?.[1] ?? null;
}

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
  const unfinished = unfinishedFolder(folder);
  await removeInTurn(unfinished);
  const hashes = new Map<string, string>();
  try {
    for (const { from, name } of files) hashes.set(name, await copyOne(from, join(unfinished, name), watch));
    syncFolder(unfinished);
    renameSync(unfinished, folder);
    syncFolder(dirname(folder));
    return hashes;
  } catch (error) {
    await removeInTurn(unfinished).catch(() => {});
    throw error;
  }
}

async function copyOne(from: string, to: string, { onBytes, signal }: ByteWatch): Promise<string> {
  makeFolders(dirname(to));
  const hash = createHash('sha256');
  const target = await open(to, 'wx');
  try {
    for await (const piece of streamFile(from)) {
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
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new Failure(
      'cannotWrite',
      `The export ${shownPath(path)} could not be ${done}: ${code ?? message}. Free space or correct the permissions, then export again; the database is unaffected.`,
      1,
      { cause },
    );
  }
}
