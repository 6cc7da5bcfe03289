import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { APPLICATION } from '../../e2e/window/open-window.ts';
import type { Measured } from './measured.ts';

/** The address `anchor serve` prints, and how to end it. */
async function serve(labFolder: string): Promise<{ link: string; end(): Promise<void> }> {
  const child = spawn(
    process.execPath,
    [join(APPLICATION, 'electron/cli/anchor.ts'), 'serve', '--lab', labFolder],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_COMPILE_CACHE: join(APPLICATION, 'out/compile-cache') }, // as the launcher starts it
    },
  );
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const end = async (): Promise<void> => {
    child.kill('SIGINT');
    await ended;
  };
  let said = '';
  for await (const part of child.stdout) {
    said += String(part);
    const [link] = /http:\/\/127\.0\.0\.1:\d+\/\S*#\S+/.exec(said) ?? [];
    if (link !== undefined) return { link, end };
  }
  throw new Error(`anchor serve ended without an address:\n${said}`);
}

/** From the start of the program until the window shows the lab's runs and has answered a key; the browser is there already. */
export async function starting(browser: Browser, labFolder: string, times: number): Promise<Measured[]> {
  const [values, serving]: [number[], number[]] = [[], []];
  for (let round = 0; round < times; round += 1) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const start = performance.now();
    const { link, end } = await serve(labFolder);
    serving.push(performance.now() - start);
    await page.goto(link);
    await page.locator('.ui-page h1').waitFor();
    await page.keyboard.press('Shift+?');
    await page.locator('[role="dialog"]').waitFor();
    values.push(performance.now() - start);
    await context.close();
    await end();
  }
  const engine = serving.toSorted((left, right) => left - right)[Math.floor(times / 2)] ?? 0;
  return [
    {
      name: 'window interactive after start',
      unit: 'ms',
      budget: 1500,
      better: 'less',
      values,
      heldBy: 'median',
      note: `engine and host ${engine.toFixed(0)} ms of it (median)`,
    },
  ];
}
