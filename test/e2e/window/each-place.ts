import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { smallRun, type MadeLab } from '../../support/made-lab.ts';
import { copyPreparedLab } from '../../support/prepared-lab.ts';
import { createRouter, type Engine } from '../../../electron/engine/index.ts';
import { cutOff } from './clipping.ts';
import { findings } from './findings.ts';
import { noChromium, openWindow, settled, type OpenWindow } from './open-window.ts';
import { placesOf } from './places.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';

useWarmTrainer();

const NOBODY: MadeLab = { folder: '', supervised: 'a', alone: 'b', stopped: 'c', audit: 'd', record: 'e' };
/** Every place that is tried, in a lab that need not exist. */
export const TRIED = placesOf(NOBODY);

/** Every place of the window in one theme: axe finds nothing, nothing is cut off or scrolls sideways, nothing complains. */
export function checkEachPlace(theme: 'light' | 'dark'): void {
  describe.skipIf(noChromium !== null)(`in the ${theme} theme`, () => {
    const scratch = mkdtempSync(join(tmpdir(), 'anchor-rooms-'));
    let made: MadeLab;
    let window: OpenWindow;
    let charts = 0;
    beforeAll(async () => {
      made = await copyPreparedLab(join(scratch, 'lab'));
      window = await openWindow({ labFolder: made.folder, theme, place: '/runs' });
      await nameInDisguise(window.engine, made);
    }, 400_000);
    afterAll(async () => {
      await window?.close();
      rmSync(scratch, { recursive: true, force: true });
    });

    it.each(TRIED.map(({ name }) => name))(
      `%s: axe finds nothing, nothing is cut off or scrolls sideways, nothing complains`,
      async (name) => {
        window.complaints.length = 0;
        await window.go(placesOf(made).find((place) => place.name === name)?.at ?? '/');
        charts += await drawnCharts(window.page);
        expect(await findings(window.page)).toEqual([]);
        expect(await cutOff(window.page)).toEqual([]);
        expect(await actingTexts(window.page)).toEqual([]);
        expect(await barePanels(window.page)).toEqual([]);
        expect(window.complaints).toEqual([]);
      },
      60_000,
    );

    it('shows what people named with the marks of what is invisible in it', async () => {
      await window.go('/runs');
      await window.page.getByText('run⟦U+202E⟧gnp.exe').first().waitFor();
      await window.page.getByText('tag⟦U+2067⟧').first().waitFor();
    }, 60_000);

    it('charts were among what was tried', () => {
      expect(charts).toBeGreaterThan(4);
    });

    it(`a plan with something to mind: axe finds nothing, nothing scrolls sideways, nothing complains`, async () => {
      window.complaints.length = 0;
      await window.go('/new?at=supervision');
      await window.page.getByLabel('A person answers a share of the reviews').check();
      await window.page.getByText('Each unanswered item may hold the step', { exact: false }).waitFor();
      expect(await findings(window.page)).toEqual([]);
      expect(window.complaints).toEqual([]);
    }, 60_000);

    it(`an empty lab: axe finds nothing, nothing scrolls sideways, nothing complains`, async () => {
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
}

/** A run and what is noted of it, with characters that turn the text around them. */
async function nameInDisguise(engine: Engine, { supervised }: MadeLab): Promise<void> {
  const verbs = createRouter(engine).createCaller({});
  const { id } = engine.startRun(smallRun('run\u202egnp.exe', 0, 1));
  engine.stop(id);
  await engine.waitFor(id);
  await verbs.runs.annotate({
    runIds: [id, supervised],
    change: { tags: ['tag\u2067'], notes: 'note\u202e\u2066' },
  });
}

/** Texts and titles in view that hold a character which turns the text around it. */
const actingTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const acting = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
    const texts = [...document.querySelectorAll<HTMLElement>('body *')].flatMap((element) => [
      ...[...element.childNodes].map((node) => (node.nodeType === 3 ? (node.nodeValue ?? '') : '')),
      element.title,
      element.getAttribute('aria-label') ?? '',
    ]);
    return [document.title, ...texts].filter((text) => acting.test(text));
  });

/** Panels at the side that hold neither a heading nor a control: a sentence is not worth a quarter of the width. */
const barePanels = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('#content aside')]
      .filter((panel) => panel.querySelector('h2, h3, button, input, select, summary') === null)
      .map((panel) => panel.textContent),
  );

/** Waits until every chart in view is drawn, which it is a moment after it came there. @returns how many there are. */
async function drawnCharts(page: Page): Promise<number> {
  const drawn = await page.waitForFunction(() => {
    const inView = [...document.querySelectorAll('.fig-plot')].filter((figure) => {
      const { top, bottom } = figure.getBoundingClientRect();
      return bottom > 0 && top < globalThis.innerHeight;
    });
    const isDrawn = (figure: Element): boolean => figure.querySelector('canvas, .fig-empty') !== null;
    return inView.every(isDrawn) && { charts: inView.length };
  });
  await settled(page);
  const { charts } = (await drawn.jsonValue()) as { charts: number };
  return charts;
}
