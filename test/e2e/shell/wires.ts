/** Guards that hang on one line of the start, and the built shell with such a line taken out. */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buildStale } from '../../../electron/cli/build.ts';
import type { Stage } from './labs.ts';
import { root, type OpenShell } from './open-shell.ts';

type Change = { from: string; to: string };
export type Wire = Change & { what: string; holds(shell: OpenShell): Promise<boolean> };

export const WIRES: readonly Wire[] = [
  {
    what: '4: every page is sandboxed',
    from: 'app.enableSandbox();',
    to: '',
    holds: async (shell) => (await shell.record()).sandbox,
  },
  {
    what: '5: the session is locked',
    from: 'lockSession(session.defaultSession, refused, devTools);',
    to: '',
    holds: async (shell) =>
      !(await shell.deed('permission', 'media')) && !(await shell.deed('checkPermission', 'media')),
  },
  {
    what: '5: a session that is made later is locked',
    from: 'app.on("session-created", (created) => lockSession(created, refused, devTools));',
    to: '',
    holds: async (shell) => {
      const allowed = await shell.deed<{ permission: boolean; request: boolean }>('newSession');
      return !allowed.permission && !allowed.request;
    },
  },
  {
    what: '2 to 4, 6 to 12: what the page may do is written out, whatever the defaults are',
    from: 'webPreferences: webPreferences(preload, devTools)',
    to: 'webPreferences: { preload, devTools }',
    holds: async (shell) => {
      const [window] = await shell.windows();
      const given = window?.preferences ?? {};
      const off = ['nodeIntegration', 'webviewTag', 'plugins', 'spellcheck', 'navigateOnDragDrop'];
      const on = ['contextIsolation', 'sandbox', 'webSecurity', 'safeDialogs'];
      return off.every((name) => given[name] === false) && on.every((name) => given[name] === true);
    },
  },
  {
    what: '13, 14: every page is locked',
    from: 'app.on("web-contents-created", (_event, contents) => lockContents(contents));',
    to: '',
    holds: async (shell) => {
      await shell.page.evaluate(
        () => void (globalThis as unknown as { open(url: string): unknown }).open('https://example.invalid/'),
      );
      await shell.page.waitForTimeout(1000);
      return (await shell.record()).refused.some(({ what }) => what === 'window');
    },
  },
  {
    what: '17: the guard knows its window',
    from: 'page()?.id === id',
    to: 'false',
    holds: (shell) =>
      shell.page.evaluate(() =>
        Promise.race([
          (globalThis as unknown as { anchor: { copyText(text: string): Promise<void> } }).anchor
            .copyText('x')
            .then(
              () => true,
              () => false,
            ),
          new Promise<boolean>((resolve) => {
            setTimeout(() => resolve(false), 5000);
          }),
        ]),
      ),
  },
  {
    what: 'Chromium is told to ask nobody',
    from: 'for (const [name, value] of SWITCHES) app.commandLine.appendSwitch(name, value);',
    to: '',
    holds: async (shell) => (await shell.record()).switches.length > 5,
  },
];

/** A copy of the built application with one line of its start changed. */
export async function changed(stage: Stage, { from, to }: Change): Promise<string> {
  if (process.env['ANCHOR_WINDOW_BUILT'] !== '1') await buildStale([], false);
  const folder = stage.folder();
  mkdirSync(join(folder, 'out'));
  for (const part of ['main', 'preload', 'renderer'])
    cpSync(join(root, 'out', part), join(folder, 'out', part), { recursive: true });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  for (const link of ['node_modules', 'native', 'resources', '.venv'])
    symlinkSync(join(root, link), join(folder, link));
  const main = join(folder, 'out/main/main.js');
  const source = readFileSync(main, 'utf8');
  if (source.split(from).length !== 2)
    throw new Error(`"${from}" must stand in the built shell exactly once`);
  writeFileSync(main, source.replace(from, to));
  return folder;
}

/** Without its line, each of these wires is missed. */
export function missEach(stage: Stage, wires: readonly Wire[]): void {
  it.each(wires)(
    'without its line, it is noticed: $what',
    async (wire) => {
      expect(await wire.holds(await stage.open({ application: await changed(stage, wire) }))).toBe(false);
    },
    180_000,
  );
}
