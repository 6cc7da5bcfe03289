import { BrowserWindow, screen, type BrowserWindowConstructorOptions } from 'electron';
import { join } from 'node:path';
import { writeWholeFile } from '../library/index.ts';
import { NOTES_ADDRESS, START_ADDRESS, webPreferences } from './page.ts';
import { placeWindow, readJsonOrNull, SMALLEST, windowPlaceSchema } from './window-place.ts';
import { WORDS } from './words.ts';

type PageOptions = {
  preload: string;
  devTools: boolean;
  log(line: string): void;
};

export type MainWindowOptions = PageOptions & {
  stateFile: string;
  /** The person wants to close it. */
  onCloseWish(): void;
  mayClose(): boolean;
};

/** So that dragging the window does not write a file a hundred times. */
const SAVE_AFTER_MS = 500;

/** Opens the main window where it was when it was last closed. */
export function openMainWindow({
  stateFile,
  onCloseWish,
  mayClose,
  ...page
}: MainWindowOptions): BrowserWindow {
  const { log } = page;
  const saved = windowPlaceSchema.safeParse(readJsonOrNull(stateFile)).data ?? null;
  const primary = screen.getPrimaryDisplay();
  const screens = [primary, ...screen.getAllDisplays().filter(({ id }) => id !== primary.id)].map(
    ({ workArea }) => workArea,
  );
  const window = openPage(page, START_ADDRESS, {
    ...placeWindow(saved, screens),
    minWidth: SMALLEST.width,
    minHeight: SMALLEST.height,
  });
  if (saved?.maximized === true) window.maximize();
  let timer: NodeJS.Timeout | null = null;
  const save = (): void => {
    timer = null;
    if (window.isDestroyed() || window.isMinimized()) return;
    try {
      writeWholeFile(
        stateFile,
        JSON.stringify({ bounds: window.getNormalBounds(), maximized: window.isMaximized() }),
      );
    } catch (error) {
      log(`the window's place could not be kept: ${String(error)}`);
    }
  };
  const saveSoon = (): void => {
    timer ??= setTimeout(save, SAVE_AFTER_MS);
  };
  window.on('resize', saveSoon);
  window.on('move', saveSoon);
  window.on('close', (event) => {
    if (timer !== null) clearTimeout(timer);
    save();
    if (mayClose()) return;
    event.preventDefault();
    onCloseWish();
  });
  return window;
}

/** The same page with the presenter's notes. What it says to the shell is refused: it is told its notes by the main window's page alone. */
export const openNotesWindow = (page: PageOptions): BrowserWindow =>
  openPage(page, NOTES_ADDRESS, { width: 620, height: 560, autoHideMenuBar: true });

/** Opens a window on our page, shown as soon as there is something to see. */
function openPage(
  { preload, devTools, log }: PageOptions,
  address: string,
  options: BrowserWindowConstructorOptions,
): BrowserWindow {
  const window = new BrowserWindow({
    ...options,
    show: false,
    title: WORDS.name,
    backgroundColor: '#16181d',
    webPreferences: webPreferences(preload, devTools),
  });
  window.once('ready-to-show', () => window.show());
  // A page that dies takes nothing with it: the runs are in other processes.
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    log(`the page's process ended (${reason}); it is loaded again`);
    if (reason !== 'clean-exit') void window.webContents.reload();
  });
  window.webContents.on('preload-error', (_event, path, error) =>
    log(`the preload script ${path} failed: ${error.message}`),
  );
  void window
    .loadURL(address)
    .catch((error: unknown) => log(`the page could not be loaded: ${String(error)}`));
  return window;
}

/** Brings the window to the person, wherever it is. */
export function showWindow(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}

export const windowStateFile = (userData: string): string => join(userData, 'window.json');
