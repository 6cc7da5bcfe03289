import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { openBundle, serveLoopback, type LoopbackHost } from '../../../electron/hosts/index.ts';
import type { Engine } from '../../../electron/engine/index.ts';
import { fillRun } from '../../electron/store/support/in-lab.ts';
import { APPLICATION, noChromium, noticed, openEngine, openWindow, type OpenWindow } from './open-window.ts';

describe.skipIf(noChromium !== null)('the window and its engine', () => {
  let window: OpenWindow;
  let page: Page;
  const later: { engine: Engine; host: LoopbackHost }[] = [];
  beforeAll(async () => {
    window = await openWindow();
    ({ page } = window);
    const { store } = window.engine;
    fillRun(store, 'a', 1);
    for (const state of ['setting-up', 'stepping', 'done'] as const) store.setRunState('a', state, null);
  }, 120_000);
  afterAll(async () => {
    for (const { engine, host } of later) {
      await host.close().catch(() => {}); // closed by its own test already
      await engine.close().catch(() => {});
    }
    await window?.browser.close();
  });

  /** Another program takes the place of the one before, at the same address. */
  async function replace(
    sessions: LoopbackHost['sessions'] | undefined,
  ): Promise<{ engine: Engine; host: LoopbackHost }> {
    const engine = await openEngine(window.labFolder);
    const host = await serveLoopback(engine, {
      port: Number(new URL(window.host.url).port),
      bundle: openBundle(join(APPLICATION, 'out/renderer')),
      sessions,
    });
    later.push({ engine, host });
    return { engine, host };
  }

  /**
   * Waits until the window follows what happens. It knows its engine by the first batch of events, which comes some time after the line
   * is open; of one that left before, nobody could say that another took its place.
   */
  async function isHeard(): Promise<void> {
    const job = { kind: 'hash', title: 'Heard', unit: 'byte', done: 0, total: 0, problem: null } as const;
    const tell = (state: 'running' | 'done'): void =>
      window.engine.live.emit({
        kind: 'job',
        job: { ...job, id: 'job-0', state, ratePerSecond: null, etaSeconds: null },
      });
    const shown = page.locator('footer').getByText(job.title);
    // An event from before the window listened is not sent to it.
    for (tell('running'); !(await shown.isVisible()); tell('running')) await sleep(100);
    tell('done');
  }

  /** The colours of good news in the strip, in Settings and of a finished run, and the colour of what is no news. */
  async function goodMarks(): Promise<Record<string, string | undefined>> {
    const colour = (mark: Locator, property: 'color' | 'backgroundColor'): Promise<string> =>
      mark.evaluate((element, name) => getComputedStyle(element)[name], property);
    await window.go('/runs');
    const finished = page.locator('.runs-table span:has(> .ui-dot)', { hasText: 'Finished' });
    const dot = await colour(finished.locator('.ui-dot'), 'backgroundColor');
    await window.go('/settings');
    return {
      'the dot of a run': dot,
      'the strip': await colour(page.locator('.app-strip a'), 'color'),
      'the sentence of Settings': await colour(page.locator('.settings-state'), 'color'),
      'what is quiet': await colour(page.locator('.app-strip'), 'color'),
    };
  }

  /** Whether what the kit draws in green, such as an alert that all is well, is grey. */
  const isKitGrey = (): Promise<boolean> =>
    page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      return ['light', 'light-color', 'outline'].every(
        (part) =>
          style.getPropertyValue(`--mantine-color-green-${part}`) ===
          style.getPropertyValue(`--mantine-color-gray-${part}`),
      );
    });

  it('no token is left in the address or in the history', async () => {
    expect(page.url()).not.toContain('token');
    expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(3);
    await page.goBack();
    expect(page.url()).not.toContain('token');
    await page.goForward();
    await page.locator('#content').waitFor();
  });

  it("the page's policy runs no script that was slipped into it, and lets nothing out", async () => {
    const ran = await page.evaluate(async (address) => {
      const script = document.createElement('script');
      // As a parser would: setting its text is refused before (trusted types).
      script.append('globalThis.slipped = true');
      document.body.append(script);
      const outside = await globalThis.fetch('https://example.org/').then(
        () => 'answered',
        () => 'refused',
      );
      const foreign = await globalThis.fetch(address.replace('127.0.0.1', 'localhost')).then(
        () => 'answered',
        () => 'refused',
      );
      return [(globalThis as { slipped?: boolean }).slipped ?? false, outside, foreign];
    }, window.host.url);
    expect(ran).toEqual([false, 'refused', 'refused']);
    window.complaints.length = 0;
  });

  it('a reload stays signed in', async () => {
    await page.reload();
    await page.locator('#content').waitFor();
    await page.getByText('Engine connected').waitFor();
  });

  it('an engine that is away is told, one that came back in its place too, and what is shown is read again', async () => {
    await isHeard();
    const green = await goodMarks();
    expect(Object.keys(green).filter((mark) => green[mark] === green['what is quiet'])).toEqual([
      'what is quiet',
    ]);
    expect(await isKitGrey()).toBe(false);
    await window.host.close();
    await page.getByText('The engine is away.', { exact: false }).waitFor({ timeout: 30_000 });
    await page.getByText('start it with “npm start” or “anchor serve”', { exact: false }).waitFor();
    // What was known of it stands there still, but no longer as good news.
    await page.locator('html[data-away="true"]').waitFor();
    const grey = await goodMarks();
    expect(grey).toEqual(
      Object.fromEntries(Object.keys(green).map((mark) => [mark, green['what is quiet']])),
    );
    expect(await isKitGrey()).toBe(true);
    await window.engine.close();
    await replace(window.host.sessions);
    await noticed(page, /The engine was started again\. What you see was read again\./);
    await page.getByText('Engine connected').waitFor();
    expect(await page.getByText('The engine is away.', { exact: false }).count()).toBe(0);
    expect(await goodMarks()).toEqual(green);
  }, 90_000);

  it('a program that does not know this window says how to come in again', async () => {
    const before = later.at(-1);
    await before?.host.close();
    await before?.engine.close();
    const { host } = await replace(undefined);
    await page.getByText('This window is signed out').waitFor({ timeout: 30_000 });
    await page.getByRole('button', { name: 'What to do' }).click();
    await page.getByRole('heading', { name: 'This window is not signed in' }).waitFor();
    expect(await page.getByText('npm run anchor -- open').count()).toBe(1);
    await page.goto('about:blank');
    await page.goto(host.link('/settings'));
    await page.locator('#content').waitFor();
    expect(new URL(page.url()).hash).toMatch(/^#\/settings/);
  }, 90_000);
});
