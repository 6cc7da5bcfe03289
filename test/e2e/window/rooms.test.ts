import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sourceFiles } from '../../structure/room-rule.ts';
import { makeLab, type MadeLab } from './made-lab.ts';
import { APPLICATION, noChromium, openWindow, type OpenWindow } from './open-window.ts';
import { placesOf } from './places.ts';

/** Injected by the test driver, which the page's policy does not hold back. */
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const scratch = mkdtempSync(join(tmpdir(), 'anchor-rooms-'));
let made: MadeLab;

beforeAll(async () => {
  if (noChromium === null) made = await makeLab(join(scratch, 'lab'), 3);
}, 400_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const NAMES: MadeLab = { folder: '', supervised: 'a', alone: 'b', stopped: 'c', audit: 'd', record: 'e' };
const names = placesOf(NAMES).map(({ name }) => name);
const placeOf = (name: string): string => placesOf(made).find((place) => place.name === name)?.at ?? '/';

describe('the places that are tried', () => {
  it('hold every page of every room', () => {
    const rooms = join(APPLICATION, 'renderer/rooms');
    const pages = sourceFiles(rooms).filter((file) => /^[^/]+\/index\.ts$/.test(file))
      .flatMap((file) => [...readFileSync(join(rooms, file), 'utf8').matchAll(/path: '([^']+)'(?=[^}]*component:)/g)].map(([, path]) => path as string));
    expect(pages.length).toBeGreaterThan(0);
    expect(pages.filter((path) => !placesOf(NAMES).some(({ page }) => page === path))).toEqual([]);
  });
});

/** What axe finds, one line each: the rule, how bad, and where. */
async function findings({ page }: OpenWindow): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: { run: (context: Document, options: object) => Promise<AxeResults> } }).axe
    .run(document, { resultTypes: ['violations'] }));
  return violations.flatMap(({ id, impact, nodes }) => nodes.map((node) => `${id} (${impact ?? 'unrated'}): ${node.target.join(' ')} ${node.failureSummary?.split('\n')[1]?.trim() ?? ''}`));
}

/** Charts are drawn only once they are in view, which a page learns a moment after it is there. */
const CHARTS_MS = 600;

/** Parts that stick out of the window at the right. */
const sidewaysScroll = ({ page }: OpenWindow): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

describe.skipIf(noChromium !== null).each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  let window: OpenWindow;
  beforeAll(async () => { window = await openWindow({ labFolder: made.folder, theme, place: '/runs' }); }, 120_000);
  afterAll(() => window?.close());

  it.each(names)('%s: axe finds nothing, nothing scrolls sideways, nothing complains', async (name) => {
    window.complaints.length = 0;
    await window.go(placeOf(name));
    await window.page.waitForTimeout(CHARTS_MS);
    expect(await findings(window)).toEqual([]);
    expect(await sidewaysScroll(window)).toBe(0);
    expect(window.complaints).toEqual([]);
  }, 60_000);

  it('an empty lab: axe finds nothing, nothing scrolls sideways, nothing complains', async () => {
    const empty = await openWindow({ theme });
    try {
      expect(await empty.page.getByRole('heading', { name: 'Welcome to Anchor Lab' }).count()).toBe(1);
      expect(await findings(empty)).toEqual([]);
      expect(await sidewaysScroll(empty)).toBe(0);
      expect(empty.complaints).toEqual([]);
    } finally {
      await empty.close();
    }
  }, 60_000);
});
