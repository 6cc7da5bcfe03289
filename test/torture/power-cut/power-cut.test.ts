import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { scratchFolder } from '../scratch.ts';
import { cutPower, recordCommits } from './campaign.ts';

/** `npm run torture` makes 500 of each. */
const IMAGES = 60;
const SEED = 20_261_120;

const folder = scratchFolder('power');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a power cut at a random moment', () => {
  it(`loses no acknowledged step and damages nothing with the store's own settings (${IMAGES} images, seed ${SEED})`, async () => {
    const result = await cutPower(folder, recordCommits(folder, 'FULL'), 'FULL', IMAGES, SEED);
    expect(result.syncs).toBeGreaterThan(75);
    expect(result.damaged).toEqual([]);
    expect(result.lossy).toBe(0);
  }, 300_000);

  it('does lose acknowledged steps with synchronous=NORMAL, which shows that the cuts are real, and still damages nothing', async () => {
    const result = await cutPower(folder, recordCommits(folder, 'NORMAL'), 'NORMAL', IMAGES, SEED);
    expect(result.damaged).toEqual([]);
    expect(result.lossy).toBeGreaterThan(IMAGES / 10);
  }, 300_000);
});
