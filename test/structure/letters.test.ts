import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const RENDERER = join(import.meta.dirname, '../../renderer');

describe('letters', () => {
  it('are sized in rem, so that they follow the size that a person chose in the browser', () => {
    const sizes = readdirSync(RENDERER, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.css'))
      .flatMap((name) =>
        [...readFileSync(join(RENDERER, name), 'utf8').matchAll(/^\s*(font(?:-size)?: .*);$/gm)].map(
          ([, size]) => `${name}: ${size}`,
        ),
      );
    expect(sizes.length).toBeGreaterThan(100);
    expect(sizes.filter((size) => size.includes('px'))).toEqual([]);
  });
});
