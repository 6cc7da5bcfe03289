import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Page } from 'playwright-core';
import { noChromium, openWindow, type OpenWindow } from './open-window.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

/** A person's way through the nine stops, each with what it asks for really done. @param looked gives what axe finds on the page. */
export function walkTour(looked: (page: Page) => Promise<string[]>): void {
  describe.skipIf(noChromium !== null)('the tour', () => {
    let window: OpenWindow;
    let page: Page;
    beforeAll(async () => {
      window = await openWindow({ place: '/tour' });
      ({ page } = window);
    });
    afterAll(() => window?.close());

    const isDone = async (): Promise<void> => page.locator('.tour-turn[data-done="true"]').waitFor();
    const next = async (): Promise<void> => page.getByRole('button', { name: 'Next', exact: true }).click();
    const button = (name: string | RegExp) => page.getByRole('button', { name });

    it('says what the sample is before it is opened', async () => {
      expect(await page.getByText(/the same policy evolved twice from the same seed/).count()).toBe(1);
      expect(await looked(page)).toEqual([]);
      await button('Open the sample run').click();
    });

    it('1 plays the run through the live feed', async () => {
      await button('Play at ×60').click();
      await isDone();
      expect(await page.locator('.tour-feed > div').count()).toBeGreaterThan(3);
      await button('To the end').click();
      await page.getByText('supervised: 20 of 20 steps').waitFor();
      expect(await looked(page)).toEqual([]);
      await next();
    });

    it('2 shows a real review of each phase', async () => {
      for (const phase of ['task', 'plan', 'thought', 'output', 'exec'])
        await page.getByText(phase, { exact: true }).first().click();
      await isDone();
      expect(
        (await page.getByRole('region', { name: 'What the supervisor was shown' }).innerText()).length,
      ).toBeGreaterThan(40);
      expect(await looked(page)).toEqual([]);
      await next();
    });

    it('3 is solved by dragging the slider to the p of the run', async () => {
      const slider = page.getByRole('slider');
      await slider.focus();
      for (let presses = 0; presses < 50; presses += 1) await slider.press('ArrowLeft');
      await isDone();
      expect(await page.getByText('p = 0.30: every count is the recorded one.').count()).toBe(1);
      expect(await looked(page)).toEqual([]);
      await next();
    });

    it('4 hides the verdict until the person has said theirs', async () => {
      expect(await page.getByText(/the verifier says/).count()).toBe(0);
      await button('It was accepted').click();
      await isDone();
      expect(await page.getByText(/the verifier says (passed|failed)/).count()).toBe(1);
      expect(await looked(page)).toEqual([]);
      await next();
    });

    it('5 lets harmless feedback pass and catches a leak', async () => {
      const feedback = page.getByLabel('Your feedback');
      await feedback.fill('Trace each step.');
      await button('Hold it against the guard').click();
      await page.getByText('Nothing found in this one. It would pass.').waitFor();
      await button('Give me a leak').click();
      await button('Hold it against the guard').click();
      await isDone();
      expect(await page.getByText(/^Caught: /).count()).toBe(1);
      expect(await looked(page)).toEqual([]);
      await next();
    });

    it('6 leads from a line to the reviews that caused it', async () => {
      await page
        .getByRole('button', { name: /^Refuse unsafe requests/ })
        .first()
        .click();
      await isDone();
      await page
        .getByText(/^step \d+, (task|plan|thought|output|exec): /)
        .first()
        .waitFor();
      expect(await looked(page)).toEqual([]);
      await next();
    });

    it('7 is solved at a step at which a line left', async () => {
      const slider = page.getByRole('slider');
      await slider.focus();
      for (
        let presses = 0;
        presses < 20 && (await page.locator('.tour-turn[data-done="true"]').count()) === 0;
        presses += 1
      ) {
        await slider.press('ArrowRight');
        await page.waitForTimeout(150);
      }
      await isDone();
      expect(await page.getByText(/because of: /).count()).toBeGreaterThan(0);
      expect(await looked(page)).toEqual([]);
      await next();
    });

    it('8 reads the same numbers from another baseline', async () => {
      const before = await page.getByRole('table').innerText();
      await page.getByText('alone', { exact: true }).first().click();
      await isDone();
      expect(await page.getByRole('table').innerText()).not.toBe(before);
      expect(await looked(page)).toEqual([]);
      await next();
    });

    it('9 ends at the air gap; the sample is shown by every room of a run, and is in no list of the lab', async () => {
      expect(await looked(page)).toEqual([]);
      await button('See the air gap').click();
      await page.getByRole('heading', { name: 'Settings' }).waitFor();
      for (const place of ['', '/records', '/context']) {
        await window.go(`/runs/sample-supervised${place}`);
        await page.getByText('demo: supervised').first().waitFor();
      }
      expect(window.engine.store.listRuns().rows).toEqual([]);
      expect(window.complaints).toEqual([]);
    });

    it('can be presented: big type, notes, arrow keys back and forth, Escape leaves', async () => {
      await window.go('/tour?stop=lineage&present=true');
      await page.getByText('Nobody has to believe the prompt', { exact: false }).waitFor();
      expect(await looked(page)).toEqual([]);
      await page.keyboard.press('ArrowRight');
      await page.getByRole('heading', { name: 'What changed in the prompt' }).waitFor();
      await page.keyboard.press('ArrowLeft');
      await page.getByRole('heading', { name: 'Why is this line in the prompt?' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('navigation', { name: 'Stops of the tour' }).waitFor();
    });

    it('is started again from the palette, and deletes its data when asked', async () => {
      await window.go('/settings');
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Search rooms, runs and commands').fill('start the tour');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'A run that trains itself' }).waitFor();
      await button('Delete the sample data').first().click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
      await button('Open the sample run').waitFor();
      expect(window.engine.sample.state().playing).toBeNull();
    });
  });
}
