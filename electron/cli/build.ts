/** Builds what runs outside of Node: `node electron/cli/build.ts [part …] [--force]`. A part whose sources did not change is left as it is. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { extname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { PARTS, type Part } from './build-parts.ts';

const root = join(import.meta.dirname, '../..');

const MEDIA_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.cjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

/** Files of a folder, or the file itself, relative to the checkout; sorted, so that the fingerprint does not depend on the disk. */
function filesOf(place: string): string[] {
  const path = join(root, place);
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [place];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(place, name))
    .filter((name) => statSync(join(root, name)).isFile())
    .sort();
}

/** Changes when anything changes that the part is made of. */
function fingerprintOf({ sources }: Part): string {
  const hash = createHash('sha256').update(process.version);
  for (const file of [
    'package-lock.json',
    'electron/cli/build.ts',
    'electron/cli/build-parts.ts',
    ...sources,
  ].flatMap(filesOf)) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

function isFresh(folder: string, fingerprint: string): boolean {
  const manifest = join(folder, 'manifest.json');
  return (
    existsSync(manifest) &&
    (JSON.parse(readFileSync(manifest, 'utf8')) as { fingerprint: string }).fingerprint === fingerprint
  );
}

/** Lists every file with its hash, so that a host serves these bytes or none and never works with paths of a request. */
export function writeManifest(folder: string, fingerprint: string): void {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();
  const files = Object.fromEntries(
    names.map((name) => {
      const bytes = readFileSync(join(folder, name));
      const type = MEDIA_TYPES[extname(name)];
      if (type === undefined)
        throw new Error(
          `The bundle holds ${name}, whose media type is not known; add it in electron/cli/build.ts.`,
        );
      return [
        name.replaceAll('\\', '/'),
        { sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length, type },
      ];
    }),
  );
  writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify({ fingerprint, files }, null, 1)}\n`);
}

/** Whether it was renamed; false when the other program was there first. */
function tryRename(from: string, to: string, expected: readonly string[]): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (expected.includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** Puts `fresh` where `target` is. Another program may be doing the same; whoever comes last stays. */
function swap(fresh: string, target: string, old: string): void {
  for (;;) {
    rmSync(old, { recursive: true, force: true });
    if (tryRename(target, old, ['ENOENT']) && tryRename(fresh, target, ['ENOTEMPTY', 'EEXIST'])) return;
    if (!existsSync(target) && tryRename(fresh, target, ['ENOTEMPTY', 'EEXIST'])) return;
  }
}

/** Builds beside the old result and swaps, so that a failed build leaves a working window. */
async function build(part: Part, fingerprint: string): Promise<void> {
  const target = join(root, 'out', part.name);
  const [fresh, old] = [`${target}.new-${process.pid}`, `${target}.old-${process.pid}`];
  mkdirSync(fresh, { recursive: true });
  try {
    await part.build(root, fresh);
    writeManifest(fresh, fingerprint);
    swap(fresh, target, old);
  } finally {
    for (const left of [fresh, old]) rmSync(left, { recursive: true, force: true });
  }
}

/** Removes what builds left behind that were killed in the middle. */
function clearLeftovers(): void {
  const out = join(root, 'out');
  for (const name of existsSync(out) ? readdirSync(out) : []) {
    const pid = /\.(?:new|old)-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(out, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Builds the parts that are stale.
 * @param wanted names of PARTS; empty for all. @returns the names of those that were built.
 */
export async function buildStale(wanted: readonly string[], force: boolean): Promise<string[]> {
  clearLeftovers();
  const built: string[] = [];
  for (const part of PARTS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const fingerprint = fingerprintOf(part);
    if (!force && isFresh(join(root, 'out', part.name), fingerprint)) continue;
    const begin = performance.now();
    const mode = process.env['NODE_ENV'];
    // A test runner sets another mode, and React would be built with its development checks.
    process.env['NODE_ENV'] = 'production';
    try {
      await build(part, fingerprint);
    } finally {
      if (mode === undefined) delete process.env['NODE_ENV'];
      else process.env['NODE_ENV'] = mode;
    }
    process.stderr.write(`build: out/${part.name} in ${((performance.now() - begin) / 1000).toFixed(1)} s\n`);
    built.push(part.name);
  }
  return built;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const args = process.argv.slice(2);
  const wanted = args.filter((arg) => arg !== '--force');
  const unknown = wanted.filter((name) => !PARTS.some((part) => part.name === name));
  if (unknown.length > 0) {
    process.stderr.write(
      `build: there is no part ${unknown.join(', ')}; the parts are ${PARTS.map(({ name }) => name).join(', ')}\n`,
    );
    process.exitCode = 2;
  } else {
    await buildStale(wanted, args.includes('--force')).catch((error: unknown) => {
      process.stderr.write(
        `build: ${error instanceof Error ? stripVTControlCharacters(error.message) : String(error)}\n`,
      );
      process.exitCode = 1;
    });
  }
}
