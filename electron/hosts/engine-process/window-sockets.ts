import { EventEmitter } from 'node:events';
import { getWSConnectionHandler } from '@trpc/server/adapters/ws';
import type { EngineRouter } from '../../engine/index.ts';
import type { FromEngine, ToEngine } from './messages.ts';

const OPEN = 1;
const CLOSED = 3;

/** The parts of a WebSocket that tRPC's handler uses, over messages between processes. */
class MessageSocket extends EventEmitter {
  readyState: number = OPEN;
  readonly OPEN = OPEN;
  readonly #post: (message: { what: 'message'; text: string } | { what: 'close' }) => void;

  constructor(post: (message: { what: 'message'; text: string } | { what: 'close' }) => void) {
    super();
    this.#post = post;
  }

  send(text: string): void {
    if (this.readyState === OPEN) this.#post({ what: 'message', text });
  }

  close(): void {
    if (this.readyState !== OPEN) return;
    this.#post({ what: 'close' });
    this.gone();
  }

  terminate(): void {
    this.close();
  }

  /** The other side closed. */
  gone(): void {
    this.readyState = CLOSED;
    this.emit('close');
  }
}

/** The window's connections: the same protocol as over a WebSocket, on the wire between shell and engine. */
export class WindowSockets {
  readonly #sockets = new Map<number, MessageSocket>();
  readonly #post: (message: FromEngine) => void;
  readonly #serve: (client: never, request: never) => void;

  constructor(router: EngineRouter, post: (message: FromEngine) => void) {
    this.#post = post;
    this.#serve = getWSConnectionHandler({ wss: undefined as never, router, createContext: () => ({}) }) as (
      client: never,
      request: never,
    ) => void;
  }

  receive(message: Extract<ToEngine, { kind: 'socket' }>): void {
    const { id } = message;
    if (message.what === 'open') {
      const socket = new MessageSocket((down) => this.#post({ kind: 'socket', id, ...down }));
      this.#sockets.set(id, socket);
      socket.once('close', () => this.#sockets.delete(id));
      this.#serve(socket as never, { url: '/trpc', headers: {} } as never);
    } else if (message.what === 'message') {
      this.#sockets.get(id)?.emit('message', Buffer.from(message.text), false);
    } else {
      this.#sockets.get(id)?.gone();
    }
  }
}
