import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from './room-rule.ts';

const RENDERER = join(import.meta.dirname, '../../renderer');

describe('a popover', () => {
  it('keeps the focus inside and gives it back to what opened it, which the library does for dialogs and menus only', () => {
    const popovers = sourceFiles(RENDERER)
      .filter((file) => file.endsWith('.tsx'))
      .flatMap((file) =>
        [...readFileSync(join(RENDERER, file), 'utf8').matchAll(/<Popover(?=[\s>])([^]*?)>\s*\n/g)].map(
          ([, properties]) => ({ file, properties: properties as string }),
        ),
      );
    expect(popovers.length).toBeGreaterThan(0);
    expect(
      popovers.filter(
        ({ properties }) => !/\btrapFocus\b/.test(properties) || !/\breturnFocus\b/.test(properties),
      ),
    ).toEqual([]);
  });
});
