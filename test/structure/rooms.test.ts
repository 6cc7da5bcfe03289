import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { untoldReads } from './read-rule.ts';
import { bareWords } from './word-rule.ts';
import { PARTS } from '../../electron/cli/build-parts.ts';
import {
  checkFile,
  checkRenderer,
  checkRendererFile,
  checkRooms,
  RENDERER_ENGINE_ROOMS,
  sourceFiles,
} from './room-rule.ts';

const root = join(import.meta.dirname, '../..');

describe('rooms', () => {
  it('import only in the direction of the design', () => {
    expect(checkRooms(join(root, 'electron'))).toEqual([]);
  });

  it.each([
    ['core/gate.ts', `import { x } from '../store/index.ts'`, 'core/ may not import store/'],
    ['contract/names.ts', `import fs from 'node:fs'`, 'contract/ imports only zod'],
    [
      'evolution/step.ts',
      `import { open } from '../store/database.ts'`,
      'a room is entered by its index.ts only',
    ],
    [
      'supervision/gate.ts',
      `export { judge } from '../evaluation/index.ts'`,
      'supervision/ may not import evaluation/',
    ],
    ['engine/run.ts', `import Database from 'better-sqlite3'`, 'only store/ imports better-sqlite3'],
    ['cli/anchor.ts', `const s = await import('../store/index.ts')`, 'cli/ may not import store/'],
    [
      'hosts/http.ts',
      `import { openRecords } from '../engine/open-records.ts'`,
      'a room is entered by its index.ts only',
    ],
    ['store/open.ts', `import type { A } from '../../native/thing.ts'`, 'leaves electron/'],
    [
      'machine/doctor.ts',
      `import type { Services } from '../engine/index.ts'`,
      'machine/ may not import engine/',
    ],
    ['reviewing/audits.ts', `import { x } from '../plan/index.ts'`, 'reviewing/ may not import plan/'],
    ['plan/probe.ts', `import { Engine } from '../engine/index.ts'`, 'plan/ may not import engine/'],
    ['inventory/look.ts', `import { Engine } from '../engine/index.ts'`, 'inventory/ may not import engine/'],
    ['models/port.ts', `import { x } from '../machine/index.ts'`, 'models/ may not import machine/'],
    ['live/timeline.ts', `import { x } from '../evolution/index.ts'`, 'live/ may not import evolution/'],
    ['live/timeline.ts', `import { x } from '../library/lab-folder.ts'`, 'live/ may not import library/'],
    ['store/open.ts', `import { x } from '../library/lab-folder.ts'`, 'store/ may not import library/'],
    [
      'models/find-model.ts',
      `import { x } from '../library/lab-folder.ts'`,
      'a room is entered by its index.ts only',
    ],
    [
      'evolution/loop/step.ts',
      `import { azr } from '../frameworks/azr/index.ts'`,
      'evolution/loop/ may not import frameworks',
    ],
    [
      'evolution/loop/step.ts',
      `import type { CodeTask } from '../code-tasks/scoring.ts'`,
      'evolution/loop/ may not import code-tasks',
    ],
    [
      'evolution/code-tasks/scoring.ts',
      `import { azr } from '../frameworks/azr/index.ts'`,
      'evolution/code-tasks/ may not import frameworks',
    ],
  ])('the rule catches %s with %s', (file, source, why) => {
    expect(checkFile(file, source).map((violation) => violation.why)).toEqual([why]);
  });

  it("the rule accepts the engine's second entry in the terminal's commands", () => {
    expect(checkFile('cli/program.ts', `const r = await import('../engine/open-records.ts')`)).toEqual([]);
  });

  it('the rule accepts an import through an index downwards', () => {
    expect(
      checkFile('evolution/step.ts', `import { a } from '../store/index.ts'; import b from './plan.ts';`),
    ).toEqual([]);
  });
});

describe('rooms of the window', () => {
  it('import only in the direction of the design', () => {
    expect(checkRenderer(join(root, 'renderer'))).toEqual([]);
  });

  it.each([
    ['ui/page.tsx', `import { api } from '../data/index.ts'`, 'ui/ may not import data/'],
    ['rooms/runs/page.tsx', `import { x } from '../live/index.ts'`, 'rooms never import each other'],
    [
      'rooms/runs/page.tsx',
      `import { Button } from '@mantine/core'`,
      'only ui, theme, app import this package',
    ],
    [
      'rooms/runs/page.tsx',
      `import { Engine } from '../../../electron/engine/index.ts'`,
      'the window imports nothing of electron/ but contract and figures',
    ],
    [
      'data/client.ts',
      `import { Engine } from '../../electron/engine/index.ts'`,
      'only the type of the router may be imported',
    ],
    [
      'app/frame.tsx',
      `import { Table } from '../rooms/runs/table.tsx'`,
      'a room is entered by its index.ts only',
    ],
  ])('the rule catches %s with %s', (file, source, why) => {
    expect(checkRendererFile(file, source).map((violation) => violation.why)).toEqual([why]);
  });

  it('the rule accepts the contract, the shared parts and the own parts', () => {
    expect(
      checkRendererFile(
        'rooms/runs/page.tsx',
        `import type { Phase } from '../../../electron/contract/index.ts'; import { Page } from '../../ui/index.ts'; import { Row } from './row.tsx';`,
      ),
    ).toEqual([]);
  });
});

