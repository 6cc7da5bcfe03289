import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DIALOGS } from '../e2e/window/dialogs.ts';
import { sourceFiles } from './room-rule.ts';

const RENDERER = join(import.meta.dirname, '../../renderer');
/** Components of the window's library that open over a page; their parts are written with a dot. */
const OPENS = /<(Modal|Drawer|Menu|Popover|HoverCard|Dialog|Spotlight)(?=[\s>])([^]*?)>\s*\n/g;

const opened = sourceFiles(RENDERER)
  .filter((file) => file.endsWith('.tsx'))
  .flatMap((file) =>
    [...readFileSync(join(RENDERER, file), 'utf8').matchAll(OPENS)].map(([, component, properties]) => ({
      file,
      component: component as string,
      properties: properties as string,
    })),
  );

describe('what opens over a page', () => {
  it('is in the list of dialogs that are walked by keyboard, each as often as its file has it', () => {
    const named = DIALOGS.map(({ file }) => file);
    expect(named.length).toBeGreaterThan(10);
    expect(opened.map(({ file }) => file).sort()).toEqual(named.toSorted());
  });

  it('keeps the focus inside and gives it back where the library would not by itself', () => {
    const popovers = opened.filter(({ component }) => component === 'Popover');
    expect(popovers.length).toBeGreaterThan(0);
    expect(
      popovers.filter(
        ({ properties }) => !/\btrapFocus\b/.test(properties) || !/\breturnFocus\b/.test(properties),
      ),
    ).toEqual([]);
  });
});
