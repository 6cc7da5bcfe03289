import { accessSync, constants, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** In memory where the system has such a folder: nothing in here has to outlive the test, and each image is megabytes. */
export function scratchFolder(purpose: string): string {
  const inMemory = '/dev/shm';
  try {
    accessSync(inMemory, constants.W_OK | constants.X_OK);
    return mkdtempSync(join(inMemory, `anchor-${purpose}-`));
  } catch {
    return mkdtempSync(join(tmpdir(), `anchor-${purpose}-`));
  }
}
