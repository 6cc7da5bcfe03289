import {
  constants,
  createReadStream,
  lstatSync,
  openSync,
  closeSync,
  fstatSync,
  readdirSync,
  statSync,
} from 'node:fs';
import type { Readable } from 'node:stream';
import { basename, join, resolve } from 'node:path';
import { Failure } from '../../../contract/index.ts';
import { sniffFile } from '../../../library/index.ts';
import type { IgnoredFile, OpenedPath, SourceFile } from './source.ts';
import { openZip } from './zip.ts';

const PIECE_BYTES = 256 * 1024;
const MOST_FILES = 2000;
const MOST_LEVELS = 12;

/**
 * The files at a path: the file itself, those below a folder, or those in a zip archive. Links below a folder are not followed.
 * @throws Failure `missingFile` or `refused` (exit code 2); an archive with one bad entry is refused as a whole.
 */
export async function openPath(given: string): Promise<OpenedPath> {
  const path = resolve(given);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined)
    throw new Failure(
      'missingFile',
      `There is nothing at ${path}; check the path, and that the drive is plugged in.`,
      2,
    );
  if (stat.isDirectory()) return { path, ...walk(path), close: () => {} };
  if (!stat.isFile())
    throw new Failure(
      'refused',
      `${path} is a device or a pipe; choose a file, a folder or a zip archive.`,
      2,
    );
  // An archive that is called one is read as one also when it is empty, or has a pickle among its files, which is then refused alone.
  if (/\.zip$/i.test(path) || readable(path, () => sniffFile(path)) === 'zip') return openZip(path);
  return { path, files: [sourceOn(path, basename(path), stat.size)], ignored: [], close: () => {} };
}

function walk(top: string): { files: SourceFile[]; ignored: IgnoredFile[] } {
  const files: SourceFile[] = [];
  const ignored: IgnoredFile[] = [];
  const enter = (folder: string, below: string, level: number): void => {
    for (const entry of readable(folder, () => readdirSync(folder, { withFileTypes: true })).toSorted(
      (a, b) => (a.name < b.name ? -1 : 1),
    )) {
      const [path, name] = [join(folder, entry.name), below === '' ? entry.name : `${below}/${entry.name}`];
      if (entry.name.startsWith('.')) continue; // version control and the like
      if (entry.isSymbolicLink()) ignored.push({ name, why: 'it is a link; links are not followed' });
      else if (entry.isDirectory()) {
        if (level >= MOST_LEVELS)
          ignored.push({ name, why: `it lies more than ${MOST_LEVELS} folders deep` });
        else enter(path, name, level + 1);
      } else if (entry.isFile()) files.push(sourceOn(path, name, lstatSync(path).size));
      else ignored.push({ name, why: 'it is a device or a pipe' });
      if (files.length > MOST_FILES)
        throw new Failure(
          'refused',
          `The folder ${top} holds more than ${MOST_FILES} files; choose the folder of the set itself.`,
          2,
        );
    }
  };
  enter(top, '', 1);
  return { files, ignored };
}

export function sourceOn(path: string, name: string, bytes: number): SourceFile {
  return { name, bytes, path, open: async () => openRegular(path) };
}

/** Opens a file and looks at what was opened, so that nothing is exchanged for a device between the look and the reading. */
function openRegular(path: string): Readable {
  const descriptor = readable(path, () => openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)));
  if (!fstatSync(descriptor).isFile()) {
    closeSync(descriptor);
    throw new Failure('refused', `${path} is no file any more; choose it again.`, 2);
  }
  return createReadStream(path, { fd: descriptor, autoClose: true, highWaterMark: PIECE_BYTES });
}

function readable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure(
      'missingFile',
      `${path} cannot be read (${(cause as NodeJS.ErrnoException).code}); check its permissions and that the drive is plugged in.`,
      2,
      { cause },
    );
  }
}
