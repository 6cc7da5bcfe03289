import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkFile, checkRooms, sourceFiles } from './room-rule.ts';

const root = join(import.meta.dirname, '../..');

describe('rooms', () => {
  it('import only in the direction of the design', () => {
    expect(checkRooms(join(root, 'electron'))).toEqual([]);
  });

  it.each([
    ['core/gate.ts', `import { x } from '../store/index.ts'`, 'core/ may not import store/'],
    ['contract/names.ts', `import fs from 'node:fs'`, 'contract/ imports only zod'],
    ['evolution/step.ts', `import { open } from '../store/database.ts'`, 'a room is entered by its index.ts only'],
    ['supervision/gate.ts', `export { judge } from '../evaluation/index.ts'`, 'supervision/ may not import evaluation/'],
    ['engine/run.ts', `import Database from 'better-sqlite3'`, 'only store/ imports better-sqlite3'],
    ['cli/anchor.ts', `const s = await import('../store/index.ts')`, 'cli/ may not import store/'],
    ['store/open.ts', `import type { A } from '../../native/thing.ts'`, 'leaves electron/'],
  ])('the rule catches %s with %s', (file, source, why) => {
    expect(checkFile(file, source).map((violation) => violation.why)).toEqual([why]);
  });

  it('the rule accepts an import through an index downwards', () => {
    expect(checkFile('evolution/step.ts', `import { a } from '../store/index.ts'; import b from './plan.ts';`)).toEqual([]);
  });
});

describe('files', () => {
  it('stop at 300 lines', () => {
    const long = sourceFiles(join(root, 'electron')).filter((name) => readFileSync(join(root, 'electron', name), 'utf8').split('\n').length > 301);
    expect(long).toEqual([]);
  });

  it('top level holds what the design names', () => {
    const allowed = new Set(['electron', 'renderer', 'native', 'resources', 'test', 'README.md', 'LICENSE', 'package.json', 'package-lock.json', 'tsconfig.json',
      'vitest.config.ts', 'node_modules', 'out', 'dist', 'lab']);
    const unexpected = readdirSync(root).filter((name) => !allowed.has(name) && !name.startsWith('.'));
    expect(unexpected).toEqual([]);
    expect(existsSync(join(root, '.ci/run'))).toBe(true);
  });
});
