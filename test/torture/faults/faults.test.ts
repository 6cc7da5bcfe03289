import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scratchFolder } from '../scratch.ts';
import { openStudio, play, type Studio } from './play.ts';
import { FAULTS } from './table.ts';

const folder = scratchFolder('faults');
let studio: Studio;
beforeAll(async () => {
  studio = await openStudio(folder);
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a fault has the outcome it is promised', () => {
  it.each(FAULTS.filter((fault) => fault.quick === true))(
    '$name ($how)',
    async (fault) => {
      expect(await play(fault, studio)).toBeNull();
    },
    600_000,
  );

  it('is one of at least forty kinds, each with a name of its own; `npm run torture` injects them all', () => {
    expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
    expect(FAULTS.length).toBeGreaterThanOrEqual(40);
  });
});
