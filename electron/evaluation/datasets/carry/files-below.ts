import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../../contract/index.ts';

const MOST_FILES = 100_000;

/**
 * All files below a folder with their sizes in bytes, in the order of their names' bytes, hidden ones too. Names have forward slashes.
 * @throws Failure `refused` (exit code 2) for a link or a device, which a copy may not carry over as it is.
 */
export function filesBelow(folder: string, without: ReadonlySet<string>): { path: string; bytes: number }[] {
  const files: { path: string; bytes: number }[] = [];
  const enter = (below: string): void => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (without.has(path)) continue;
      if (entry.isDirectory()) enter(path);
      else if (entry.isFile()) files.push({ path, bytes: statSync(join(folder, path)).size });
      else
        throw new Failure(
          'refused',
          `${join(folder, path)} is a link or a device; put the file itself in its place, so that a copy carries it over.`,
          2,
        );
      if (files.length > MOST_FILES)
        throw new Failure(
          'refused',
          `The folder ${folder} holds more than ${MOST_FILES} files; make a manifest for each part of it.`,
          2,
        );
    }
  };
  enter('');
  return files.toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}
