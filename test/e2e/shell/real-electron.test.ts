/** What only the real binary can show: the operating system's sandbox, true isolation of the preload script, a window that opens. */
import { createRequire } from 'node:module';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { _electron } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import type { AnchorBridge } from '../../../electron/contract/index.ts';
import { buildStale } from '../../../electron/cli/build.ts';
import { Stage } from './labs.ts';
import { root } from './open-shell.ts';

/** Where the npm package keeps the binary once it was downloaded. Asking the package itself would start a download. */
function electronProgram(): string | null {
  const named = process.env['ELECTRON_PROGRAM'];
  if (named !== undefined) return named;
  const folder = dirname(createRequire(import.meta.url).resolve('electron/package.json'));
  const pathFile = join(folder, 'path.txt');
  const program = existsSync(pathFile) ? join(folder, 'dist', readFileSync(pathFile, 'utf8')) : null;
  return program !== null && existsSync(program) ? program : null;
}

const program = electronProgram();
const hasScreen =
  process.platform !== 'linux' ||
  (process.env['DISPLAY'] ?? '') !== '' ||
  (process.env['WAYLAND_DISPLAY'] ?? '') !== '';
const isRoot = process.getuid?.() === 0;
const why =
  program === null
    ? 'its binary is not installed (name one in ELECTRON_PROGRAM)'
    : !hasScreen
      ? 'there is no display (xvfb-run gives one)'
      : isRoot
        ? 'its sandbox does not start as root'
        : null;
if (why !== null) process.stderr.write(`skipped: the shell in the real Electron: ${why}\n`);

describe.skipIf(why !== null)('the shell in the real Electron', () => {
  const stage = new Stage();
  afterAll(() => stage.clear(), 60_000);

  it('opens its window, isolated and sandboxed, with its engine in a process of its own', async () => {
    await buildStale([], false);
    const application = await _electron.launch({
      executablePath: program ?? '',
      args: [root, `--user-data-dir=${stage.folder()}`],
      env: { ...(process.env as Record<string, string>), ANCHOR_LAB: stage.folder() },
      timeout: 60_000,
    });
    try {
      const page = await application.firstWindow();
      await page.locator('#content').waitFor({ timeout: 60_000 });
      expect(page.url()).toMatch(/^app:\/\/anchor\//);
      const seen = await page.evaluate(() => {
        const list = Array.prototype as unknown as Record<string, unknown>;
        const { push } = Array.prototype;
        let stolen = 0;
        list['push'] = () => (stolen += 1);
        (
          globalThis as unknown as { anchor: { offerCommands(commands: object[]): void } }
        ).anchor.offerCommands([]);
        list['push'] = push;
        return { stolen, node: ['require', 'process', 'module'].filter((name) => name in globalThis) };
      });
      expect(seen).toEqual({ stolen: 0, node: [] });
      const facts = await application.evaluate(({ app, BrowserWindow }) => ({
        metrics: app
          .getAppMetrics()
          .map(({ type, serviceName, name, pid }) => ({ type, name: serviceName ?? name, pid })),
        windows: BrowserWindow.getAllWindows().length,
        version: process.versions['electron'],
        argv: process.argv,
      }));
      expect(facts.windows).toBe(1);
      const [notes] = await Promise.all([
        application.waitForEvent('window'),
        page.evaluate(() => (globalThis as unknown as { anchor: AnchorBridge }).anchor.openNotes()),
      ]);
      await notes.getByText('Waiting for the window that presents').waitFor();
      await page.evaluate(() =>
        // A channel reaches windows of this origin only and takes no target.
        // oxlint-disable-next-line unicorn/require-post-message-target-origin
        new BroadcastChannel('anchor-notes').postMessage({ title: 'a', text: 'Say this.', next: 'b' }),
      );
      await notes.getByText('Say this.').waitFor();
      expect(notes.url()).toBe('app://anchor/#/demo/notes');
      expect(facts.argv).not.toContain('--no-sandbox');
      expect(facts.metrics.some(({ name }) => name?.includes('Anchor Lab engine'))).toBe(true);
      const pinned = (
        JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
          devDependencies: Record<string, string>;
        }
      ).devDependencies['electron'];
      expect(facts.version).toBe(pinned);
      if (process.platform === 'linux') {
        for (const { type, pid } of facts.metrics.filter((metric) => metric.type === 'Tab')) {
          const status = readFileSync(`/proc/${pid}/status`, 'utf8');
          expect([type, /Seccomp:\s+2/.test(status), /NoNewPrivs:\s+1/.test(status)]).toEqual([
            'Tab',
            true,
            true,
          ]);
        }
      }
    } finally {
      await application.close();
    }
  }, 240_000);
});
