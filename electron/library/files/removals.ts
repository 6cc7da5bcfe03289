import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { lstat, readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removeQuietly } from './whole-file.ts';

/** What left its place and is being removed: no name of the library begins with a dot. */
const GOING = /^\.going-[0-9a-f]{8}\.tmp$/;

export const isGoing = (name: string): boolean => GOING.test(name);

/** A name in the same folder that nobody uses. */
export const goingName = (path: string): string =>
  join(dirname(path), `.going-${randomBytes(4).toString('hex')}.tmp`);

/**
 * Gives something a name in its folder under which it can be removed later, so that whoever makes the same anew meets nothing of it.
 * Where that cannot be, it is removed at once. @returns what is still to be removed, or null.
 */
export function setAside(path: string, going = goingName(path)): string | null {
  try {
    renameSync(path, going);
    return going;
  } catch {
    removeQuietly(path);
    return null;
  }
}

type Walk = { signal: AbortSignal | undefined; refused: unknown[] };

/**
 * Removes a file, or a folder with all that is in it, one after the other: this thread answers meanwhile, and whoever else reads a file waits
 * for one removal at most. Node's own `rm` asks for everything in a folder at once. What is not there is no error.
 * @throws the signal's reason, between two files; what the system said first, once everything else is gone.
 */
export async function removeInTurn(path: string, signal?: AbortSignal): Promise<void> {
  const walk: Walk = { signal, refused: [] };
  try {
    await removeOne(path, (await lstat(path)).isDirectory(), walk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (walk.refused.length > 0) throw walk.refused[0];
}

async function removeOne(path: string, isFolder: boolean, walk: Walk): Promise<void> {
  const before = walk.refused.length;
  if (isFolder) await removeWithin(path, walk);
  walk.signal?.throwIfAborted();
  if (walk.refused.length > before) return;
  try {
    await (isFolder ? rmdir(path) : unlink(path));
  } catch {
    // Gone already, or held for a moment by another program, as happens under Windows.
    await rm(path, { recursive: true, force: true, maxRetries: 5 }).catch((error: unknown) =>
      walk.refused.push(error),
    );
  }
}

async function removeWithin(folder: string, walk: Walk): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  // In an order that does not depend on the file system.
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    await removeOne(join(folder, entry.name), entry.isDirectory(), walk);
}

/** How long what is left over goes on to be removed while the program is being closed. */
const CLOSING_MS = 1000;

/** Removes what programs that were killed left, one thing after the other and beside whatever else is done. What is left, the next program removes. */
export class Removals {
  readonly #closing = new AbortController();
  #last: Promise<void> = Promise.resolve();

  /** @param then told once it is gone, and not where the system keeps it or the program is closed before. */
  remove(path: string, then: () => void = () => {}): void {
    this.#last = this.#last
      .then(() => removeInTurn(path, this.#closing.signal))
      .then(then)
      .catch(() => {});
  }

  /** Resolves once everything is gone, or is left for another time. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.#closing.abort(), CLOSING_MS);
    await this.#last;
    clearTimeout(timer);
  }
}
