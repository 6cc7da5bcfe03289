import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What is made once for all tests lies here, each named by its kind and a digest of what it was made from. */
export const SHELF = join(import.meta.dirname, '../../out/test');

/** Takes away what was made of this kind from something else. @param kept begins the names that stay. */
export function clearShelf(kind: string, kept: string): void {
  for (const name of readdirSync(SHELF))
    if (name.startsWith(kind) && !name.startsWith(kept))
      rmSync(join(SHELF, name), { recursive: true, force: true });
}
