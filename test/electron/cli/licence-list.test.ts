import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listLicences } from '../../../electron/cli/licence-list.ts';

const root = join(import.meta.dirname, '../../..');
type List = ReturnType<typeof listLicences>;

/** Which binaries are installed depends on the system, so packages named after one are compared nowhere. */
const plain = ({ application, packages }: List): List => ({
  application,
  packages: packages.filter(({ name }) => !/(linux|darwin|win32|win-|mac-)/.test(name)),
});

describe('the list of licences', () => {
  it('is that of the packages that are installed; after a change run "node electron/cli/licence-list.ts"', () => {
    expect(plain(JSON.parse(readFileSync(join(root, 'resources/licences.json'), 'utf8')) as List)).toEqual(
      plain(listLicences(root)),
    );
  });

  it('has the packages of the window and the engine, and no tool that only builds or tests', () => {
    const names = listLicences(root).packages.map(({ name }) => name);
    for (const shipped of [
      'react',
      '@mantine/core',
      'better-sqlite3',
      'node-llama-cpp',
      'zod',
      'uplot',
      'electron',
    ])
      expect(names).toContain(shipped);
    for (const tool of ['vitest', 'typescript', 'playwright-core', 'oxlint'])
      expect(names).not.toContain(tool);
  });
});
