import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Frame, Route } from 'playwright-core';
import { toPage } from './address.ts';
import { theApp } from './app.ts';
import { navigation, pages } from './chromium.ts';
import { pageWorld } from './page-world.ts';
import { record } from './record.ts';
import { preventable } from './strict.ts';
import { WebContents } from './web-contents.ts';

type Bounds = { x: number; y: number; width: number; height: number };
type Options = Partial<Bounds> & { show?: boolean; title?: string; webPreferences?: Record<string, unknown> };

const windows: BrowserWindow[] = [];
theApp.windows = () => [...windows];
navigation.refusal = (route, url) => {
  const frame = frameOf(route);
  // A window that a page has just opened: it gets no page of its own where the application says no.
  if (frame === null)
    return windows.every(({ webContents }) => webContents.allowsOpening(url)) ? null : 'window';
  const contents = windows.find(({ webContents }) => webContents.page === frame.page())?.webContents;
  return contents === undefined || contents.allowsNavigation(url, frame.parentFrame() === null)
    ? null
    : 'navigation';
};

/** Null for the first request of a window that is being opened. */
function frameOf(route: Route): Frame | null {
  try {
    return route.request().frame();
  } catch {
    return null;
  }
}

/** What Electron warns of, and what this application never sets. */
const UNSAFE: readonly (readonly [string, unknown])[] = [
  ['nodeIntegration', true],
  ['nodeIntegrationInWorker', true],
  ['nodeIntegrationInSubFrames', true],
  ['contextIsolation', false],
  ['sandbox', false],
  ['webSecurity', false],
  ['webviewTag', true],
  ['allowRunningInsecureContent', true],
  ['experimentalFeatures', true],
  ['plugins', true],
];

export class BrowserWindow extends EventEmitter {
  static getAllWindows(): BrowserWindow[] {
    return [...windows];
  }
  readonly webContents = new WebContents();
  readonly options: Options;
  #bounds: Bounds;
  #state = { shown: false, minimized: false, maximized: false, focused: false };

  constructor(options: Options = {}) {
    super();
    if (!theApp.isReady()) throw new Error('Cannot create BrowserWindow before app is ready');
    const { webPreferences = {} } = options;
    if (typeof webPreferences['preload'] === 'string' && !isAbsolute(webPreferences['preload']))
      throw new Error('preload must be an absolute path');
    for (const [name, bad] of UNSAFE)
      if (webPreferences[name] === bad) record.warnings.push(`unsafe preference: ${name}`);
    this.options = options;
    this.#bounds = {
      x: options.x ?? 0,
      y: options.y ?? 0,
      width: options.width ?? 800,
      height: options.height ?? 600,
    };
    this.#state.shown = options.show !== false;
    windows.push(this);
    theApp.emit('web-contents-created', {}, this.webContents);
  }

  async loadURL(address: string): Promise<void> {
    if (this.webContents.page === null) await this.#open();
    this.webContents.ownLoad = true;
    try {
      const response = await this.webContents.page?.goto(toPage(address), { waitUntil: 'load' });
      if (response != null && response.status() >= 400)
        record.warnings.push(`load ${address}: ${response.status()}`);
    } finally {
      this.webContents.ownLoad = false;
    }
  }

  async #open(): Promise<void> {
    const { webPreferences = {} } = this.options;
    const page = await pages().newPage();
    await page.setViewportSize({ width: this.#bounds.width, height: this.#bounds.height });
    this.webContents.attach(page);
    await page.exposeBinding('standInUp', ({ frame }, kind: string, channel: string, args: unknown[]) =>
      this.webContents.take(frame, kind, channel, args),
    );
    if (typeof webPreferences['preload'] === 'string') {
      const script = readFileSync(webPreferences['preload'], 'utf8');
      const world = JSON.stringify({
        isolated: webPreferences['contextIsolation'] !== false,
        platform: process.platform,
      });
      // Electron runs the preload script in the top frame only, unless told otherwise.
      await page.addInitScript(
        `if (window.top === window) (${pageWorld.toString()})(${world}, function (require, module, exports, process) {${script}\n}); else delete window.standInUp;`,
      );
    }
    page.on('load', () => this.emit('ready-to-show'));
    page.on('close', () => this.#gone());
  }

  close(): void {
    if (this.webContents.destroyed) return;
    const { event, wasPrevented } = preventable({});
    this.emit('close', event);
    if (!wasPrevented()) this.destroy();
  }

  destroy(): void {
    const { page } = this.webContents;
    this.#gone();
    void page?.close().catch(() => {});
  }

  isDestroyed(): boolean {
    return this.webContents.destroyed;
  }
  show(): void {
    this.#state = { ...this.#state, shown: true };
    this.emit('show');
  }
  hide(): void {
    this.#state = { ...this.#state, shown: false, focused: false };
    this.emit('hide');
  }
  focus(): void {
    this.#state = { ...this.#state, focused: true };
    this.emit('focus');
  }
  blur(): void {
    this.#state = { ...this.#state, focused: false };
    this.emit('blur');
  }
  isFocused(): boolean {
    return this.#state.focused;
  }
  isVisible(): boolean {
    return this.#state.shown;
  }
  isMinimized(): boolean {
    return this.#state.minimized;
  }
  restore(): void {
    this.#state = { ...this.#state, minimized: false };
  }
  minimize(): void {
    this.#state = { ...this.#state, minimized: true };
  }
  maximize(): void {
    this.#state = { ...this.#state, maximized: true };
    this.emit('maximize');
  }
  isMaximized(): boolean {
    return this.#state.maximized;
  }
  getBounds(): Bounds {
    return { ...this.#bounds };
  }
  getNormalBounds(): Bounds {
    return { ...this.#bounds };
  }

  setBounds(bounds: Partial<Bounds>): void {
    this.#bounds = { ...this.#bounds, ...bounds };
    this.emit('resize');
    this.emit('move');
  }

  #gone(): void {
    if (this.webContents.destroyed) return;
    this.webContents.destroyed = true;
    windows.splice(windows.indexOf(this), 1);
    this.webContents.emit('destroyed');
    this.emit('closed');
    if (windows.length > 0) return;
    if (theApp.listenerCount('window-all-closed') > 0) theApp.emit('window-all-closed');
    else setImmediate(() => theApp.quit());
  }
}
