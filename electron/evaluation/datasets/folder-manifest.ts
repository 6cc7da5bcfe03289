import { existsSync, statSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { z } from 'zod';
import { isFolder, readText, shownPath } from '../../core/index.ts';
import { Failure, sha256Schema, type FolderDifference, type FolderManifest } from '../../contract/index.ts';
import { hashFile, parseManifest, writeWholeFile, type ByteWatch } from '../../library/index.ts';

/** What `sha256sum -c` reads, and the same with sizes and what made it. */
export const MANIFEST_SUMS = 'SHA256SUMS';
export const MANIFEST_JSON = 'anchor-manifest.json';
const OWN = new Set([MANIFEST_SUMS, MANIFEST_JSON]);
const MANIFEST_LIMIT = 32 * 1024 * 1024; // bytes; 100,000 entries are a third of that

const manifestSchema = z.strictObject({
  format: z.literal('anchor-folder-manifest'),
  version: z.literal(1),
  madeAt: z.iso.datetime(),
  files: z.array(
    z.strictObject({ path: z.string().min(1), bytes: z.int().nonnegative(), sha256: sha256Schema }),
  ),
});
type Expected = { path: string; bytes: number | null; sha256: string };

/**
 * Writes down what a folder holds, for carrying it across an air gap: SHA256SUMS, which every system can check, and
 * anchor-manifest.json, which also has the sizes. Each is written whole or not at all.
 * @param at time of day, ISO 8601. @throws Failure (exit code 2) `missingFile`, `refused` for a link or a name that no manifest can hold.
 */
export async function writeFolderManifest(
  given: string,
  at: string,
  watch: ByteWatch & { onTotal?: (bytes: number) => void } = {},
): Promise<FolderManifest> {
  const folder = requireFolder(given);
  const found = filesBelow(folder, OWN);
  watch.onTotal?.(found.reduce((sum, { bytes }) => sum + bytes, 0));
  const files: { path: string; bytes: number; sha256: string }[] = [];
  for (const { path, bytes } of found)
    files.push({ path, bytes, sha256: await hashFile(join(folder, path), watch) });
  if (files.length === 0)
    throw new Failure(
      'refused',
      `The folder ${folder} holds no file; choose the folder that is to be carried over.`,
      2,
    );
  writeWholeFile(
    join(folder, MANIFEST_SUMS),
    files.map(({ path, sha256 }) => sumLine(path, sha256)).join(''),
  );
  writeWholeFile(
    join(folder, MANIFEST_JSON),
    `${JSON.stringify({ format: 'anchor-folder-manifest', version: 1, madeAt: at, files } satisfies z.infer<typeof manifestSchema>, null, 1)}\n`,
  );
  return {
    folder,
    manifest: join(folder, MANIFEST_SUMS),
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    differences: [],
  };
}

/** As GNU writes it: a backslash before the line when the name had to be escaped. */
function sumLine(path: string, sha256: string): string {
  const escaped = path.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
  return `${escaped === path ? '' : '\\'}${sha256}  ${escaped}\n`;
}

/**
 * Compares a folder with its manifest and names every difference: files that are missing, changed, or there without being named.
 * @param given the folder, or one of its two manifests. @throws Failure (exit code 2) `missingFile` or `badManifest`.
 */
export async function checkFolder(
  given: string,
  watch: ByteWatch & { onTotal?: (bytes: number) => void } = {},
): Promise<FolderManifest> {
  const { folder, manifest, expected } = readManifest(resolve(given));
  const found = new Map(filesBelow(folder, OWN).map((file) => [file.path, file.bytes]));
  watch.onTotal?.(expected.reduce((sum, { path }) => sum + (found.get(path) ?? 0), 0));
  const differences: FolderDifference[] = [];
  for (const { path, bytes, sha256 } of expected) {
    const there = found.get(path);
    found.delete(path);
    if (there === undefined) {
      differences.push({ state: 'missing', path });
      continue;
    }
    const hash = await hashFile(join(folder, path), watch);
    if (hash !== sha256)
      differences.push({
        state: 'changed',
        path,
        expected: { bytes, sha256 },
        found: { bytes: there, sha256: hash },
      });
  }
  differences.push(...[...found.keys()].map((path): FolderDifference => ({ state: 'added', path })));
  return {
    folder,
    manifest,
    files: expected.length,
    bytes: expected.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0),
    differences,
  };
}

function readManifest(path: string): { folder: string; manifest: string; expected: Expected[] } {
  const manifest = isFolder(path)
    ? ([MANIFEST_JSON, MANIFEST_SUMS].map((name) => join(path, name)).find((each) => existsSync(each)) ??
      join(path, MANIFEST_SUMS))
    : path;
  if (!existsSync(manifest))
    throw new Failure(
      'missingFile',
      `There is no manifest at ${shownPath(manifest)}; make it with "anchor dataset manifest" where the folder comes from.`,
      2,
    );
  const text = readText(manifest, MANIFEST_LIMIT);
  return {
    folder: dirname(manifest),
    manifest,
    expected: basename(manifest).endsWith('.json')
      ? fromJson(text, manifest)
      : parseManifest(text).map((entry) => ({
          ...entry,
          path: entry.path.replaceAll(sep, '/'),
          bytes: null,
        })),
  };
}

function fromJson(text: string, manifest: string): Expected[] {
  const parsed = manifestSchema.safeParse(jsonOf(text));
  if (!parsed.success)
    throw new Failure(
      'badManifest',
      `${manifest} is no manifest of this program (${parsed.error.issues[0]?.path.join('.') || 'the whole'}); make it again with "anchor dataset manifest".`,
      2,
    );
  // The names go through the same checks as those of SHA256SUMS, so that none leads out of the folder.
  parseManifest(parsed.data.files.map(({ path, sha256 }) => sumLine(path, sha256)).join(''));
  return parsed.data.files;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // told by the schema
  }
}

function requireFolder(given: string): string {
  const folder = resolve(given);
  if (!isFolder(folder))
    throw new Failure(
      'missingFile',
      `There is no folder at ${shownPath(folder)}; choose the folder that is to be carried over.`,
      2,
    );
  return folder;
}

const MOST_FILES = 100_000;

/**
 * All files below a folder with their sizes in bytes, in the order of their names' bytes, hidden ones too. Names have forward slashes.
 * @throws Failure `refused` (exit code 2) for a link or a device, which a copy may not carry over as it is.
 */
function filesBelow(folder: string, without: ReadonlySet<string>): { path: string; bytes: number }[] {
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
