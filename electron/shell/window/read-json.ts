import { readFileSync } from 'node:fs';

/** JSON of a file; null when there is none or it cannot be read as such. */
export function readJsonOrNull(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
