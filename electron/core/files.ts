import {
  closeSync,
  constants,
  createReadStream,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
  type Stats,
} from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { Failure } from '../contract/index.ts';

/** Whether a folder can be entered at a path, whatever is wrong with it otherwise. */
export const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

/**
 * Makes a folder and those above it that are missing. Node's recursive form tries for ever where the system says that a folder cannot be
 * made although the one above is there, as everywhere under /proc.
 * @throws what the system says of the path itself where it cannot be looked at (a link to itself, a name too long), else of the first
 * that cannot be made.
 */
export function makeFolders(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const above = dirname(path);
  if (above !== path) makeFolders(above);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another program may have been faster.
    if (!isFolder(path)) throw error;
  }
}

const PIECE_BYTES = 1024 * 1024; // hashing one takes about a millisecond, so that nothing else waits long
const SHOWN_PATH = 300;
/** A path as a sentence can hold it. */
export const shownPath = (path: string): string =>
  path.length > SHOWN_PATH ? `${path.slice(0, SHOWN_PATH / 2)}…${path.slice(-SHOWN_PATH / 2)}` : path;

/** The end of a sentence about what could not be opened or started. */
export const NO_FILES_LEFT =
  'this program has as many files open as it may. Raise the limit ("ulimit -n 1024" in the shell that starts it) and try again.';

const NO_FILE = 'is a device, a pipe or a socket';

/** What a path that cannot be opened is told as. */
function unreadable(path: string, cause: unknown): Failure {
  const { code, message } = cause as NodeJS.ErrnoException;
  const place = shownPath(path);
  const told: Record<string, string> = {
    ENOENT: `There is nothing at ${place}; check the path, and that the drive is plugged in.`,
    ENOTDIR: `There is nothing at ${place}: a part of the path is no folder; check it.`,
    EACCES: `${place} may not be read by this user; correct its permissions.`,
    EPERM: `${place} may not be read by this user; correct its permissions.`,
    ELOOP: `${place} leads to itself by links; choose what it should lead to.`,
    ENAMETOOLONG: `The path ${place} is longer than this system allows; choose a shorter one.`,
    EISDIR: `${place} is a folder; choose a file.`,
    ENXIO: `${place} ${NO_FILE}; choose a file.`,
    ENODEV: `${place} ${NO_FILE}; choose a file.`,
    EMFILE: `${place} cannot be opened: ${NO_FILES_LEFT}`,
  };
  const kind = code === 'ENXIO' || code === 'ENODEV' || code === 'EISDIR' ? 'refused' : 'missingFile';
  return new Failure(kind, told[code ?? ''] ?? `${place} cannot be read (${code ?? message}).`, 2, { cause });
}

function orSay<T>(path: string, ask: () => T): T {
  try {
    return ask();
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** What stands at a path that a person gave, links followed. @throws Failure `missingFile` (exit code 2), one sentence. */
export const lookOf = (path: string): Stats => orSay(path, () => statSync(path));

/** What is in a folder, which its owner may have closed. @throws Failure `missingFile` (exit code 2), one sentence. */
export const namesIn = (folder: string): string[] => orSay(folder, () => readdirSync(folder));

/**
 * Opens a file that a person or a folder of theirs names. A pipe or device is refused instead of waited for, and what was opened is
 * looked at, so that nothing is exchanged in between. @throws Failure `missingFile` or `refused` (exit code 2), one sentence.
 */
export function openFile(path: string): { descriptor: number; bytes: number } {
  const descriptor = orSay(path, () => openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)));
  const stat = fstatSync(descriptor);
  if (stat.isFile()) return { descriptor, bytes: stat.size };
  closeSync(descriptor);
  const what = stat.isDirectory() ? 'is a folder' : NO_FILE;
  throw new Failure('refused', `${shownPath(path)} ${what}; choose a file.`, 2);
}

/** The whole path of a file that can be opened now. @throws as `openFile`. */
export function openablePath(path: string): string {
  const whole = resolve(path);
  closeSync(openFile(whole).descriptor);
  return whole;
}

/** The beginning of a file, at most `most` bytes. @throws as `openFile`. */
export function readBeginning(path: string, most: number): Buffer {
  const { descriptor } = openFile(path);
  try {
    const head = Buffer.alloc(most);
    let read = 0;
    for (let more = -1; more !== 0 && read < most; read += more)
      more = orSay(path, () => readSync(descriptor, head, read, most - read, null));
    return head.subarray(0, read);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * A whole text file. @param most bytes; what is larger is something else than what was asked for.
 * @throws as `openFile`, and Failure `refused` when it is larger.
 */
export function readText(path: string, most: number): string {
  const { descriptor, bytes } = openFile(path);
  closeSync(descriptor);
  // Room for what it has, unless it turns out to have more, as files of the system do.
  const first = bytes > most ? null : readBeginning(path, bytes + 1);
  const read = first !== null && first.length > bytes ? readBeginning(path, most + 1) : first;
  if (read === null || read.length > most)
    throw new Failure(
      'refused',
      `${shownPath(path)} is larger than the ${most.toLocaleString('en')} bytes that such a file can have; choose another one.`,
      2,
    );
  return read.toString('utf8');
}

/** A file's bytes in pieces. @throws as `openFile`, at once. */
export function streamFile(path: string, pieceBytes = PIECE_BYTES): Readable {
  return createReadStream(path, {
    fd: openFile(path).descriptor,
    autoClose: true,
    highWaterMark: pieceBytes,
  });
}

/**
 * Where an entry of a person's folder really lies; null when it leads nowhere. A link may lead to another place of the same folder, or
 * of the download cache that the folder is a snapshot of (`snapshots/REVISION/name` to `blobs/HASH`).
 * @throws Failure `refused` (exit code 2) naming a link that leads elsewhere.
 */
export function placeWithin(folder: string, name: string): string | null {
  const root = orSay(folder, () => realpathSync(folder));
  let real: string;
  try {
    real = realpathSync(join(folder, name));
  } catch {
    return null;
  }
  const cache = basename(dirname(root)) === 'snapshots' ? [join(dirname(dirname(root)), 'blobs')] : [];
  if ([root, ...cache].some((place) => real.startsWith(place.endsWith(sep) ? place : place + sep)))
    return real;
  throw new Failure(
    'refused',
    `${shownPath(join(folder, name))} is a link that leads out of the folder, to ${shownPath(real)}; put the file itself there.`,
    2,
  );
}
