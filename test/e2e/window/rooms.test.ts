import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sourceFiles } from '../../structure/room-rule.ts';
import { findings } from './findings.ts';
import { makeLab, type MadeLab } from './made-lab.ts';
import { APPLICATION, noChromium, openWindow, type OpenWindow } from './open-window.ts';
import { placesOf } from './places.ts';

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
    const pages = sourceFiles(rooms)
      .filter((file) => /^[^/]+\/index\.ts$/.test(file))
      .flatMap((file) =>
        [...readFileSync(join(rooms, file), 'utf8').matchAll(/path: '([^']+)'(?=[^}]*component:)/g)].map(
          ([, path]) => path as string,
        ),
      );
    expect(pages.length).toBeGreaterThan(0);
    expect(pages.filter((path) => !placesOf(NAMES).some(({ page }) => page === path))).toEqual([]);
  });
});

/** Charts are drawn only once they are in view, which a page learns a moment after it is there. */
const CHARTS_MS = 600;

describe.skipIf(noChromium !== null).each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  let window: OpenWindow;
  beforeAll(async () => {
    window = await openWindow({ labFolder: made.folder, theme, place: '/runs' });
  }, 120_000);
  afterAll(() => window?.close());

  it.each(names)(
    '%s: axe finds nothing, nothing scrolls sideways, nothing complains',
    async (name) => {
      window.complaints.length = 0;
      await window.go(placeOf(name));
      await window.page.waitForTimeout(CHARTS_MS);
      expect(await findings(window.page)).toEqual([]);
      expect(window.complaints).toEqual([]);
    },
    60_000,
  );

  it('a plan with something to mind: axe finds nothing, nothing scrolls sideways, nothing complains', async () => {
    window.complaints.length = 0;
    await window.go('/new?at=supervision');
    await window.page.getByLabel('A person answers a share of the reviews').check();
    await window.page.getByText('Each unanswered item may hold the step', { exact: false }).waitFor();
    expect(await findings(window.page)).toEqual([]);
    expect(window.complaints).toEqual([]);
  }, 60_000);

  it('an empty lab: axe finds nothing, nothing scrolls sideways, nothing complains', async () => {
    const empty = await openWindow({ theme });
    try {
      expect(await empty.page.getByRole('heading', { name: 'Welcome to Anchor Lab' }).count()).toBe(1);
      expect(await findings(empty.page)).toEqual([]);
      expect(empty.complaints).toEqual([]);
    } finally {
      await empty.close();
    }
  }, 60_000);
});
