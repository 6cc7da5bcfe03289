import { existsSync, readdirSync, realpathSync, statSync, type Stats } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { shownPath } from '../core/index.ts';
import { Failure } from '../contract/index.ts';

/** A place to look for files: the home folder, or a drive that is plugged in. */
export type Place = { path: string; kind: 'home' | 'drive' };
export type FolderEntry = { name: string; path: string; isFolder: boolean; bytes: number | null };
export type Listing = {
  path: string;
  /** Null at the top of a place. */ above: string | null;
  entries: FolderEntry[];
  /** Entries beyond those shown. */ more: number;
};

const MOST_ENTRIES = 2000;

/** Where a browser tab may look for files: below the person's home and below drives that are mounted for them. */
export function places(): Place[] {
  const drives =
    process.platform === 'darwin'
      ? foldersIn('/Volumes')
      : process.platform === 'win32'
        ? windowsDrives()
        : [`/media/${userInfo().username}`, `/run/media/${userInfo().username}`, '/media', '/mnt'].flatMap(
            foldersIn,
          );
  const home = homedir();
  return [
    { path: home, kind: 'home' as const },
    ...[...new Set(drives)].filter((path) => path !== home).map((path) => ({ path, kind: 'drive' as const })),
  ].filter(({ path }) => existsSync(path));
}

/**
 * Names of what is in a folder, without hidden entries, folders first. @throws Failure `outsidePlaces` (exit code 2) for a folder
 * that lies outside the places, also by way of a link; `missingFile` when it cannot be read.
 */
export async function listFolder(path: string, allowed: readonly Place[] = places()): Promise<Listing> {
  const folder = insideOf(path, allowed);
  let names: { name: string; isFolder: boolean }[];
  try {
    names = (await readdir(folder, { withFileTypes: true }))
      .filter(({ name }) => !name.startsWith('.'))
      .map((entry) => ({
        name: entry.name,
        isFolder: entry.isDirectory() || (entry.isSymbolicLink() && isFolder(join(folder, entry.name))),
      }));
  } catch (cause) {
    throw new Failure(
      'missingFile',
      `The folder ${folder} cannot be read (${(cause as NodeJS.ErrnoException).code}); choose another one.`,
      2,
      { cause },
    );
  }
  names.sort(
    (a, b) =>
      Number(b.isFolder) - Number(a.isFolder) || a.name.localeCompare(b.name, 'en', { numeric: true }),
  );
  const isTop = allowed.some((place) => realPath(place.path) === folder);
  return {
    path: folder,
    above: isTop ? null : resolve(folder, '..'),
    more: Math.max(0, names.length - MOST_ENTRIES),
    entries: names.slice(0, MOST_ENTRIES).map((entry) => ({
      ...entry,
      path: join(folder, entry.name),
      bytes: entry.isFolder ? null : sizeOf(join(folder, entry.name)),
    })),
  };
}

/** The real path, when it lies in a place. Containment is decided on resolved paths, so that a link leads nowhere else. */
function insideOf(path: string, allowed: readonly Place[]): string {
  const real = realPath(resolve(path));
  const isInside =
    real !== null &&
    allowed.some((place) => {
      const top = realPath(place.path);
      if (top === null) return false;
      const below = relative(top, real);
      return below === '' || (!below.startsWith('..') && !isAbsolute(below));
    });
  if (!isInside)
    throw new Failure(
      'outsidePlaces',
      `The folder ${shownPath(path)} is not below your home or a mounted drive; type the path of the file itself to import it.`,
      2,
    );
  return real as string;
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null; // not there, or not ours to see
  }
}

const isFolder = (path: string): boolean => statOf(path)?.isDirectory() ?? false;
const sizeOf = (path: string): number | null => statOf(path)?.size ?? null;

function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null; // a broken link, or not ours to see
  }
}

function foldersIn(parent: string): string[] {
  try {
    return readdirSync(parent, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(parent, name));
  } catch {
    return []; // no such parent on this system, or not ours to see
  }
}

function windowsDrives(): string[] {
  return [...'DEFGHIJKLMNOPQRSTUVWXYZ'].map((letter) => `${letter}:\\`).filter((drive) => existsSync(drive));
}
