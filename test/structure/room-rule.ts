import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { parseSync } from 'oxc-parser';

/** Which rooms of electron/ each room may import, written out; the one-way street of the design. */
const MAY_IMPORT: Record<string, string[]> = {
  contract: [],
  core: ['contract'],
  figures: ['contract'],
  store: ['contract', 'core'],
  processes: ['contract', 'core'],
  library: ['contract', 'core'],
  live: ['contract', 'core', 'store'],
  machine: ['contract', 'core', 'store', 'processes', 'library', 'models'],
  models: ['contract', 'core', 'processes', 'library'],
  supervision: ['contract', 'core', 'store', 'processes', 'library', 'models'],
  evaluation: ['contract', 'core', 'store', 'processes', 'library', 'models', 'supervision'],
  evolution: ['contract', 'core', 'store', 'processes', 'library', 'models', 'supervision', 'evaluation'],
  tipping: ['contract', 'core', 'store', 'processes', 'library', 'models', 'supervision', 'evaluation'],
  experiments: [
    'contract',
    'core',
    'store',
    'processes',
    'library',
    'models',
    'supervision',
    'evaluation',
    'evolution',
    'tipping',
    'live',
  ],
  reviewing: ['contract', 'core', 'store', 'processes', 'library', 'models', 'supervision', 'evolution'],
  asking: [
    'contract',
    'core',
    'store',
    'processes',
    'library',
    'models',
    'supervision',
    'evaluation',
    'machine',
  ],
  plan: [
    'contract',
    'core',
    'store',
    'processes',
    'library',
    'models',
    'supervision',
    'evaluation',
    'evolution',
    'machine',
    'reviewing',
  ],
  inventory: [
    'contract',
    'core',
    'store',
    'processes',
    'library',
    'models',
    'evaluation',
    'evolution',
    'machine',
  ],
  reports: ['contract', 'core', 'figures', 'store', 'library', 'supervision', 'evaluation', 'plan'],
  engine: [
    'contract',
    'core',
    'reports',
    'store',
    'processes',
    'library',
    'models',
    'supervision',
    'evaluation',
    'evolution',
    'tipping',
    'experiments',
    'live',
    'machine',
    'reviewing',
    'asking',
    'plan',
    'inventory',
  ],
  hosts: ['contract', 'core', 'library', 'engine'],
  cli: [
    'contract',
    'core',
    'reports',
    'library',
    'models',
    'machine',
    'plan',
    'supervision',
    'evaluation',
    'evolution',
    'experiments',
    'engine',
    'hosts',
  ],
  shell: ['contract', 'core', 'library', 'engine', 'hosts'],
};

/** Entries of a room beside its index.ts, for a reader that must not load the whole room. */
const SECOND_ENTRIES: Record<string, readonly string[]> = {
  // The terminal's reading commands start in a third of the time without the engine and all that it composes.
  'engine/open-records.ts': ['cli'],
  'library/lab-folder.ts': ['cli', 'engine'],
};

/**
 * Inside of evolution/ the street is one-way as well: the loop knows no framework, the kits know the loop, frameworks know both.
 */
const EVOLUTION_MAY_IMPORT: Record<string, string[]> = {
  loop: [],
  'code-tasks': ['loop'],
  'rewarded-prompts': ['loop'],
  frameworks: ['loop', 'code-tasks', 'rewarded-prompts'],
};

/** Which rooms of renderer/ each room may import. Rooms of the window (rooms/<name>) never import each other. */
const RENDERER_MAY_IMPORT: Record<string, string[]> = {
  theme: [],
  i18n: [],
  ui: ['theme', 'i18n'],
  data: ['i18n'],
  commands: ['i18n'],
  charts: ['theme', 'i18n', 'ui'],
  rooms: ['theme', 'i18n', 'ui', 'data', 'commands', 'charts'],
  app: ['theme', 'i18n', 'ui', 'data', 'commands', 'charts', 'rooms'],
};

/** Packages only these rooms of the window may import. */
const RENDERER_PACKAGES: Record<string, string[]> = {
  '@mantine/core': ['ui', 'theme', 'app'],
  '@mantine/hooks': ['ui'],
  '@mantine/spotlight': ['app'],
  '@trpc/client': ['data'],
  uplot: ['charts'],
  'react-intl': ['i18n'],
  tinykeys: ['commands'],
};

/** What of electron/ the window may import: the contract, how records are drawn, and the type of the router where the client is made. */
export const RENDERER_ENGINE_ROOMS = ['electron/contract/index.ts', 'electron/figures/index.ts'];
const RENDERER_ENGINE_TYPE_FILES = ['data/client.ts', 'data/query.ts'];

/** Packages only one room may import, so that a later change of library touches one room. */
const OWNED_PACKAGES: Record<string, string> = {
  'better-sqlite3': 'store',
  'node-llama-cpp': 'processes',
  electron: 'shell',
  ws: 'hosts',
  commander: 'cli',
};

/** The only packages contract may import. */
const CONTRACT_PACKAGES = new Set(['zod']);

export type Violation = { file: string; imports: string; why: string };

