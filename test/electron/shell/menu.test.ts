import type { MenuItemConstructorOptions } from 'electron';
import { describe, expect, it } from 'vitest';
import { acceleratorOf, menuTemplate } from '../../../electron/shell/menu.ts';

describe('a key in the menu', () => {
  it.each([
    ['$mod+k', 'CmdOrCtrl+K'],
    ['$mod+Shift+s', 'CmdOrCtrl+Shift+S'],
    ['Alt+ArrowLeft', 'Alt+Left'],
    ['$mod+,', 'CmdOrCtrl+,'],
    ['Control+F5', 'Ctrl+F5'],
    ['$mod+Enter', 'CmdOrCtrl+Enter'],
  ])('%s is %s', (keys, accelerator) => {
    expect(acceleratorOf(keys)).toBe(accelerator);
  });
  it.each([
    ['j'],
    ['g r'],
    ['?'],
    ['Shift+?'],
    ['Shift+j'],
    ['$mod'],
    ['$mod+Unidentified'],
    ['Escape'],
    [null],
  ])('%s stays with the page', (keys) => {
    expect(acceleratorOf(keys)).toBeNull();
  });
});

describe('the menu', () => {
  const ran: string[] = [];
  const commands = [
    { id: 'frame.palette', title: 'Commands', keys: '$mod+k', group: 'Anchor Lab' },
    { id: 'runs.new', title: 'New run & start', keys: 'n', group: 'Runs' },
    { id: 'go.runs', title: 'Go to Runs', keys: 'g r', group: 'Anchor Lab' },
  ];
  const template = (isMac: boolean, devTools = false): MenuItemConstructorOptions[] =>
    menuTemplate({
      commands,
      isMac,
      devTools,
      run: (id) => void ran.push(id),
      quit: () => void ran.push('quit'),
    });
  const entries = (menu: MenuItemConstructorOptions[]): MenuItemConstructorOptions[] =>
    menu.flatMap((entry) => [entry, ...(Array.isArray(entry.submenu) ? entries(entry.submenu) : [])]);

  it('has one entry per command, by group, and runs it by its id', () => {
    const group = template(false).find(({ label }) => label === 'Anchor Lab');
    expect((group?.submenu as MenuItemConstructorOptions[] | undefined)?.map(({ id }) => id)).toEqual([
      'frame.palette',
      'go.runs',
    ]);
    entries(template(false))
      .find(({ id }) => id === 'runs.new')
      ?.click?.(undefined as never, undefined, undefined as never);
    expect(ran).toEqual(['runs.new']);
  });
  it('shows the keys of the page without taking them from it', () => {
    expect(entries(template(false)).find(({ id }) => id === 'frame.palette')).toMatchObject({
      accelerator: 'CmdOrCtrl+K',
      registerAccelerator: false,
    });
    expect(entries(template(false)).find(({ id }) => id === 'runs.new')).not.toHaveProperty('accelerator');
  });
  it('quits by our own way, so that a run at work is asked about', () => {
    for (const isMac of [true, false]) {
      expect(entries(template(isMac)).filter(({ role }) => role === 'quit')).toEqual([]);
      expect(entries(template(isMac)).filter(({ id }) => id === 'shell.quit')).toHaveLength(1);
    }
  });
  it('gives developers their tools, and nobody else', () => {
    const roles = (devTools: boolean) => entries(template(false, devTools)).map(({ role }) => role);
    expect(roles(true)).toContain('toggleDevTools');
    expect(roles(false)).not.toContain('toggleDevTools');
    expect(roles(false)).not.toContain('reload');
  });
  it('keeps an ampersand as it is', () => {
    expect(entries(template(false)).find(({ id }) => id === 'runs.new')?.label).toBe('New run && start');
  });
});
