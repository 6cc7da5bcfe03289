import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Page } from 'playwright-core';
import { noChromium, openWindow, type OpenWindow } from './open-window.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

/** A person's way through the stops, each with what it asks for really done. @param looked gives what axe finds on the page. */
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
      await button('Jump to the end of the replay').click();
      // Two dozen steps are stored, each durable for itself: on a busy machine longer than a click waits.
      await button('Jump to the end of the replay').waitFor({ state: 'detached', timeout: 110_000 });
    });

    it('1 shows a real review of each phase', async () => {
      for (const phase of ['Task', 'Plan', 'Thought', 'Answer text (output)', 'Verifier result (exec)'])
        await page.getByText(phase, { exact: true }).first().click();
      await isDone();
      expect(
        (await page.getByRole('region', { name: 'What the supervisor was shown' }).innerText()).length,
      ).toBeGreaterThan(40);
      expect(await looked(page)).toEqual([]);
      await next();
    });

    it('2 is solved by dragging the slider to the p of the run', async () => {
      const slider = page.getByRole('slider');
      await slider.focus();
      for (let presses = 0; presses < 50; presses += 1) await slider.press('ArrowLeft');
      await isDone();
      expect(await page.getByText('p = 0.30: every count is the recorded one.').count()).toBe(1);
      expect(await looked(page)).toEqual([]);
      await next();
    });

    it('3 lets harmless feedback pass and catches a leak', async () => {
      const feedback = page.getByLabel('Your feedback');
      await feedback.fill('Trace each step.');
      await button('Hold it against the guard').click();
      await page.getByText('Nothing found in this one. It would pass.').waitFor();
      await button('Give me a leak').click();
      await button('Hold it against the guard').click();
      await isDone();
      expect(await page.getByText(/^Caught: /).count()).toBe(1);
      expect(await looked(page)).toEqual([]);
    });

    it('leads to the very record that a stop shows, and knows after a reload what was done', async () => {
      await button('See it in its room').click();
      await page.waitForURL(/sample-supervised\/records\?record=/);
      await page.goBack();
      await page.getByRole('heading', { name: 'Find the leak' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Find the leak' }).waitFor();
      expect(await page.getByText('(done)').count()).toBe(3);
      await isDone();
      await next();
    });

    it('4 ends at the air gap; the sample is shown by every room of a run, and is in no list of the lab', async () => {
      expect(await looked(page)).toEqual([]);
      await button('See the air gap').click();
      await page.getByRole('heading', { name: 'Settings' }).waitFor();
      for (const place of ['', '/records', '/context']) {
        await window.go(`/runs/sample-supervised${place}`);
        await page.getByText('demo: supervised').first().waitFor();
      }
      expect(window.engine.store.listRuns().rows).toEqual([]);
      await window.go('/runs');
      const group = page.getByRole('region', { name: 'Recorded sample' });
      for (const name of ['demo: alone', 'demo: supervised'])
        await group.getByRole('checkbox', { name: `Pick ${name}` }).check();
      await button('Compare').click();
      await page.waitForURL(/\/compare/);
      for (const name of ['demo: alone', 'demo: supervised']) await page.getByText(name).first().waitFor();
      expect(await page.getByText(/not in this lab/).count()).toBe(0);
      await window.go('/evaluations?tab=matrix');
      await page
        .getByRole('grid')
        .getByText(/demo: supervised/)
        .first()
        .waitFor();
      expect(window.complaints).toEqual([]);
    });

    it('can be presented: big type, notes, arrow keys back and forth, Escape leaves', async () => {
      await window.go('/tour?stop=gate');
      await page.getByRole('heading', { name: 'A coin for every item' }).waitFor();
      expect(await button('Notes').count()).toBe(0);
      await button('Presenter mode').click();
      await page.getByRole('navigation', { name: 'Stops of the tour' }).waitFor({ state: 'hidden' });
      // What everybody sees holds no notes; they are in the window of whoever speaks.
      expect(await page.getByText('share their coins', { exact: false }).count()).toBe(0);
      const [notes] = await Promise.all([window.context.waitForEvent('page'), button('Notes').click()]);
      await notes.getByText('share their coins', { exact: false }).waitFor();
      await page.bringToFront();
      expect(await looked(page)).toEqual([]);
      await page.keyboard.press('ArrowRight');
      await page.getByRole('heading', { name: 'Find the leak' }).waitFor();
      await notes.getByText('It cannot find hints in other words', { exact: false }).waitFor();
      await notes.close();
      await page.keyboard.press('ArrowLeft');
      await page.getByRole('heading', { name: 'A coin for every item' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('navigation', { name: 'Stops of the tour' }).waitFor();
    });

    it('is started again from the palette, and deletes its data when asked', async () => {
      await window.go('/settings');
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Search rooms, runs and commands').fill('start the tour');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Five places to look' }).waitFor();
      await button('Delete the sample data').first().click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
      await button('Open the sample run').waitFor();
      expect(window.engine.sample.state().playing).toBeNull();
    });
  });
}
