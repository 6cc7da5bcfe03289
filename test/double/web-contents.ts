import { EventEmitter } from 'node:events';
import type { Frame, Page } from 'playwright-core';
import { toApplication } from './address.ts';
import { ipcMain } from './ipc-main.ts';
import { excerptOf, record } from './record.ts';
import { theSession } from './session.ts';
import { cloned, preventable } from './strict.ts';

type OpenHandler = (details: { url: string }) => { action: 'allow' | 'deny' };

let lastId = 0;

/** A page of real Chromium as Electron's WebContents; `page` is there once something is loaded. */
export class WebContents extends EventEmitter {
  readonly id = (lastId += 1);
  readonly session = theSession;
  page: Page | null = null;
  destroyed = false;
  /** Set while the application itself loads an address; such navigations ask nobody. */
  ownLoad = false;
  #openHandler: OpenHandler | null = null;
  readonly #frames = new WeakMap<Frame, object>();
  #navigated: Promise<void> = Promise.resolve();
  #endNavigation: () => void = () => {};

  get mainFrame(): object {
    return this.page === null
      ? { url: '', parent: null, processId: 0, routingId: 0 }
      : this.frameOf(this.page.mainFrame());
  }
  getURL(): string {
    return this.page === null ? '' : toApplication(this.page.url());
  }
  isDestroyed(): boolean {
    return this.destroyed;
  }
  setWindowOpenHandler(handler: OpenHandler): void {
    this.#openHandler = handler;
  }
  setWebRTCIPHandlingPolicy(): void {}
  reload(): void {
    void this.page?.reload();
  }

  send(channel: string, ...args: unknown[]): void {
    const copy = cloned(args);
    record.messages.push({ way: 'down', channel, excerpt: excerptOf(copy) });
    // A page that is being left does not hear any more, as in Electron.
    this.page
      ?.evaluate(
        ([name, words]) =>
          (globalThis as unknown as { standInDown?: (n: string, w: unknown[]) => void }).standInDown?.(
            name as string,
            words as unknown[],
          ),
        [channel, copy],
      )
      .catch(() => {});
  }

  /** The same object for the same frame, with numbers as Electron gives them. */
  frameOf(frame: Frame): object {
    const known = this.#frames.get(frame);
    if (known !== undefined) return known;
    const parent = frame.parentFrame();
    const made = Object.defineProperty(
      { processId: this.id, routingId: (lastId += 1), parent: parent === null ? null : this.frameOf(parent) },
      'url',
      { get: () => toApplication(frame.url()), enumerable: true },
    );
    this.#frames.set(frame, made);
    return made;
  }

  attach(page: Page): void {
    this.page = page;
    page.on('request', (request) => {
      if (!request.isNavigationRequest() || request.frame() !== page.mainFrame()) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      // A new document's first message never overtakes the news of the navigation.
      [this.#navigated, this.#endNavigation] = [promise, resolve];
      this.emit('did-start-navigation', {
        url: toApplication(request.url()),
        isMainFrame: true,
        isSameDocument: false,
      });
    });
    page.on('requestfailed', (request) => {
      if (request.isNavigationRequest()) this.#endNavigation();
    });
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) this.#endNavigation();
    });
    page.on('crash', () => this.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 }));
    page.on('pageerror', (error) => record.warnings.push(`page: ${error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error') record.warnings.push(`console: ${message.text()}`);
    });
    page.on('popup', (popup) => {
      if (this.allowsOpening(toApplication(popup.url()))) record.warnings.push('a second window was opened');
      else {
        record.refused.push({ what: 'window', url: toApplication(popup.url()) });
        void popup.close();
      }
    });
    page.on('download', (download) => {
      const { event, wasPrevented } = preventable({});
      theSession.emit('will-download', event, {}, this);
      if (wasPrevented()) record.refused.push({ what: 'download', url: download.url() });
      else record.warnings.push('a file was downloaded');
      void download.cancel();
    });
  }

  /** Whether the page may open a window; Electron's default is yes. */
  allowsOpening(url: string): boolean {
    return this.#openHandler?.({ url }).action !== 'deny';
  }

  /** Whether the page may go there, as the application's listeners say. */
  allowsNavigation(url: string, isMainFrame: boolean): boolean {
    if (this.ownLoad) return true;
    for (const name of isMainFrame ? ['will-navigate', 'will-frame-navigate'] : ['will-frame-navigate']) {
      const { event, wasPrevented } = preventable({ url, isMainFrame });
      this.emit(name, event, url);
      if (wasPrevented()) return false;
    }
    return true;
  }

  /** A message from a page of this window. */
  async take(
    frame: Frame,
    kind: string,
    channel: string,
    args: unknown[],
  ): Promise<{ ok?: unknown; error?: string }> {
    await this.#navigated;
    if (kind === 'failed') {
      record.warnings.push(`preload: ${String(args[0])}`);
      this.emit('preload-error', {}, 'preload', new Error(String(args[0])));
      return {};
    }
    record.messages.push({ way: 'up', channel, excerpt: excerptOf(args) });
    const event = {
      sender: this,
      senderFrame: this.frameOf(frame),
      frameId: 1,
      processId: this.id,
      type: 'frame',
    };
    if (kind === 'send') {
      ipcMain.emit(channel, event, ...args);
      return {};
    }
    const handler = ipcMain.handlers.get(channel);
    if (handler === undefined) return { error: `Error: No handler registered for '${channel}'` };
    try {
      return { ok: cloned(await handler(event, ...args)) };
    } catch (error) {
      return { error: String(error) };
    }
  }
}
