import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { smallRun } from '../../support/made-lab.ts';
import { noChromium, openWindow, type OpenWindow } from './open-window.ts';
import { runConfigSchema } from '../../../electron/contract/index.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';

useWarmTrainer();

const STEP_MS = 120_000; // real training on a shared core

/** One person's way through the window, each part going on where the one before ended. */
describe.skipIf(noChromium !== null)('from an empty lab to an answered review', () => {
  let window: OpenWindow;
  let runId: string;
  beforeAll(async () => {
    window = await openWindow();
  }, 120_000);
  afterAll(() => window?.close());

  it(
    'the first launch offers three doors, and the demo starts both of its arms',
    async () => {
      const { page, engine } = window;
      for (const door of ['Play the demo', 'Start the demo', 'Open the library'])
        expect(await page.getByRole('button', { name: door }).count()).toBe(1);
      await page.getByRole('button', { name: 'Start the demo' }).click();
      await page.getByRole('heading', { name: 'What supervision does', exact: true }).waitFor();
      expect(new URL(page.url()).hash).toMatch(/^#\/demo\?/);
      await page.getByText(/alone 0 and supervised 0 of 24 steps/).waitFor();
      const runs = engine.store.listRuns({}, { limit: 10 }).rows;
      expect(runs.map(({ config }) => [config.name, config.supervision.phases.exec]).sort()).toEqual([
        ['demo: alone', 0],
        ['demo: supervised', 0.3],
      ]);
      for (const { id } of runs) engine.stop(id); // its 24 steps take minutes; the rest of the way is a smaller run
      await Promise.all(runs.map(({ id }) => engine.waitFor(id)));
      await page.getByRole('button', { name: 'Go on, and ask both at the end' }).waitFor();
      await window.go('/runs');
      await page.getByText('Stopped').first().waitFor();
    },
    STEP_MS,
  );

  it(
    'a run that asks a person says so, and its questions are answered with the keyboard alone',
    async () => {
      const { page, engine } = window;
      const config = smallRun('asks a person', 0.5, 1);
      runId = engine.startRun(
        runConfigSchema.parse({
          ...config,
          supervision: {
            ...config.supervision,
            human: { share: 0.15, timeoutSeconds: 600, fallback: 'model' },
          },
        }),
      ).id;
      await page.getByText('asks a person').first().waitFor();
      await page.keyboard.press('g');
      await page.keyboard.press('q');
      await page.getByRole('heading', { name: 'Review queue' }).waitFor();
      const end = performance.now() + STEP_MS;
      while (engine.isActive(runId) && performance.now() < end) {
        const { length } = engine.people.questions(runId);
        if (length > 0) {
          await page.keyboard.press('1');
          await page.keyboard.press('Enter');
        }
        // Until the answer has arrived, or the next question: the desk goes on by itself.
        await vi
          .waitFor(
            () =>
              expect(engine.people.questions(runId).length === length && engine.isActive(runId)).toBe(false),
            { timeout: 10_000, interval: 50 },
          )
          .catch(() => {});
      }
      expect((await engine.waitFor(runId)).state).toBe('done');
      const answered = engine.people.history(runId).filter(({ outcome }) => outcome === 'answered').length;
      expect(answered).toBeGreaterThan(0);
      const reviews = engine.store.listReviews(runId, 1);
      expect(
        reviews.filter(({ reviewer, status }) => reviewer === 'human' && status !== 'failed').length,
      ).toBe(answered);
    },
    2 * STEP_MS,
  );

  it(
    'the finished run is in the list, and one of its records is found, read beside its review, and linked',
    async () => {
      const { page, engine } = window;
      await window.go('/runs');
      await page.getByText('Finished').first().waitFor();
      await window.go(`/runs/${runId}/records`);
      const reviewed = engine.store.pageRollouts(runId, { reviewed: true }, { limit: 1 }).rows[0];
      if (reviewed === undefined) throw new Error('the run has no reviewed record');
      await page.keyboard.press('j');
      await page.waitForFunction(() => location.hash.includes('record='));
      await window.go(`/runs/${runId}/records?record=${encodeURIComponent(reviewed.id)}`);
      await page.getByText(reviewed.id, { exact: false }).first().waitFor();
      expect(await page.getByText('Continue', { exact: false }).count()).toBeGreaterThan(0);
      expect(window.complaints).toEqual([]);
    },
    STEP_MS,
  );

  it(
    'a link to that record opens in another browser of the same person, and in no other',
    async () => {
      const { browser, host, page } = window;
      const place = new URL(page.url()).hash.slice(1);
      const context = await browser.newContext();
      const other = await context.newPage();
      await other.goto(`${host.url}/#${place}`);
      await other.getByRole('heading', { name: 'This window is not signed in' }).waitFor();
      await other.goto('about:blank');
      await other.goto(host.link(place));
      await other.locator('#content').waitFor();
      expect(new URL(other.url()).hash).toBe(`#${place}`);
      await context.close();
    },
    STEP_MS,
  );
});
