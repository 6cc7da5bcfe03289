import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from './room-rule.ts';

const ELECTRON = join(import.meta.dirname, '../../electron');
/** What only a terminal asks for; its sentences reach no window. */
const TERMINAL_ONLY = (file: string): boolean =>
  file.startsWith('cli/') ||
  ['engine/engine.ts', 'evaluation/datasets/folder-manifest.ts', 'hosts/served-lab.ts'].includes(file);

/** Commands that a file's sentences tell somebody to type, each with the words before it. */
function remediesOf(file: string): string[] {
  const found: string[] = [];
  const take = (text: string): void => {
    found.push(...[...text.matchAll(/[^"]{0,60}"anchor [a-z]+/g)].map(([words]) => words));
  };
  new Visitor({
    Literal: ({ value }) => {
      if (typeof value === 'string') take(value);
    },
    TemplateLiteral: ({ quasis }) => quasis.forEach(({ value }) => take(value.cooked ?? '')),
  }).visit(parseSync(file, readFileSync(join(ELECTRON, file), 'utf8')).program);
  return found;
}

describe('a sentence that names a command', () => {
  const remedies = sourceFiles(ELECTRON)
    .filter((file) => !TERMINAL_ONLY(file))
    .flatMap((file) => remediesOf(file).map((words) => `${file}: ${words}`));

  it('also says what to do in the window, or that it takes a terminal', () => {
    expect(remedies.length).toBeGreaterThan(15);
    expect(
      remedies.filter((words) => !/\bor (\w+ )*"anchor|\bin a terminal (\w+ )?"anchor/.test(words)),
    ).toEqual([]);
  });
});
