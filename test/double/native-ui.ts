import { EventEmitter } from 'node:events';
import { record } from './record.ts';
import { cloned, strict } from './strict.ts';

/** Answers that tests have prepared; a dialog nobody expects throws. */
export const answers: unknown[] = [];

const showDialog =
  (name: string) =>
  async (...args: unknown[]): Promise<unknown> => {
    const options = cloned(args.at(-1));
    record.dialogs.push({ name, options });
    if (answers.length === 0) throw new Error(`stand-in for Electron: nobody expected dialog.${name}`);
    return answers.shift();
  };

export const dialog = strict('dialog', {
  showOpenDialog: showDialog('showOpenDialog'),
  showSaveDialog: showDialog('showSaveDialog'),
  showMessageBox: showDialog('showMessageBox'),
  showErrorBox: (title: string, content: string): void =>
    void record.dialogs.push({ name: 'showErrorBox', options: { title, content } }),
});

export type MenuItem = {
  id?: string;
  label?: string;
  role?: string;
  accelerator?: string;
  registerAccelerator?: boolean;
  click?: () => void;
  submenu?: MenuItem[];
};
export const menus = { application: [] as MenuItem[] };
export const Menu = strict('Menu', {
  buildFromTemplate: (template: MenuItem[]): MenuItem[] => template,
  setApplicationMenu: (menu: MenuItem[]): void => {
    menus.application = menu;
  },
});

/** The entry with this id, wherever it is. */
export const menuItem = (id: string, items: readonly MenuItem[] = menus.application): MenuItem | undefined =>
  items
    .flatMap((item) =>
      item.id === id ? [item] : item.submenu === undefined ? [] : [menuItem(id, item.submenu)],
    )
    .find((item) => item !== undefined);

export class Notification extends EventEmitter {
  static isSupported(): boolean {
    return true;
  }
  readonly #options: { title: string; body: string };
  constructor(options: { title: string; body: string }) {
    super();
    this.#options = options;
  }

  show(): void {
    record.notices.push({ title: this.#options.title, body: this.#options.body });
  }
}

export const clipboard = strict('clipboard', {
  writeText: (text: string): void => void record.clipboard.push(text),
});

const area = { x: 0, y: 0, width: 1600, height: 1000 };
const display = { id: 1, bounds: area, workArea: area, scaleFactor: 1 };
export const screen = strict('screen', { getPrimaryDisplay: () => display, getAllDisplays: () => [display] });
