import { existsSync, statSync } from 'node:fs';
import { isAbsolute, join, normalize, relative } from 'node:path';
import { Failure } from '../../contract/index.ts';
import { type ByteWatch, hashFile } from './whole-file.ts';

/** One line of a manifest: a file below the folder it was made in, and its SHA-256. */
export type ManifestEntry = { path: string; sha256: string };

export type ManifestFinding = ManifestEntry & {
  state: 'same' | 'different' | 'missing';
  found: string | null;
};

/** GNU writes a backslash before a line whose name has one; BSD writes `SHA256 (name) = hash`. */
const GNU = /^(\\?)([0-9a-fA-F]{64}) [ *](.+)$/;
const BSD = /^SHA256 \((.+)\) = ([0-9a-fA-F]{64})$/;
const MOST_ENTRIES = 100_000;

/**
 * Reads what `sha256sum` (or `shasum -a 256`) writes. @throws Failure `badManifest` (exit code 2) naming the first line that is
 * none, or a name that leaves the folder.
 */
export function parseManifest(text: string): ManifestEntry[] {
  const entries = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .flatMap((line, index): ManifestEntry[] => {
      if (line.trim() === '' || line.startsWith('#')) return [];
      const gnu = GNU.exec(line);
      const bsd = BSD.exec(line);
      if (gnu === null && bsd === null) {
        throw new Failure(
          'badManifest',
          `Line ${index + 1} of the manifest is not of the form "<64 hexadecimal digits>  <file>"; make it with "sha256sum * > SHA256SUMS".`,
          2,
        );
      }
      const path =
        gnu === null ? (bsd?.[1] ?? '') : gnu[1] === '\\' ? unescaped(gnu[3] ?? '') : (gnu[3] ?? '');
      if (isAbsolute(path) || normalize(path).startsWith('..') || path.includes('\0')) {
        throw new Failure(
          'badManifest',
          `Line ${index + 1} of the manifest names "${path}", which is not below its folder; make the manifest inside the folder that you carry over.`,
          2,
        );
      }
      return [{ path: normalize(path), sha256: (gnu?.[2] ?? bsd?.[2] ?? '').toLowerCase() }];
    });
  if (entries.length === 0)
    throw new Failure(
      'badManifest',
      'The manifest names no file; make it with "sha256sum * > SHA256SUMS" in the folder that you carry over.',
      2,
    );
  if (entries.length > MOST_ENTRIES)
    throw new Failure(
      'badManifest',
      `The manifest names ${entries.length} files, more than ${MOST_ENTRIES}; split it.`,
      2,
    );
  return entries;
}

const unescaped = (name: string): string =>
  name.replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter === 'r' ? '\r' : letter));

/** Sum of the sizes of the files that are there, in bytes. */
export function manifestBytes(folder: string, entries: readonly ManifestEntry[]): number {
  return entries.reduce(
    (sum, { path }) => sum + (existsSync(join(folder, path)) ? statSync(join(folder, path)).size : 0),
    0,
  );
}

/** Hashes every file a manifest names, in its order. Files the manifest does not name are not looked at. */
export async function checkManifest(
  folder: string,
  entries: readonly ManifestEntry[],
  watch: ByteWatch = {},
): Promise<ManifestFinding[]> {
  const findings: ManifestFinding[] = [];
  for (const { path, sha256 } of entries) {
    const file = join(folder, path);
    if (relative(folder, file).startsWith('..') || !existsSync(file) || !statSync(file).isFile()) {
      findings.push({ path, sha256, state: 'missing', found: null });
      continue;
    }
    const found = await hashFile(file, watch);
    findings.push({ path, sha256, state: found === sha256 ? 'same' : 'different', found });
  }
  return findings;
}
