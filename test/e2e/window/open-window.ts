import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import type { Engine } from '../../../electron/engine/index.ts';
import { CHROMIUM, CHROMIUM_ARGUMENTS, noChromium } from '../../support/chromium.ts';
import { APPLICATION, openEngine } from '../../support/engine.ts';
import { openBundle, serveLoopback, type LoopbackHost } from '../../../electron/hosts/index.ts';

export { APPLICATION, noChromium, openEngine };

const LEAST_SIZE = { width: 1280, height: 720 };

if (noChromium !== null) process.stderr.write(`The window is not opened: ${noChromium}.\n`);

export type WindowOptions = {
  /** A lab that is there; without it a fresh one is made and removed. */
  labFolder?: string;
  theme?: 'light' | 'dark';
  size?: { width: number; height: number };
  /** Where the window opens, such as `/runs`. */
  place?: string;
  reducedMotion?: 'reduce' | 'no-preference';
};

export type OpenWindow = {
  engine: Engine;
  host: LoopbackHost;
  browser: Browser;
  context: BrowserContext;
  page: Page;
  labFolder: string;
  /** What the page complained of: errors, refusals of its policy. Empty in a healthy window. */
  complaints: string[];
  /** Goes to another place of the window, such as `/runs/run-1?tab=live`. */
  go(place: string): Promise<void>;
  close(): Promise<void>;
};

/** Builds the window if its sources changed, unless ANCHOR_WINDOW_BUILT says that it was done. @throws Error with the bundler's words. */
export function buildWindow(): void {
  if (process.env['ANCHOR_WINDOW_BUILT'] === '1') return;
  const built = spawnSync(process.execPath, [join(APPLICATION, 'electron/cli/build.ts'), 'renderer'], {
    encoding: 'utf8',
    timeout: 300_000,
  });
  if (built.status !== 0) throw new Error(`The window could not be built:\n${built.stderr}`);
}

/** The whole window for real: an engine on a lab, its host, the built bundle, and a page of Chromium that is signed in. */
export async function openWindow({
  labFolder,
  theme = 'light',
  size = LEAST_SIZE,
  place = '/',
  reducedMotion = 'reduce',
}: WindowOptions = {}): Promise<OpenWindow> {
  buildWindow();
  const folder = labFolder ?? mkdtempSync(join(tmpdir(), 'anchor-window-'));
  const undo: (() => unknown)[] =
    labFolder === undefined ? [() => rmSync(folder, { recursive: true, force: true })] : [];
  const close = async (): Promise<void> => {
    for (const step of undo.toReversed()) await step();
  };
  try {
    const engine = await openEngine(folder);
    undo.push(() => engine.close());
    const host = await serveLoopback(engine, {
      port: 0,
      bundle: openBundle(join(APPLICATION, 'out/renderer')),
    });
    undo.push(() => host.close());
    const browser = await openChromium();
    undo.push(() => browser.close());
    const context = await browser.newContext({ viewport: size, colorScheme: theme, reducedMotion });
    await context.addInitScript(keepNotices);
    const page = await context.newPage();
    const complaints = listenForComplaints(page);
    await page.goto(host.link(place));
    await page.locator('#content').waitFor();
    await settled(page);
    const go = async (to: string): Promise<void> => {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, to);
      await settled(page);
    };
    return { engine, host, browser, context, page, labFolder: folder, complaints, go, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The same over a lab that has the recorded sample, to its end. */
export async function openSampleWindow(options: WindowOptions): Promise<OpenWindow> {
  const window = await openWindow(options);
  await window.engine.sample.open();
  await window.engine.sample.toEnd();
  return window;
}

export const openChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: [...CHROMIUM_ARGUMENTS] });

type Kept = { notices?: string[] };

/** Runs in the page: keeps the text of every notice, because good news leaves after five seconds. */
function keepNotices(): void {
  const known = new WeakSet<Element>();
  const texts: string[] = ((globalThis as Kept).notices = []);
  new MutationObserver(() => {
    for (const notice of document.querySelectorAll('.app-notices > *')) {
      if (!known.has(notice)) texts.push(notice.textContent);
      known.add(notice);
    }
  }).observe(document, { childList: true, subtree: true });
}

/** Waits until this document has shown such a notice; on a busy machine it may have come and gone before anybody looks. */
export async function noticed(page: Page, text: RegExp): Promise<void> {
  await page.waitForFunction(
    (pattern) => ((globalThis as Kept).notices ?? []).some((notice) => new RegExp(pattern, 'u').test(notice)),
    text.source,
  );
}

/** Collects what the console says in anger, uncaught errors and requests to anywhere else. */
export function listenForComplaints(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!/^(http:\/\/127\.0\.0\.1:|data:|blob:)/.test(request.url()))
      complaints.push(`asked ${request.url()}`);
  });
  return complaints;
}

/** Waits until nothing on the page is being read and two frames have been painted. First launch stores the sample, which takes a busy machine long. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector('[role="status"] .mantine-Loader-root, .mantine-Skeleton-root[data-visible]') ===
      null,
    undefined,
    { timeout: 90_000 },
  );
  await painted(page);
}

/** What was changed has its colours: a button that a key press enabled wears the ones of a disabled one for a frame. */
export async function painted(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
      }),
  );
}
