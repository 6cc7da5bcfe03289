import type { FromEngine, ToEngine } from '../../hosts/index.ts';

/** The window's connections to the engine, by the page's own numbers and by those of the engine's process. */
type Connection = { page: number; socket: number; opened: boolean };

/** More than a window ever opens; a page that does not close its connections is not given more. */
const MOST_CONNECTIONS = 8;

export type RelayOptions = {
  toEngine(message: ToEngine): void;
  toPage(connection: number, kind: 'open' | 'message' | 'close', data?: string): void;
};

/**
 * Carries the window's connections between page and engine. While the engine starts, connections wait; when it dies they are
 * closed, and the page comes back with its place in the stream of events.
 */
export class WindowRelay {
  readonly #options: RelayOptions;
  readonly #connections = new Map<number, Connection>();
  #isReady = false;
  #lastSocket = 0;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  open(page: number): void {
    if (this.#connections.has(page) || this.#connections.size >= MOST_CONNECTIONS)
      return this.#options.toPage(page, 'close');
    const connection = { page, socket: (this.#lastSocket += 1), opened: false };
    this.#connections.set(page, connection);
    if (this.#isReady) this.#admit(connection);
  }

  send(page: number, text: string): void {
    const connection = this.#connections.get(page);
    if (connection?.opened === true)
      this.#options.toEngine({ kind: 'socket', id: connection.socket, what: 'message', text });
  }

  close(page: number): void {
    const connection = this.#connections.get(page);
    if (connection === undefined) return;
    this.#connections.delete(page);
    if (connection.opened) this.#options.toEngine({ kind: 'socket', id: connection.socket, what: 'close' });
  }

  /** The page was loaded anew or is gone. */
  forgetPage(): void {
    for (const page of this.#connections.keys()) this.close(page);
  }

  engineReady(): void {
    this.#isReady = true;
    for (const connection of this.#connections.values()) this.#admit(connection);
  }

  engineGone(): void {
    this.#isReady = false;
    for (const { page } of this.#connections.values()) this.#options.toPage(page, 'close');
    this.#connections.clear();
  }

  hear(message: Extract<FromEngine, { kind: 'socket' }>): void {
    const connection = [...this.#connections.values()].find(({ socket }) => socket === message.id);
    if (connection === undefined) return;
    if (message.what === 'message') return this.#options.toPage(connection.page, 'message', message.text);
    this.#connections.delete(connection.page);
    this.#options.toPage(connection.page, 'close');
  }

  #admit(connection: Connection): void {
    connection.opened = true;
    this.#options.toEngine({ kind: 'socket', id: connection.socket, what: 'open' });
    this.#options.toPage(connection.page, 'open');
  }
}
