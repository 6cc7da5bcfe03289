import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from 'vite';
import { writeManifest } from '../../../electron/cli/build.ts';
import { openBundle, serveLoopback, type Bundle, type LoopbackHost } from '../../../electron/hosts/index.ts';
import type { Engine } from '../../../electron/engine/index.ts';
import { APPLICATION, noChromium, openChromium, openEngine } from './open-window.ts';
import type { Probe } from './probe/probe.tsx';

const EVENTS = 5000;
const scratch = mkdtempSync(join(tmpdir(), 'anchor-resume-'));
let bundle: Bundle;
let browser: Browser;

beforeAll(async () => {
  const folder = join(scratch, 'probe');
  await build({
    configFile: join(APPLICATION, 'renderer/vite.config.ts'),
    root: join(import.meta.dirname, 'probe'),
    logLevel: 'warn',
    build: { outDir: folder, emptyOutDir: true },
  });
  writeManifest(folder, 'probe');
  bundle = openBundle(folder);
  if (noChromium === null) browser = await openChromium();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** A small generator with a seed: which event breaks the line is the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

const read = (page: Page): Promise<Probe> =>
  page.evaluate(() => (globalThis as unknown as { probe: Probe }).probe);
const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

async function until(page: Page, test: (probe: Probe) => boolean): Promise<Probe> {
  const end = performance.now() + 90_000;
  for (;;) {
    const probe = await read(page);
    if (test(probe) || performance.now() > end) return probe;
    await pause(100);
  }
}

async function openProbe(host: LoopbackHost): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(host.link());
  await until(page, ({ reads }) => reads > 0);
  return page;
}

const tell = (engine: Engine, runId: string): void =>
  engine.live.emit({
    kind: 'progress',
    runId,
    step: 1,
    steps: 1,
    stage: 'generate',
    done: 0,
    total: 1,
    unit: 'step',
    ratePerSecond: null,
    etaSeconds: null,
  });

describe.skipIf(noChromium !== null)('a page whose line breaks', () => {
  it(`has each of ${EVENTS.toLocaleString('en')} events exactly once and in order after 40 breaks`, async () => {
    const engine = await openEngine(join(scratch, 'lab'));
    const host = await serveLoopback(engine, { port: 0, bundle });
    const page = await openProbe(host);
    const first = engine.live.cursor().seq + 1;
    const random = seeded(7);
    let breaks = 0;
    for (let event = 1; event <= EVENTS; event += 1) {
      tell(engine, 'run-x');
      if (event % 125 !== 0) continue;
      await pause(random() * 160); // so that some breaks come before a batch was sent, some after, some in the middle of coming back
      host.disconnectAll();
      breaks += 1;
    }
    const { seen, gaps } = await until(page, (probe) => probe.seen.at(-1) === first + EVENTS - 1);
    expect(breaks).toBe(40);
    expect(seen).toEqual(Array.from({ length: EVENTS }, (_, index) => first + index));
    expect(gaps).toBe(0);
    await page.close();
    await host.close();
    await engine.close();
  }, 180_000);

  it('reads everything again when another engine took the place of the one before, and goes on with its events', async () => {
    const lab = join(scratch, 'second');
    const engine = await openEngine(lab);
    const host = await serveLoopback(engine, { port: 0, bundle });
    const page = await openProbe(host);
    for (let event = 0; event < 300; event += 1) tell(engine, 'run-x');
    const before = await until(page, ({ seen }) => seen.length === 300);
    await host.close();
    await engine.close();

    const next = await openEngine(lab);
    const again = await serveLoopback(next, {
      port: Number(new URL(host.url).port),
      bundle,
      sessions: host.sessions,
    });
    const after = await until(page, ({ restarts, reads }) => restarts === 1 && reads > before.reads);
    expect(after).toMatchObject({ restarts: 1, gaps: 1 });
    expect(after.reads).toBeGreaterThan(before.reads);
    tell(next, 'run-y');
    expect((await until(page, ({ seen }) => seen.length === 301)).seen.at(-1)).toBe(1);
    await page.close();
    await again.close();
    await next.close();
  }, 180_000);
});
