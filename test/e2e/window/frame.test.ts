import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { smallRun } from '../../support/made-lab.ts';
import { noChromium, openWindow, type OpenWindow } from './open-window.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';

useWarmTrainer();

/** The window's frame by keyboard alone, in real Chromium. */
describe.skipIf(noChromium !== null)('the frame', () => {
  let window: OpenWindow;
  let page: Page;
  beforeAll(async () => {
    window = await openWindow({ place: '/library' });
    ({ page } = window);
  }, 120_000);
  afterAll(() => window?.close());

  const isAt = (place: string): Promise<unknown> =>
    page.waitForFunction((wanted) => location.hash.startsWith(`#${wanted}`), place);

  it('lets no text become elements or code', async () => {
    const outcomes = await page.evaluate(() => {
      const script = document.createElement('script');
      const tries: Record<string, () => unknown> = {
        'plain text': () => (document.createElement('p').innerHTML = 'a > b'),
        markup: () => (document.createElement('p').innerHTML = '<img src=x>'),
        'markup beside': () => document.body.insertAdjacentHTML('beforeend', '<b>b</b>'),
        'markup of a document': () => new DOMParser().parseFromString('<b>b</b>', 'text/html'),
        'a script': () => (script.text = 'document.title = 1'),
        'an address': () => (script.src = '/assets/other.js'),
        'a handler': () => script.setAttribute('onload', 'document.title = 1'),
        'a frame': () => (document.createElement('iframe').srcdoc = '<b>b</b>'),
        'a worker': () => new Worker('/assets/other.js'),
        'rules of its own': () =>
          (
            globalThis as never as { trustedTypes: { createPolicy(name: string, rules: object): void } }
          ).trustedTypes.createPolicy('another', {}),
      };
      return Object.entries(tries).map(([name, attempt]) => {
        try {
          attempt();
          return `${name}: done`;
        } catch (error) {
          return `${name}: ${(error as Error).name}`;
        }
      });
    });
    expect(outcomes.filter((outcome) => !outcome.endsWith(': TypeError'))).toEqual(['plain text: done']);
    expect(outcomes).toHaveLength(10);
    window.complaints.length = 0; // each refusal is one
  });

  it('goes to each room with two keys', async () => {
    for (const [key, place] of [
      ['s', '/settings'],
      ['r', '/runs'],
      ['n', '/new'],
      ['q', '/reviews'],
      ['l', '/library'],
    ] as const) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await isAt(place);
      expect(await page.locator('nav [aria-current="page"]').getAttribute('href')).toMatch(
        new RegExp(`#${place}$`),
      );
    }
  });

  it("names the room in the window's title", async () => {
    await window.go('/settings');
    await page.waitForFunction(() => document.title.endsWith(' · Anchor Lab'));
  });

  it('tells a failure until its page is left', async () => {
    await window.go('/settings?section=backup');
    const field = page.getByLabel('New folder for a whole copy of the lab');
    await field.fill(window.labFolder);
    await field.press('Enter');
    const failure = page.locator('.app-notices').getByRole('alert');
    await failure.waitFor();
    await window.go('/settings?section=storage');
    expect(await failure.count()).toBe(1);
    await window.go('/library');
    await failure.waitFor({ state: 'detached' });
  });

  it('finds a command in the palette and runs it', async () => {
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search rooms, runs and commands').fill('Go to Library');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await isAt('/library');
  });

  it('finds a run in the palette', async () => {
    const { id } = window.engine.startRun(smallRun('found by its name', 0, 1));
    window.engine.stop(id);
    await window.engine.waitFor(id);
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search rooms, runs and commands').fill('found by its');
    await page.getByText('found by its name').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await isAt(`/runs/${id}`);
  });

  it('shows the keys of this screen, and keys do nothing below the sheet', async () => {
    await window.go('/library');
    await page.keyboard.press('Shift+?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await page.getByRole('dialog').getByText('Go to Settings').count()).toBe(1);
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await isAt('/library');
  });

  it('leaves letters to whoever types them', async () => {
    await window.go('/runs');
    const field = page.locator('#content input[type="text"], #content input:not([type])').first();
    await field.click();
    await page.keyboard.type('g s g q ?');
    expect(await field.inputValue()).toBe('g s g q ?');
    await isAt('/runs');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('lets the keyboard skip the rail', async () => {
    await page.reload();
    await page.locator('#content').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
  });

  it('has every part a screen reader needs by its name', async () => {
    for (const [role, name] of [
      ['navigation', 'Rooms'],
      ['contentinfo', 'Status'],
    ] as const)
      expect(await page.getByRole(role, { name }).count()).toBe(1);
    expect(await page.getByRole('main').count()).toBe(1);
  });
});