describe('words', () => {
  it('of the window stand in the catalogue, not in components', () => {
    const components = sourceFiles(join(root, 'renderer')).filter((name) => name.endsWith('.tsx'));
    expect(
      components.flatMap((name) => bareWords(name, readFileSync(join(root, 'renderer', name), 'utf8'))),
    ).toEqual([]);
  });

  it.each([
    ['text between tags', `export const A = () => <p>Hello there</p>;`],
    ['a label', `export const A = () => <input aria-label="Name" />;`],
    ['a label in braces', `export const A = () => <input placeholder={'Name'} />;`],
  ])('the rule catches %s', (_what, source) => {
    expect(bareWords('a.tsx', source)).toHaveLength(1);
  });

  it('the rule accepts punctuation, and text for programs', () => {
    expect(bareWords('a.tsx', `export const A = () => <p className="x">· {name} × 3</p>;`)).toEqual([]);
  });
});

describe('reads of the window', () => {
  it('tell when they fail, in a place of their own or in the frame', () => {
    const renderer = join(root, 'renderer');
    const files = sourceFiles(renderer).filter((name) => /\.tsx?$/.test(name));
    expect(files.length).toBeGreaterThan(200);
    expect(files.flatMap((name) => untoldReads(name, readFileSync(join(renderer, name), 'utf8')))).toEqual(
      [],
    );
  });

  it.each([
    [
      'parts of a read',
      `const A = () => { const read = useApiQuery('a.b', x, 1); return f(read.data ?? []); };`,
    ],
    ['the data of a call', `const A = () => f(useApiQuery('a.b', x, 1).data?.rows ?? []);`],
    [
      'data alone taken out',
      `const A = () => { const { data } = useApiQuery('a.b', x, 1); return f(data); };`,
    ],
    [
      'a read whose neighbour is told',
      `function A() { const read = useApiQuery('a.b', x, 1); return f(read.data); }
       function B() { const read = useApiQuery('c.d', x, 1); return f(read.data, read.error); }`,
    ],
  ])('the rule catches %s', (_what, source) => {
    expect(untoldReads('rooms/a.tsx', source)).toEqual(['rooms/a.tsx: a.b']);
  });

  it('the rule catches a hook that hands on a read and that it does not know', () => {
    expect(untoldReads('data/a.ts', `export const useA = () => useApiQuery('a.b', x, 1);`)).toHaveLength(1);
  });

  it.each([
    ['an error that is taken', `const read = useApiQuery('a.b', x, 1); return f(read.data, read.error);`],
    ['an error taken out', `const { data, error } = useApiQuery('a.b', x, 1); return f(data, error);`],
    ['a read that is handed on', `const read = useApiQuery('a.b', x, 1); return f(read);`],
    ['a side read', `const read = useSideQuery('a.b', x, 1); return f(read.data ?? []);`],
  ])('the rule accepts %s', (_what, body) => {
    expect(untoldReads('rooms/a.tsx', `function A() { ${body} }`)).toEqual([]);
  });
});

describe('files', () => {
  it('are chapters: the ones over 400 lines are printed, and none passes 500', () => {
    const lengths = ['electron', 'renderer'].flatMap((top) =>
      sourceFiles(join(root, top)).map((name) => ({
        file: `${top}/${name}`,
        lines: readFileSync(join(root, top, name), 'utf8').split('\n').length - 1,
      })),
    );
    const long = lengths.filter(({ lines }) => lines > 400);
    for (const { file, lines } of long) console.warn(`${file} has ${lines} lines; is it two chapters?`);
    expect(long.filter(({ lines }) => lines > 500)).toEqual([]);
  });

  it('top level holds what the design names', () => {
    const allowed = new Set([
      'electron',
      'renderer',
      'native',
      'resources',
      'test',
      'docs',
      'README.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'LICENSE',
      'pyproject.toml',
      'package.json',
      'package-lock.json',
      'tsconfig.json',
      'vitest.config.ts',
      'node_modules',
      'out',
      'dist',
      'lab',
    ]);
    const unexpected = readdirSync(root).filter((name) => !allowed.has(name) && !name.startsWith('.'));
    expect(unexpected).toEqual([]);
    expect(existsSync(join(root, '.ci/run'))).toBe(true);
  });
});

describe('the built window', () => {
  it('is made anew once anything of a room changed that is bundled into it', () => {
    const { sources } = PARTS.find(({ name }) => name === 'renderer')!;
    expect(sources).toEqual(['renderer', ...RENDERER_ENGINE_ROOMS.map((door) => dirname(door))]);
  });
});