function importsOf(file: string, source: string): string[] {
  const { module } = parseSync(file, source);
  const fixed = module.staticImports.map((entry) => entry.moduleRequest.value);
  const passedOn = module.staticExports.flatMap((entry) =>
    entry.entries.flatMap((part) => part.moduleRequest?.value ?? []),
  );
  const dynamic = module.dynamicImports.map((entry) =>
    source.slice(entry.moduleRequest.start + 1, entry.moduleRequest.end - 1),
  );
  return [...fixed, ...passedOn, ...dynamic];
}

/** Checks one file of electron/ as if it stood at `file` (relative to electron/) with this text. Resolves relative paths. */
export function checkFile(file: string, source: string): Violation[] {
  const room = file.split('/')[0] ?? '';
  const violations: Violation[] = [];
  for (const target of importsOf(file, source)) {
    const broken = (why: string): void => void violations.push({ file, imports: target, why });
    if (!target.startsWith('.')) {
      const name = target.startsWith('@')
        ? target.split('/').slice(0, 2).join('/')
        : (target.split('/')[0] ?? '');
      const owner = OWNED_PACKAGES[name];
      if (owner !== undefined && owner !== room && room !== 'main.ts' && room !== 'preload.ts')
        broken(`only ${owner}/ imports ${name}`);
      if (room === 'contract' && !CONTRACT_PACKAGES.has(name)) broken('contract/ imports only zod');
      continue;
    }
    const resolved = join(dirname(file), target).split(sep).join('/');
    const targetRoom = resolved.split('/')[0] ?? '';
    if (resolved.startsWith('..')) broken('leaves electron/');
    else if (room === 'evolution' && targetRoom === room) {
      const part = file.split('/')[1] ?? '';
      const targetPart = resolved.split('/')[1] ?? '';
      const allowed = EVOLUTION_MAY_IMPORT[part];
      if (allowed !== undefined && part !== targetPart && !allowed.includes(targetPart))
        broken(`evolution/${part}/ may not import ${targetPart}`);
    } else if (targetRoom !== room) {
      const allowed = MAY_IMPORT[room];
      if (allowed !== undefined && !allowed.includes(targetRoom))
        broken(`${room}/ may not import ${targetRoom}/`);
      else if (resolved !== `${targetRoom}/index.ts` && !SECOND_ENTRIES[resolved]?.includes(room))
        broken(`a room is entered by its index.ts only`);
    }
  }
  return violations;
}

export function sourceFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|mts|tsx)$/.test(name) && !name.endsWith('.d.ts'))
    .sort();
}

/** Every violation in a checkout's electron/ folder. */
export function checkRooms(electron: string): Violation[] {
  return sourceFiles(electron).flatMap((name) =>
    checkFile(
      relative(electron, join(electron, name)).split(sep).join('/'),
      readFileSync(join(electron, name), 'utf8'),
    ),
  );
}

/** Checks one file of renderer/ as if it stood at `file` (relative to renderer/) with this text. */
export function checkRendererFile(file: string, source: string): Violation[] {
  const [room = '', name = ''] = file.split('/');
  const violations: Violation[] = [];
  for (const target of importsOf(file, source)) {
    const broken = (why: string): void => void violations.push({ file, imports: target, why });
    if (!target.startsWith('.')) {
      const [scope = '', part = ''] = target.split('/');
      const owners = RENDERER_PACKAGES[target.startsWith('@') ? `${scope}/${part}` : scope];
      if (owners !== undefined && !owners.includes(room))
        broken(`only ${owners.join(', ')} import${owners.length === 1 ? 's' : ''} this package`);
      continue;
    }
    const resolved = join('renderer', dirname(file), target).split(sep).join('/');
    if (RENDERER_ENGINE_ROOMS.includes(resolved)) continue;
    if (resolved === 'electron/engine/index.ts' && RENDERER_ENGINE_TYPE_FILES.includes(file)) {
      if (!/import type \{ EngineRouter \}/.test(source))
        broken('only the type of the router may be imported');
      continue;
    }
    if (!resolved.startsWith('renderer/')) {
      broken('the window imports nothing of electron/ but contract and figures');
      continue;
    }
    const [, targetRoom = '', targetName = ''] = resolved.split('/');
    const isForeignRoom = room === 'rooms' && targetRoom === 'rooms' && targetName !== name;
    if (isForeignRoom) broken('rooms never import each other');
    else if (targetRoom !== room) {
      const allowed = RENDERER_MAY_IMPORT[room];
      const door =
        targetRoom === 'rooms' ? `renderer/rooms/${targetName}/index.ts` : `renderer/${targetRoom}/index.ts`;
      if (allowed !== undefined && !allowed.includes(targetRoom))
        broken(`${room}/ may not import ${targetRoom}/`);
      else if (resolved !== door) broken('a room is entered by its index.ts only');
    }
  }
  return violations;
}

/** Every violation in a checkout's renderer/ folder. */
export function checkRenderer(renderer: string): Violation[] {
  return sourceFiles(renderer)
    .filter((name) => name !== 'vite.config.ts')
    .flatMap((name) =>
      checkRendererFile(name.split(sep).join('/'), readFileSync(join(renderer, name), 'utf8')),
    );
}
