import type { MenuItemConstructorOptions } from 'electron';
import type { OfferedCommand } from '../contract/index.ts';
import { WORDS } from './words.ts';

const KEY_NAMES: Record<string, string> = {
  $mod: 'CmdOrCtrl',
  Control: 'Ctrl',
  Meta: 'Super',
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
  Escape: 'Esc',
  Enter: 'Enter',
  ' ': 'Space',
};
const PLAIN_KEY =
  /^([A-Za-z0-9]|F\d{1,2}|[,./;'[\]\\=-]|Up|Down|Left|Right|Esc|Enter|Space|Tab|Backspace|Delete|Home|End|PageUp|PageDown)$/;

/**
 * A key of the window's registry as a menu's accelerator: `$mod+k` → `CmdOrCtrl+K`. Null where a menu cannot have it: single keys
 * and sequences would fire while a person types.
 */
export function acceleratorOf(keys: string | null): string | null {
  if (keys === null || keys.includes(' ')) return null;
  const parts = keys.split('+').map((part) => KEY_NAMES[part] ?? part);
  const key = parts.at(-1) ?? '';
  const modifiers = parts.slice(0, -1);
  if (!modifiers.some((name) => ['CmdOrCtrl', 'Ctrl', 'Alt', 'Super'].includes(name)) || !PLAIN_KEY.test(key))
    return null;
  return [...modifiers, key.length === 1 ? key.toUpperCase() : key].join('+');
}

export type MenuOptions = {
  commands: readonly OfferedCommand[];
  isMac: boolean;
  devTools: boolean;
  run(id: string): void;
  quit(): void;
};

/** The menu: what every program has, then one entry per command of the window, by group. */
export function menuTemplate({
  commands,
  isMac,
  devTools,
  run,
  quit,
}: MenuOptions): MenuItemConstructorOptions[] {
  const quitEntry: MenuItemConstructorOptions = {
    id: 'shell.quit',
    label: WORDS.menu.quit,
    accelerator: 'CmdOrCtrl+Q',
    click: quit,
  };
  const groups = [...new Set(commands.map(({ group }) => group))];
  const entries = (group: string): MenuItemConstructorOptions[] =>
    commands
      .filter((command) => command.group === group)
      .map(({ id, title, keys }) => {
        const accelerator = acceleratorOf(keys);
        // The page has its keys already; a registered accelerator would run the command a second time.
        return {
          id,
          label: withoutMnemonics(title),
          click: () => run(id),
          ...(accelerator === null ? {} : { accelerator, registerAccelerator: false }),
        };
      });
  return [
    ...(isMac
      ? [
          {
            label: WORDS.name,
            submenu: [
              { role: 'about' },
              { type: 'separator' },
              { role: 'hide' },
              { role: 'hideOthers' },
              { role: 'unhide' },
              { type: 'separator' },
              quitEntry,
            ],
          } satisfies MenuItemConstructorOptions,
        ]
      : []),
    ...(isMac ? [] : [{ label: WORDS.menu.file, submenu: [quitEntry] } satisfies MenuItemConstructorOptions]),
    {
      label: WORDS.menu.edit,
      submenu: [
        { role: 'undo' },
        { role: 'redo' },
        { type: 'separator' },
        { role: 'cut' },
        { role: 'copy' },
        { role: 'paste' },
        { role: 'selectAll' },
      ],
    },
    {
      label: WORDS.menu.view,
      submenu: [
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
        ...(devTools
          ? ([
              { type: 'separator' },
              { role: 'reload' },
              { role: 'toggleDevTools' },
            ] satisfies MenuItemConstructorOptions[])
          : []),
      ],
    },
    ...groups.map((group) => ({ label: withoutMnemonics(group), submenu: entries(group) })),
    { label: WORDS.menu.window, role: 'windowMenu' },
  ];
}

/** An ampersand would underline the next letter. */
const withoutMnemonics = (text: string): string => text.replaceAll('&', '&&');
