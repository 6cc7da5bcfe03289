import { BrowserWindow, screen } from 'electron';
import { join } from 'node:path';
import { writeWholeFile } from '../library/index.ts';
import { START_ADDRESS, webPreferences } from './page.ts';
import { placeWindow, readJsonOrNull, SMALLEST, windowPlaceSchema } from './window-place.ts';
import { WORDS } from './words.ts';

export type MainWindowOptions = {
  preload: string;
  devTools: boolean;
  stateFile: string;
  /** The person wants to close it. */
  onCloseWish(): void;
  mayClose(): boolean;
  log(line: string): void;
};

/** So that dragging the window does not write a file a hundred times. */
const SAVE_AFTER_MS = 500;

/** Opens the one window where it was when it was last closed, shown as soon as there is something to see. */
export function openMainWindow({
  preload,
  devTools,
  stateFile,
  onCloseWish,
  mayClose,
  log,
}: MainWindowOptions): BrowserWindow {
  const saved = windowPlaceSchema.safeParse(readJsonOrNull(stateFile)).data ?? null;
  const primary = screen.getPrimaryDisplay();
  const screens = [primary, ...screen.getAllDisplays().filter(({ id }) => id !== primary.id)].map(
    ({ workArea }) => workArea,
  );
  const window = new BrowserWindow({
    ...placeWindow(saved, screens),
    minWidth: SMALLEST.width,
    minHeight: SMALLEST.height,
    show: false,
    title: WORDS.name,
    backgroundColor: '#16181d',
    webPreferences: webPreferences(preload, devTools),
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
    .loadURL(START_ADDRESS)
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
