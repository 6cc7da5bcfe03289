/** A tab of a real Chromium while "anchor serve" is stopped and started again. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APPLICATION, buildWindow, noChromium, openChromium } from './open-window.ts';

type Served = { child: ChildProcess; url: string; link: string };

const AWAY_MS = 30_000;

describe.skipIf(noChromium !== null)('a tab whose "anchor serve" is started again', () => {
  const base = mkdtempSync(join(tmpdir(), 'anchor-restarted-'));
  let served: Served;
  let browser: Browser;
  let page: Page;
  let documents = 0;

  /** Starts the server as a person does; resolves with what it prints. */
  function serve(lab: string, port = 0): Promise<Served> {
    const child = spawn(
      process.execPath,
      [
        join(APPLICATION, 'electron/cli/anchor.ts'),
        '--lab',
        join(base, lab),
        '--json',
        'serve',
        '--port',
        String(port),
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    return new Promise((resolve, reject) => {
      let text = '';
      child.stdout?.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (text.trimEnd().endsWith('}')) resolve({ child, ...(JSON.parse(text) as Omit<Served, 'child'>) });
      });
      child.on('exit', (code) => reject(new Error(`ended with ${String(code)}`)));
    });
  }
  async function stop({ child }: Served, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => {
      child.once('exit', resolve);
    });
    child.kill(signal);
    await ended;
  }
  const shows = (text: string): Promise<void> =>
    page.getByText(text, { exact: false }).first().waitFor({ timeout: AWAY_MS });

  beforeAll(async () => {
    buildWindow();
    served = await serve('lab');
    browser = await openChromium();
    page = await browser.newPage();
    await page.goto(served.link);
    await shows('Engine connected');
    page.on('load', () => {
      documents += 1;
    });
  }, 120_000);
  afterAll(async () => {
    await stop(served);
    await browser?.close();
    rmSync(base, { recursive: true, force: true });
  }, 60_000);

  it.each<NodeJS.Signals>(['SIGTERM', 'SIGKILL'])(
    'says what to start while it is away, and comes back by itself (%s)',
    async (signal) => {
      const { url } = served;
      await stop(served, signal);
      await shows('start it with “npm start” or “anchor serve”');
      served = await serve('lab');
      expect(served.url).toBe(url);
      await shows('Engine connected');
      await page.getByText('The engine is away.', { exact: false }).waitFor({ state: 'detached' });
      await page.evaluate(() => {
        location.hash = '#/settings?section=storage';
      });
      await shows(join(base, 'lab'));
      expect(documents).toBe(0);
    },
    120_000,
  );

  it('a reload after that stays signed in, and can be started again under it', async () => {
    await page.reload();
    await shows('Engine connected');
    await stop(served);
    await shows('The engine is away.');
    served = await serve('lab');
    await shows('Engine connected');
  }, 120_000);

  it('no secret of it lies in the lab', async () => {
    const kept = readFileSync(join(base, 'lab/tabs.json'), 'utf8');
    const cookies = (await page.context().cookies()).map(({ value }) => value);
    const key = await page.evaluate(() => localStorage.getItem('anchor.key') ?? '');
    expect([cookies.length, key.length]).toEqual([1, 43]);
    for (const secret of [...cookies, key]) expect(kept).not.toContain(secret);
  });

  it('is let in by no other lab on its port, and says what to open', async () => {
    const port = Number(new URL(served.url).port);
    await stop(served);
    await shows('The engine is away.');
    served = await serve('other', port);
    await shows('another lab is served at this address');
    await shows('Open the address that the terminal shows');
    await stop(served);
    // Its own lab, there again, knows it still.
    served = await serve('lab', port);
    await shows('Engine connected');
    expect(await page.getByText('This window is signed out').count()).toBe(0);
  }, 120_000);
});
