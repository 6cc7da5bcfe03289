/**
 * Writes resources/licences.json: every package that ships inside the application with its version, licence and licence text.
 * Run it after a change of packages: `node electron/cli/licence-list.ts`.
 */
import { existsSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeWholeFile } from '../library/index.ts';

type Manifest = {
  name: string;
  version: string;
  license?: string | { type?: string };
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
};
type Listed = { name: string; version: string; licence: string; text: string | null };

/** Packages that build and test the application and are not in it. */
const TOOLS =
  /^(@testing-library\/|@types\/|@vitejs\/|axe-core$|electron-builder$|happy-dom$|oxc-parser$|oxfmt$|oxlint$|playwright-core$|typescript$|vite$|vitest$)/;
const LICENCE_FILE = /^(licen[cs]e|copying)([-.].*)?$/i;

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** Where a package's own require would find another one: beside it, then in each node_modules above. */
function findPackage(from: string, name: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
    if (dirname(folder) === folder) return null;
  }
}

function licenceText(folder: string): string | null {
  const file = readdirSync(folder)
    .sort()
    .find((name) => LICENCE_FILE.test(name));
  return file === undefined ? null : readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim();
}

/** Every package the application ships, by name and version; platform binaries of other systems are not installed and not listed. */
export function listLicences(root: string): { application: string; packages: Listed[] } {
  const own = manifestOf(root);
  const roots = Object.keys({ ...own.dependencies, ...own.devDependencies }).filter(
    (name) => !TOOLS.test(name),
  );
  const found = new Map<string, Listed>();
  const open = roots.map((name) => ({ from: root, name }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const folder = findPackage(next.from, next.name);
    if (folder === null) continue; // optional, and not for this system
    const { name, version, license, dependencies, optionalDependencies } = manifestOf(folder);
    if (found.has(`${name}@${version}`)) continue;
    found.set(`${name}@${version}`, {
      name,
      version,
      licence: (typeof license === 'string' ? license : license?.type) ?? 'see text',
      text: licenceText(folder),
    });
    // Electron's own dependencies only fetch its binary when it is installed.
    if (name !== 'electron')
      open.push(
        ...Object.keys({ ...dependencies, ...optionalDependencies }).map((dependency) => ({
          from: realpathSync(folder),
          name: dependency,
        })),
      );
  }
  return {
    application: own.version,
    packages: [...found.values()].sort(
      (a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version, 'en'),
    ),
  };
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..');
  const target = join(root, 'resources/licences.json');
  const list = listLicences(root);
  writeWholeFile(target, `${JSON.stringify(list, null, 1)}\n`);
  process.stdout.write(`${list.packages.length} packages in ${target}\n`);
}
