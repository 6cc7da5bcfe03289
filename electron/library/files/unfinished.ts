import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { readText, sha256Hex } from '../../core/index.ts';
import { COPIED_DATASETS, COPIED_MODELS, TEST_SETS } from '../lab-folder.ts';
import { removeQuietly, writeWholeFile } from './whole-file.ts';

/** Notes of what is being written outside of the lab. */
const UNFINISHED = 'unfinished';
/** What such a place is called until it is whole. */
const UNFINISHED_NAME = /\.(partial|tmp|tmp-journal)$/;
const MOST_NOTE_BYTES = 64 * 1024;

/**
 * Notes in the lab that something is being written elsewhere under a name for the unfinished, so that what a killed program leaves there goes
 * when the lab is opened again. A lab that cannot be written to gets no note, and nothing is refused for it.
 * @returns what to call when it has come to an end.
 */
export function noteUnfinished(labRoot: string, ...paths: readonly string[]): () => void {
  const note = join(labRoot, UNFINISHED, `${sha256Hex(paths.join('\n')).slice(0, 16)}.json`);
  try {
    writeWholeFile(note, JSON.stringify(paths));
  } catch {
    // see above
  }
  return () => removeNote(note);
}

function removeNote(note: string): void {
  removeQuietly(note);
  try {
    rmdirSync(dirname(note));
  } catch {
    // other notes are in it
  }
}

/** What a folder is called until all of its files are in it: no name of the library begins with a dot. */
export const unfinishedFolder = (folder: string): string => join(dirname(folder), `.${basename(folder)}.tmp`);

/** What imports write in the lab until it is whole, by the folder that it lies in. */
const IMPORTED = [
  [COPIED_MODELS, /^\..*\.tmp$/],
  [COPIED_DATASETS, /^\..*\.tmp$/],
  [TEST_SETS, /^\.import-/],
] as const;

const importsUnder = (labRoot: string): string[] =>
  IMPORTED.flatMap(([part, unfinished]) => {
    const folder = join(labRoot, part);
    return namesIfAny(folder)
      .filter((name) => unfinished.test(name))
      .map((name) => join(folder, name));
  });

/** What is there under a name for the unfinished: at work, or left by a program that was killed. */
export function unfinishedPaths(labRoot: string): string[] {
  const notes = join(labRoot, UNFINISHED);
  const noted = namesIfAny(notes).flatMap((name) => notedPaths(join(notes, name)));
  return [...importsUnder(labRoot), ...noted].filter((path) => existsSync(path));
}

/** Removes what programs that were killed left in the lab's copies and outside of it. A note stays while its drive is away. */
export function clearUnfinished(labRoot: string): void {
  importsUnder(labRoot).forEach(removeQuietly);
  const folder = join(labRoot, UNFINISHED);
  for (const name of namesIfAny(folder)) {
    const paths = notedPaths(join(folder, name));
    for (const path of paths) removeQuietly(path);
    if (paths.every((path) => existsSync(dirname(path)) && !existsSync(path))) removeNote(join(folder, name));
  }
}

/** None where there is no such folder, or it cannot be read. */
function namesIfAny(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function notedPaths(note: string): string[] {
  try {
    const paths = z.array(z.string()).parse(JSON.parse(readText(note, MOST_NOTE_BYTES)));
    return paths.filter((path) => isAbsolute(path) && UNFINISHED_NAME.test(path));
  } catch {
    return []; // half a note of a program that was killed: nothing was begun
  }
}
