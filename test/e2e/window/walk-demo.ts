import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Page } from 'playwright-core';
import { APPLICATION, noChromium, openWindow, type OpenWindow } from './open-window.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** Where the pictures of the walk go; nothing of it is kept in the repository. */
const PICTURES = join(APPLICATION, 'out/three-minutes');

type Walk = {
  theme: 'light' | 'dark';
  /** Whether the recording is played as a person would watch it; else what the first launch stored is looked at. */
  plays: boolean;
  /** What axe finds on the page. */ looked: (page: Page) => Promise<string[]>;
};

/**
 * What a stranger does in three minutes with a lab that has nothing in it: two curves part, an answer changes and has a cause, and it has
 * a price. Clicks and keys only; every step leaves a picture.
 */
export function walkDemo({ theme, plays, looked }: Walk): void {
  describe.skipIf(noChromium !== null)('the first three minutes', () => {
    let window: OpenWindow;
    let page: Page;
    beforeAll(async () => {
      window = await openWindow({ theme });
      ({ page } = window);
    });
    afterAll(() => window?.close());

    const button = (name: string | RegExp) => page.getByRole('button', { name });
    const picture = async (name: string): Promise<void> => {
      mkdirSync(PICTURES, { recursive: true });
      writeFileSync(join(PICTURES, `${name}-${theme}.png`), await page.screenshot());
    };
    const answers = async (): Promise<string[]> => page.locator('.demo-answer blockquote').allInnerTexts();

    it('begin with the picture of the recorded sample, read from its records', async () => {
      await page.getByRole('figure', { name: 'Refuses restricted requests' }).waitFor();
      expect(window.engine.sample.state().runs.map(({ state }) => state)).toEqual(['done', 'done']);
      expect(window.engine.store.listRuns().rows).toEqual([]);
      expect(await looked(page)).toEqual([]);
      await picture('0-first-launch');
      await button('Play the demo').click();
    });

    it('after half a minute, show two curves that have parted', async () => {
      if (plays) {
        await button('Play it again').click();
        const began = performance.now();
        const whole = page.getByText(/^alone 24 and supervised 24 of 24 steps$/);
        // What was played before stands there until it begins again.
        await whole.waitFor({ state: 'hidden' });
        await whole.waitFor({ timeout: 60_000 });
        expect((performance.now() - began) / 1000).toBeLessThan(45);
      }
      // The last answers come after the last step; the recording is over when it can be played again.
      await button('Play it again').waitFor({ timeout: 60_000 });
      const figure = page.getByRole('figure', { name: 'Refuses restricted requests' });
      const share = async (name: string): Promise<number> =>
        Number.parseFloat(await figure.getByRole('button', { name }).locator('.numbers').innerText());
      await expect.poll(() => share('Alone')).toBeLessThan(30);
      expect(await share('Supervised')).toBeGreaterThan((await share('Alone')) + 20);
      expect(await looked(page)).toEqual([]);
      await picture('1-parted');
    });

    it('let the answers move as the step is dragged: the same at its start, apart at its end', async () => {
      // The last answers are read again when the recording has stored them.
      await expect.poll(async () => (await answers())[0]).toMatch(/^Sure, /);
      const [alone, supervised] = await answers();
      expect(supervised).toMatch(/decline|cannot/);
      const slider = page.getByRole('slider', { name: 'Step of the answers' });
      await slider.focus();
      await slider.press('Home');
      await page.getByText('step 0', { exact: true }).first().waitFor();
      const start = await answers();
      expect(start[0]).toBe(start[1]);
      expect(start[0]).not.toBe(alone);
      await slider.press('End');
      await expect.poll(answers).toEqual([alone, supervised]);
    });

    it('after a minute and a half, lead from the changed answer to the prompt that was changed by it', async () => {
      await button('Next: Why').click();
      for (const link of [
        '1. An answer changed',
        '2. The same slip',
        '3. The supervisor saw it',
        '4. A line came of it',
        '5. The next prompt',
      ])
        await page.getByRole('heading', { name: link }).waitFor();
      expect(await page.locator('.demo-chain mark').allInnerTexts()).toEqual([
        'Refuse unsafe requests.',
        '- Refuse unsafe requests.',
      ]);
      expect(await looked(page)).toEqual([]);
      await picture('2-cause');
      await button('Open the record').first().click();
      await page.getByRole('heading', { name: 'demo: supervised' }).waitFor();
      await page.goBack();
    });

    it('take the lines out of the prompt and the reviews out of the lines', async () => {
      await button('Next: What if').click();
      await page.getByText('With the lines, step 24').waitFor();
      const slider = page.getByRole('slider', { name: 'Review probability p' });
      await page.getByText(/^(\d+) of \1 lines would have come in$/).waitFor();
      await slider.focus();
      await slider.press('Home');
      await page.getByText(/^0 of \d+ lines would have come in$/).waitFor();
      expect(await looked(page)).toEqual([]);
      await picture('3-what-if');
    });

    it('after three minutes, say what it costs, who is in control and that nothing reached out', async () => {
      await button('Next: What it costs').click();
      await page.getByText(/^Outputs predicted: \d+ points less than alone/).waitFor();
      await page.getByText(/^Refuses restricted requests: \d+ points more than alone/).waitFor();
      await page.getByText('1,263 in 24 steps').waitFor();
      expect(await page.getByText('Nothing reached out of this machine').count()).toBe(1);
      expect(await looked(page)).toEqual([]);
      await picture('4-costs');
    });

    it('can be presented: larger, by arrow keys, with notes that follow in a second window', async () => {
      expect(await button('Notes').count()).toBe(0);
      const size = async (): Promise<number> =>
        page.locator('.demo-words').evaluate((list) => Number.parseFloat(getComputedStyle(list).fontSize));
      const before = await size();
      await button('Presenter mode').click();
      await expect.poll(size).toBeGreaterThan(before * 1.2);
      const [notes] = await Promise.all([window.context.waitForEvent('page'), button('Notes').click()]);
      await notes.getByText('Say the price before somebody asks', { exact: false }).waitFor();
      expect(await page.getByText('Say the price before somebody asks', { exact: false }).count()).toBe(0);
      await page.bringToFront();
      await page.locator('.demo-body').focus();
      await page.keyboard.press('ArrowLeft');
      await notes.getByText('Switch the lines off', { exact: false }).waitFor();
      expect(await looked(page)).toEqual([]);
      await picture('5-presented');
      await page.keyboard.press('Escape');
      await button('Presenter mode').waitFor();
      await notes.close();
      expect(window.complaints).toEqual([]);
    });
  });
}
