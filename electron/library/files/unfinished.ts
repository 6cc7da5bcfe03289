import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { readText, sha256Hex } from '../../core/index.ts';
import { COPIED_DATASETS, COPIED_MODELS, filesOfRun, TEST_SETS, type LabFolder } from '../lab-folder.ts';
import { goingName, isGoing, setAside, type Removals } from './removals.ts';
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
  const note = noteOf(labRoot, paths);
  writeNote(note, paths);
  return () => removeNote(note);
}

const noteOf = (labRoot: string, paths: readonly string[]): string =>
  join(labRoot, UNFINISHED, `${sha256Hex(paths.join('\n')).slice(0, 16)}.json`);

/** @returns whether it is there. */
function writeNote(note: string, paths: readonly string[]): boolean {
  try {
    writeWholeFile(note, JSON.stringify(paths));
    return true;
  } catch {
    return false;
  }
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
  [TEST_SETS, /^\.(import|going)-/],
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

/**
 * Has everything removed that programs that were killed left in the lab's copies, in its runs and outside of it. It is out of the way when
 * this returns; a note stays while its drive is away, or something of it is there.
 */
export function clearUnfinished({ root, runs }: Pick<LabFolder, 'root' | 'runs'>, removals: Removals): void {
  for (const path of importsUnder(root)) clear(path, removals);
  // One program at a time holds a lab, so no trainer is at work in it when it is opened.
  for (const run of namesIfAny(runs).map((name) => filesOfRun(join(runs, name)))) {
    if (existsSync(run.parked)) clear(run.parked, removals);
    for (const name of namesIfAny(run.root).filter(isGoing)) clear(join(run.root, name), removals);
  }
  const folder = join(root, UNFINISHED);
  for (const note of namesIfAny(folder).map((name) => join(folder, name))) clearNoted(root, note, removals);
}

function clear(path: string, removals: Removals): void {
  const going = isGoing(basename(path)) ? path : setAside(path);
  if (going !== null) removals.remove(going);
}

function clearNoted(labRoot: string, note: string, removals: Removals): void {
  const paths = notedPaths(note);
  const endNote = (): void => {
    if (paths.every((path) => existsSync(dirname(path)) && !existsSync(path))) removeNote(note);
  };
  for (const path of paths.filter((each) => existsSync(each))) {
    if (isGoing(basename(path))) {
      removals.remove(path, endNote);
      continue;
    }
    const name = goingName(path);
    const own = noteOf(labRoot, [name]);
    // On a full disk there is no room for a note, and this makes some.
    if (!writeNote(own, [name])) removeQuietly(path);
    else if (setAside(path, name) === null) removeNote(own);
    else removals.remove(name, () => removeNote(own));
  }
  endNote();
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
