import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');
/** Tests that a text names in backticks, by their paths. */
const testsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path]) => path as string)),
];

describe('what is said of tests', () => {
  it.each(['README.md', 'docs/testing.md'])('%s names only tests that are there', (file) => {
    const named = testsIn(read(file));
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('every claim names what shows it', () => {
    const [, table = ''] = read('README.md').split('| claim | shown by |');
    const claims = table.split('\n\n')[0]?.split('\n').slice(2) ?? [];
    expect(claims.length).toBeGreaterThan(15);
    expect(claims.filter((row) => testsIn(row).length === 0)).toEqual([]);
  });
});
