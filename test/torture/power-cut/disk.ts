import { dirname } from 'node:path';
import type { Operation } from './trace.ts';

/** What a file is once it is synced, and what was done to it since. */
type File = { durable: Buffer; size: number; pending: Change[] };
type Change = { kind: 'write'; offset: number; data: Buffer } | { kind: 'truncate'; size: number };
type NameChange = { folder: string; path: string; file: File | null };

/** Files by absolute path, as a disk holds them after the power went. */
export type Image = Map<string, Buffer>;
type Random = () => number;

const SECTOR_BYTES = 512; // what a disk writes as a whole

/**
 * A disk as it may be found after a power cut. What is synced is there. What was written since may be lost, kept, kept in
 * part, or torn at sectors, and any part of it may have overtaken any other. Names (create, rename, unlink) reach the disk
 * in order, at the latest with a sync of their folder or of a file in it, as journaling file systems have it.
 */
export class Disk {
  readonly #names = new Map<string, File>();
  readonly #durableNames = new Map<string, File>();
  #pendingNames: NameChange[] = [];

  apply(operation: Operation): void {
    switch (operation.kind) {
      case 'acknowledge':
        return;
      case 'create':
        return this.#setName(operation.path, { durable: Buffer.alloc(0), size: 0, pending: [] });
      case 'unlink':
        return this.#setName(operation.path, null);
      case 'rename': {
        this.#setName(operation.to, this.#file(operation.path));
        return this.#setName(operation.path, null);
      }
      case 'write':
        return void this.#file(operation.path).pending.push({
          kind: 'write',
          offset: operation.offset,
          data: operation.data,
        });
      case 'truncate':
        return void this.#file(operation.path).pending.push({ kind: 'truncate', size: operation.size });
      case 'sync':
        return this.#sync(operation.path);
    }
  }

  /** What is found when the power goes now; `random` gives numbers in [0, 1). */
  afterPowerCut(random: Random): Image {
    const names = new Map(this.#durableNames);
    for (const { path, file } of this.#pendingNames.slice(
      0,
      Math.floor(random() * (this.#pendingNames.length + 1)),
    ))
      setOrDelete(names, path, file);
    return new Map([...names].map(([path, file]) => [path, contentAfterCut(file, random)]));
  }

  #file(path: string): File {
    const file = this.#names.get(path);
    if (file === undefined) throw new Error(`The trace uses ${path} before it exists.`);
    return file;
  }

  #setName(path: string, file: File | null): void {
    setOrDelete(this.#names, path, file);
    this.#pendingNames.push({ folder: dirname(path), path, file });
  }

  #sync(path: string): void {
    const file = this.#names.get(path);
    if (file !== undefined && file.pending.length > 0) {
      for (const change of file.pending) applyTo(file, change);
      file.pending = [];
    }
    const isReached = ({ folder }: NameChange): boolean => folder === path || folder === dirname(path);
    for (const { path: name, file: named } of this.#pendingNames.filter(isReached))
      setOrDelete(this.#durableNames, name, named);
    this.#pendingNames = this.#pendingNames.filter((change) => !isReached(change));
  }
}

function setOrDelete(names: Map<string, File>, path: string, file: File | null): void {
  if (file === null) names.delete(path);
  else names.set(path, file);
}

/** Grows in doublings: a log of megabytes is written page by page. */
function applyTo(file: Pick<File, 'durable' | 'size'>, change: Change): void {
  if (change.kind === 'truncate') {
    if (change.size < file.size) file.durable.fill(0, change.size, file.size);
    else reserve(file, change.size);
    file.size = change.size;
    return;
  }
  const end = change.offset + change.data.length;
  reserve(file, end);
  change.data.copy(file.durable, change.offset);
  file.size = Math.max(file.size, end);
}

function reserve(file: Pick<File, 'durable' | 'size'>, bytes: number): void {
  if (bytes <= file.durable.length) return;
  const larger = Buffer.alloc(Math.max(bytes, 2 * file.durable.length));
  file.durable.copy(larger, 0, 0, file.size);
  file.durable = larger;
}

function contentAfterCut(file: File, random: Random): Buffer {
  const found = { durable: Buffer.from(file.durable.subarray(0, file.size)), size: file.size };
  for (const change of surviving(file.pending, random)) applyTo(found, change);
  return found.durable.subarray(0, found.size);
}

/** One of four fates for all that was not synced: nothing, everything, everything up to a moment, or each part by chance. */
function surviving(pending: readonly Change[], random: Random): Change[] {
  if (pending.length === 0) return [];
  const fate = random();
  if (fate < 0.2) return [];
  if (fate < 0.4) return [...pending];
  if (fate < 0.6) return pending.slice(0, Math.floor(random() * (pending.length + 1)));
  return pending
    .filter(() => random() < 0.5)
    .flatMap((change) => (random() < 0.5 ? [change] : torn(change, random)));
}

/** Each sector reaches the disk or does not. */
function torn(change: Change, random: Random): Change[] {
  if (change.kind === 'truncate') return [change];
  const sectors: Change[] = [];
  for (let at = change.offset; at < change.offset + change.data.length;) {
    const end = Math.min(
      (Math.floor(at / SECTOR_BYTES) + 1) * SECTOR_BYTES,
      change.offset + change.data.length,
    );
    if (random() < 0.5)
      sectors.push({
        kind: 'write',
        offset: at,
        data: change.data.subarray(at - change.offset, end - change.offset),
      });
    at = end;
  }
  return sectors;
}
