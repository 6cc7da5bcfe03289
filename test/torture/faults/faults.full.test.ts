// @module-tag full
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scratchFolder } from '../scratch.ts';
import { openStudio, play, type Studio } from './play.ts';
import { FAULTS } from './table.ts';

describe('a fault has the outcome it is promised', () => {
  const folder = scratchFolder('faults');
  let studio: Studio;
  beforeAll(async () => {
    studio = await openStudio(folder);
  }, 600_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(FAULTS.filter(({ full }) => full === true))(
    '$name ($how)',
    async (fault) => {
      expect(await play(fault, studio)).toBeNull();
    },
    600_000,
  );
});
