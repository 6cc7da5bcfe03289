import { Failure } from '../../contract/index.ts';
import { appendSynced, writeWholeFile } from './whole-file.ts';

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
