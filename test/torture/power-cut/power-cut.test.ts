import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { scratchFolder } from '../scratch.ts';
import { cutPower, recordCommits, requireWhole } from './campaign.ts';
import type { Operation } from './trace.ts';

/** `npm run torture` makes 500 of each. */
const IMAGES = 15;
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

  it(
    'does lose acknowledged steps with synchronous=NORMAL, which shows that the cuts are real, and still damages nothing',
    { timeout: 300_000, tags: ['full'] },
    async () => {
      const result = await cutPower(folder, recordCommits(folder, 'NORMAL'), 'NORMAL', IMAGES, SEED);
      expect(result.damaged).toEqual([]);
      expect(result.lossy).toBeGreaterThan(IMAGES / 10);
    },
  );
});

it('a recording that lacks a write, or a file, is refused', () => {
  const lab = join(folder, 'written');
  mkdirSync(lab);
  writeFileSync(join(lab, 'lab.sqlite'), 'abcd');
  const path = join(lab, 'lab.sqlite');
  const whole: Operation[] = [
    { kind: 'create', path },
    { kind: 'write', path, offset: 0, data: Buffer.from('ab') },
    { kind: 'sync', path },
    { kind: 'write', path, offset: 2, data: Buffer.from('cd') },
  ];
  requireWhole(whole, lab);
  expect(() => requireWhole(whole.slice(0, -1), lab)).toThrow(
    /does not hold all that was done to lab\.sqlite /,
  );
  writeFileSync(join(lab, 'anchor.lock'), 'mine');
  expect(() => requireWhole(whole, lab)).toThrow(/all that was done to anchor\.lock /);
});
