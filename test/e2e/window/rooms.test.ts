import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from '../../structure/room-rule.ts';
import { checkEachPlace, TRIED } from './each-place.ts';
import { APPLICATION } from './open-window.ts';

describe('the places that are tried', () => {
  it('hold every page of every room', () => {
    const rooms = join(APPLICATION, 'renderer/rooms');
    const pages = sourceFiles(rooms)
      .filter((file) => /^[^/]+\/index\.ts$/.test(file))
      .flatMap((file) =>
        [...readFileSync(join(rooms, file), 'utf8').matchAll(/path: '([^']+)'(?=[^}]*component:)/g)].map(
          ([, path]) => path as string,
        ),
      );
    expect(pages.length).toBeGreaterThan(0);
    expect(pages.filter((path) => !TRIED.some(({ page }) => page === path))).toEqual([]);
  });
});

// `rooms.full.test.ts` asks the same in the dark theme.
checkEachPlace('light');
