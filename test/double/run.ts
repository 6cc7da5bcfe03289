/** Runs an application folder as Electron would: `node --import …/register.ts …/run.ts <folder>`. With an IPC channel, tests can ask and answer. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { theApp } from './app.ts';
import { BrowserWindow } from './browser-window.ts';
import { startChromium } from './chromium.ts';
import { answers, menuItem, menus } from './native-ui.ts';
import { record } from './record.ts';
import { hooks, isGranted, newSession } from './session.ts';

const folder = resolve(process.argv[2] ?? '.');
process.env['DOUBLE_APP'] = folder;
Object.defineProperty(process.versions, 'electron', { value: '45.3.4', enumerable: true });
Object.defineProperty(process, 'resourcesPath', {
  value: process.env['DOUBLE_RESOURCES'] ?? join(folder, 'resources'),
});

/** What a test can have done, by name. */
const deeds: Record<string, (...args: never[]) => unknown> = {
  record: () => ({
    ...record,
    sandbox: theApp.isSandboxEnabled,
    spellChecker: hooks.spellChecker,
    dictionaries: hooks.dictionaries,
  }),
  answer: (answer: unknown) => void answers.push(answer),
  menu: () => JSON.parse(JSON.stringify(menus.application)) as unknown,
  choose: (id: string) => {
    const item = menuItem(id);
    if (item?.click === undefined) throw new Error(`there is no menu entry ${id}`);
    item.click();
  },
  permission: (name: string) => isGranted(name),
  newSession: () => newSession(),
  checkPermission: (name: string) => hooks.permissionCheck?.(null, name) ?? true,
  secondInstance: () => void theApp.emit('second-instance', {}, [], ''),
  closeWindow: () => BrowserWindow.getAllWindows()[0]?.close(),
  moveWindow: (bounds: object) => BrowserWindow.getAllWindows()[0]?.setBounds(bounds),
  window: () =>
    BrowserWindow.getAllWindows().map((window) => ({
      bounds: window.getBounds(),
      visible: window.isVisible(),
      focused: window.isFocused(),
      preferences: window.options.webPreferences,
      url: window.webContents.getURL(),
    })),
  blur: () => BrowserWindow.getAllWindows()[0]?.blur(),
};

process.on('message', (message: { id: number; deed: string; args: never[] }) => {
  void Promise.resolve()
    .then(() => deeds[message.deed]?.(...message.args))
    .then(
      (value) => process.send?.({ id: message.id, value: value ?? null }),
      (error: unknown) => process.send?.({ id: message.id, error: String(error) }),
    );
});
if (process.send !== undefined) process.on('disconnect', () => theApp.exit(1));

const { main } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { main: string };
await import(pathToFileURL(join(folder, main)).href);
await startChromium();
theApp.begin();
