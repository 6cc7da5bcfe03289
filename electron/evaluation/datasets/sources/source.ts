import type { Readable } from 'node:stream';

/** A file that rows may be read from: on the disk, or in a zip archive. */
export type SourceFile = {
  /** Below the folder or archive that was chosen, with forward slashes; the file's own name when it was chosen itself. */
  name: string;
  /** As it lies there, in bytes. */
  bytes: number;
  /** Where it lies on the disk; null in an archive. */
  path: string | null;
  /** Its bytes as they lie there (an archive's entry inflated), from the beginning. */
  open: () => Promise<Readable>;
};

export type IgnoredFile = { name: string; why: string };

/** What was found at a path that a person chose. */
export type OpenedPath = { path: string; files: SourceFile[]; ignored: IgnoredFile[]; close: () => void };

export const baseName = (name: string): string => name.slice(name.lastIndexOf('/') + 1);
export const folderName = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf('/')));
